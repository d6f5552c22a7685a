//! State that outlives packets.

use std::collections::BTreeMap;

use crate::reference::control_plane::{ControlPlane, Path};
use crate::reference::{Sent, Value};

/// The state that the control plane has set up, and the state that packets leave behind. A control that is applied as
/// two instances has its objects twice, so the instances around an object belong to its name.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The state that the control plane has set up.
    pub control_plane: ControlPlane,
    /// Cells of counters that have counted.
    pub counters: BTreeMap<Path, BTreeMap<usize, Count>>,
    /// The counts of direct counters: of each table by the position of its entry.
    pub direct_counters: BTreeMap<Path, BTreeMap<usize, Count>>,
    /// The digests, in order: the numbers of each.
    pub digests: Vec<Vec<u128>>,
    pub(super) registers: BTreeMap<Path, Vec<Value>>,
}

/// The counts in a cell of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Their bytes, as they came to ingress.
    pub bytes: u64,
}

impl Count {
    pub(super) fn add(&mut self, bytes: usize) {
        self.packets += 1;
        self.bytes += bytes as u64;
    }
}

/// The state of the packet that runs, besides the program's variables.
#[derive(Default)]
pub(super) struct Passage {
    /// Did a checksum differ?
    pub checksum_error: bool,
    /// Bytes of the packet as it came to ingress.
    pub length: usize,
    /// The clone that it asks for: session and list of fields.
    pub clone: Option<(u32, Option<u32>)>,
    /// The digest that it sends.
    pub digest: Option<Vec<u128>>,
    /// The list of fields with which it asks to run once more.
    pub recirculation: Option<u32>,
    /// The entry, and its table, whose action runs or ran last.
    pub entry: Option<(Path, usize)>,
    /// The packets that have left.
    pub sent: Vec<Sent>,
}
