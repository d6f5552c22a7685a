//! `set_queue_depth` and `set_queue_rate`: read here, done by the owner of the queues.

use bmv2_runtime::{QueueChange, QueueSetting};

use crate::arguments::{at_least, number};
use crate::commands::Done;
use crate::{Command, Outcome};

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
