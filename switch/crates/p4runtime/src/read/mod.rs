//! Reads, in three steps: a request becomes [`Query`]s, a query copies what it asks for out of the switch between two
//! packets ([`fetch`]), and the copy becomes messages outside the forwarding thread ([`render`]).

mod fetch;
mod plan;
mod render;
pub mod undo;

use p4runtime_proto::runtime;
use v1model::{
    ActionProfileId, ActionSpec, CloneSession, CounterId, CounterValue, EntryView, KeyMatch, MeterConfig, MeterCounts,
    MeterId, MulticastGroup, ProfileGroup, ProfileMember, RegisterId, TableId, ValueSetId, ValueSetMember,
};

pub use fetch::fetch;
pub use plan::plan;
pub use render::{entry_message, render};

use crate::extras::{DigestSettings, EntryMetadata};

/// The data to copy out of the switch. `id`s are P4Info's.
#[derive(Debug, Clone)]
pub enum Query {
    /// Entries of a table.
    Entries { id: u32, slot: TableId, filter: EntryFilter, want: Want },
    /// The default entry of a table.
    Default { id: u32, slot: TableId, want: Want },
    /// Members of a profile; all, or one.
    Members { id: u32, slot: ActionProfileId, only: Option<u32> },
    /// Groups of a selector; all, or one.
    Groups { id: u32, slot: ActionProfileId, only: Option<u32> },
    /// Cells of a counter.
    Counter { id: u32, slot: CounterId, cells: std::ops::Range<usize> },
    /// Cells of a meter.
    Meter { id: u32, slot: MeterId, cells: std::ops::Range<usize>, counts: bool },
    /// Cells of a register.
    Register { id: u32, slot: RegisterId, cells: std::ops::Range<usize> },
    /// Multicast groups; all, or one.
    Multicast { only: Option<u32> },
    /// Clone sessions; all, or one.
    Clones { only: Option<u32> },
    /// A value set.
    ValueSet { id: u32, slot: ValueSetId },
    /// Settings of a digest.
    Digest { id: u32 },
}

/// Which entries of a table.
#[derive(Debug, Clone, Default)]
pub struct EntryFilter {
    /// With this key.
    pub key: Option<Vec<KeyMatch>>,
    /// With this priority; with a key too, for tables without priorities `Some(0)`.
    pub priority: Option<i32>,
    /// With this metadata.
    pub metadata: Option<bytes::Bytes>,
    /// With this deprecated metadata.
    pub cookie: Option<u64>,
    /// With this action, by P4Info id.
    pub action: Option<u32>,
    /// It is an error if there is none.
    pub must_exist: bool,
}

/// The message that an entry becomes, and the parts of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// A `TableEntry`.
    Entry {
        /// With `counter_data`.
        counter: bool,
        /// With `meter_config`.
        meter: bool,
        /// With `meter_counter_data`.
        meter_counts: bool,
        /// With `time_since_last_hit`.
        idle: bool,
    },
    /// A `DirectCounterEntry`.
    Counter,
    /// A `DirectMeterEntry`.
    Meter {
        /// With `counter_data`.
        counts: bool,
    },
}

/// The data that a query has copied.
#[derive(Debug)]
pub enum Fetched {
    /// For [`Query::Entries`], and the switch's clock.
    Entries(Vec<EntryView>, u64),
    /// For [`Query::Default`].
    Default(DefaultView),
    /// For [`Query::Members`].
    Members(Vec<ProfileMember>),
    /// For [`Query::Groups`]; whether ports are given as numbers.
    Groups(Vec<(ProfileGroup, bool)>),
    /// For [`Query::Counter`].
    Counters(Vec<CounterValue>),
    /// For [`Query::Meter`].
    Meters(Vec<(Option<MeterConfig>, MeterCounts)>),
    /// For [`Query::Register`].
    Registers(Vec<Vec<u8>>),
    /// For [`Query::Multicast`]; whether ports are given as numbers.
    Multicast(Vec<(MulticastGroup, bool)>),
    /// For [`Query::Clones`]; whether ports are given as numbers.
    Clones(Vec<(CloneSession, bool)>),
    /// For [`Query::ValueSet`].
    ValueSet(Vec<ValueSetMember>),
    /// For [`Query::Digest`]; `None` if it is not enabled.
    Digest(Option<DigestSettings>),
}

/// A default entry.
#[derive(Debug)]
pub struct DefaultView {
    /// Its action; `None` for nothing.
    pub action: Option<ActionSpec>,
    /// Its counter.
    pub counter: Option<CounterValue>,
    /// Its meter.
    pub meter: Option<MeterConfig>,
    /// The controller's metadata.
    pub metadata: EntryMetadata,
}

/// Wraps an entity.
pub fn entity(entity: runtime::entity::Entity) -> runtime::Entity {
    runtime::Entity { entity: Some(entity) }
}
