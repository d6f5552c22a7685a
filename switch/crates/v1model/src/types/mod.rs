//! The values that the control plane and the other parts of the crate exchange. They have no behaviour, and know no
//! other part of the crate.
//!
//! Byte strings are big-endian. A caller's may have any length, with or without leading zeros, as long as the value
//! fits the field. Those handed out are as long as the field (bits rounded up to bytes).

mod cells;
mod crc;
mod entries;
mod error;
mod info;
mod notifications;
mod profiles;
mod replication;
mod stats;
mod value_sets;

pub use cells::{CounterValue, MeterColor, MeterConfig, MeterCounts};
pub use crc::CrcParameters;
pub use entries::{
    ActionCall, ActionSet, ActionSpec, EntryHits, EntryView, KeyMatch, Selection, TableCounts, TableEntry,
    WeightedAction,
};
pub use error::ControlError;
pub use info::{
    ActionId, ActionInfo, ActionProfileId, ActionProfileInfo, ArrayInfo, CounterId, DirectCounterInfo, KeyInfo,
    MatchKind, MeterId, MeterInfo, MeterKind, ParamInfo, RegisterId, RegisterInfo, TableId, TableInfo, TableKind,
    ValueSetId, ValueSetInfo,
};
pub use notifications::{Digest, IdleTimeout};
pub use profiles::{GroupMember, ProfileGroup, ProfileMember};
pub use replication::{CloneSession, MulticastGroup, Replica};
pub use stats::SwitchStats;
pub use value_sets::{ValueSetMember, ValueSetRange};
