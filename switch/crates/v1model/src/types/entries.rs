//! Table entries as the control plane writes and reads them.

use super::cells::{CounterValue, MeterConfig, MeterCounts};
use super::info::ActionId;

/// The match of one key field of an entry. Byte strings are big-endian; see [`control`](crate::control).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyMatch {
    /// Equal.
    Exact(Vec<u8>),
    /// The first `prefix_len` bits are equal. Bits behind them are ignored.
    Lpm {
        /// The prefix, as wide as the field.
        value: Vec<u8>,
        /// Bits; 0 matches everything.
        prefix_len: u32,
    },
    /// Equal where the mask has ones. A zero mask matches everything.
    Ternary {
        /// Value; bits outside the mask are ignored.
        value: Vec<u8>,
        /// Mask.
        mask: Vec<u8>,
    },
    /// From `low` to `high`, both included.
    Range {
        /// Smallest value.
        low: Vec<u8>,
        /// Largest value.
        high: Vec<u8>,
    },
    /// Equal, or (`None`) anything.
    Optional(Option<Vec<u8>>),
    /// The header is (not) valid.
    Valid(bool),
}

/// An action with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionCall {
    /// The action; must be one of the table's.
    pub action: ActionId,
    /// One byte string a parameter.
    pub params: Vec<Vec<u8>>,
}

/// One action of a one-shot selector group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedAction {
    /// The action that it runs.
    pub call: ActionCall,
    /// How often it is chosen, relative to the others; at least 1.
    pub weight: u32,
    /// Only chosen while this port is up.
    pub watch_port: Option<u16>,
}

/// The action, member or group of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionSpec {
    /// Runs an action (tables of kind `Direct`).
    Call(ActionCall),
    /// Runs a member of the table's action profile.
    Member(u32),
    /// Chooses a member of a group of the table's action selector.
    Group(u32),
    /// Chooses one of these (tables of kind `Selector`; P4Runtime's one-shot programming).
    OneShot(ActionSet),
}

/// A group of actions inside an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionSet {
    /// The actions to choose from.
    pub actions: Vec<WeightedAction>,
    /// How.
    pub selection: Selection,
}

/// How one of several actions is chosen for a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// As the table's selector says: by its hash of the packet.
    Selector,
    /// Anew for each packet.
    Random,
}

/// An entry to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry {
    /// One match a key field, in the table's order.
    pub key: Vec<KeyMatch>,
    /// Larger wins (P4Runtime's order). Ignored for tables without priorities.
    pub priority: i32,
    /// Its action, member or group.
    pub action: ActionSpec,
    /// Report the entry when it was not hit for so long; 0 = never.
    pub idle_timeout_ns: u64,
    /// P4Runtime's opaque metadata: kept and given back.
    pub metadata: Vec<u8>,
}

/// An entry as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryView {
    /// The entry as written, masked and padded.
    pub entry: TableEntry,
    /// Fixed by the program.
    pub is_const: bool,
    /// Direct counter, if the table has one.
    pub counter: Option<CounterValue>,
    /// Direct meter's configuration, if the table has one and it was set.
    pub meter: Option<MeterConfig>,
    /// Packets and bytes that the direct meter has given each colour, if the table has one.
    pub meter_counts: Option<MeterCounts>,
    /// When the entry was last hit or written (`now_ns` of that packet or call).
    pub last_hit_ns: u64,
    /// Packets that it was found for since it was added.
    pub hits: u64,
}

/// Counts of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableCounts {
    /// Entries that it has.
    pub entries: usize,
    /// Packets that an entry was found for, those that are gone included.
    pub hits: u64,
    /// Packets that none was found for since the default action was set: the number of times that it has run.
    pub misses: u64,
    /// Goes up with every change of entries or of the default action.
    pub changes: u64,
}

/// An entry's hits, for callers that look often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryHits {
    /// Its place, until it is removed.
    pub number: u32,
    /// Larger than that of every entry that was added to the table before.
    pub id: u64,
    /// Packets that it was found for.
    pub hits: u64,
}
