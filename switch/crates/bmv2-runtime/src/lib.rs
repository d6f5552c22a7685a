//! The operations of BMv2's control plane on a v1model switch, whether words of `simple_switch_CLI` or bytes of Thrift ask for them.
//!
//! BMv2 has numbers that P4Runtime does not know (handles of entries, nodes of multicast groups). They are kept in a [`Session`], of
//! which a switch has one. A [`Runtime`] is such a session at work between two packets.

mod arrays;
mod field_bytes;
mod handles;
mod names;
mod profiles;
mod queues;
mod refusal;
mod replication;
mod tables;
mod value_sets;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use v1model::{Program, Switch, TableId};

pub use arrays::{Counters, Meters};
pub use field_bytes::{at_most, cell_of, last_bits, with_room, without_zeros};
use handles::Handles;
pub use handles::Place;
pub use names::only_with_end;
pub use queues::{QueueChange, QueueSetting};
pub use refusal::{Code, Kind, Refusal};
use replication::Nodes;
pub use replication::{Mirror, MulticastNode};
pub use tables::{bmv2_priority, check_direct, check_indirect};
pub use value_sets::{member_of, number_of};

/// The state that the control plane of one switch keeps from one request to the next.
#[derive(Debug, Default)]
pub struct Session {
    /// The program that the rest belongs to.
    program: Option<Weak<Program>>,
    entries: HashMap<TableId, Handles>,
    nodes: Nodes,
}

/// A session at work on its switch, which has a program.
#[derive(Debug)]
pub struct Runtime<'a> {
    session: &'a mut Session,
    /// The switch.
    pub switch: &'a mut Switch,
    /// The program that it runs.
    pub program: Arc<Program>,
    /// Its time.
    pub now_ns: u64,
}

/// A port as the control plane sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortLine {
    /// Its number.
    pub number: u16,
    /// The interface that it leads to.
    pub interface: String,
    /// Whether the interface is up.
    pub is_up: bool,
}

impl Session {
    /// Goes to work at the switch's time `now_ns`; not on a switch that has no program. The state of another program is
    /// forgotten.
    pub fn on<'a>(&'a mut self, switch: &'a mut Switch, now_ns: u64) -> Option<Runtime<'a>> {
        let program = switch.program().cloned()?;
        if self.program.as_ref().is_none_or(|known| known.as_ptr() != Arc::as_ptr(&program)) {
            *self = Self { program: Some(Arc::downgrade(&program)), ..Self::default() };
        }
        Some(Runtime { session: self, switch, program, now_ns })
    }
}

impl Runtime<'_> {
    /// Deletes everything that was written since the program was loaded.
    pub fn reset_state(&mut self) {
        self.switch.load(self.program.clone());
        *self.session = Session { program: Some(Arc::downgrade(&self.program)), ..Session::default() };
    }

    /// Microseconds since the switch started.
    #[must_use]
    pub fn time_elapsed_us(&self) -> u64 {
        self.now_ns.saturating_sub(self.switch.config().epoch_ns) / 1000
    }
}

/// Microseconds since 1970, which is the epoch of BMv2's clock: that of GCC's `high_resolution_clock`.
#[must_use]
pub fn time_since_epoch_us() -> u128 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_micros()
}
