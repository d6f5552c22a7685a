//! `set_queue_depth` and `set_queue_rate`: read here, done by whoever has the queues.

use crate::arguments::{at_least, number};
use crate::commands::Done;
use crate::{Command, Outcome};

/// What is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueSetting {
    /// Packets that may wait.
    DepthPackets(u32),
    /// Packets a second.
    RatePps(u64),
}

/// A change of queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueChange {
    /// What.
    pub setting: QueueSetting,
    /// Of which port; of all without.
    pub port: Option<u16>,
    /// Of which of its priorities; of all without.
    pub priority: Option<u8>,
}

fn change(args: &[&str], what: &str, setting: impl Fn(u32) -> QueueSetting) -> Done {
    at_least(args, 1)?;
    let value = number(args[0], what)?;
    let port = args.get(1).map(|port| number(port, "egress_port")).transpose()?;
    let priority = args.get(2).map(|priority| number(priority, "priority")).transpose()?;
    Ok(Some(Outcome::SetQueue(QueueChange { setting: setting(value), port, priority })))
}

pub(crate) fn set_depth(_: &mut Command<'_>, args: &[&str]) -> Done {
    change(args, "nb_pkts", QueueSetting::DepthPackets)
}

pub(crate) fn set_rate(_: &mut Command<'_>, args: &[&str]) -> Done {
    change(args, "rate_pps", |rate| QueueSetting::RatePps(rate.into()))
}
