//! The control plane's view of a switch: types here, operations as methods of [`Switch`](crate::Switch) in the files
//! beside this one.
//!
//! Objects are found by name once ([`Switch::table_id`](crate::Switch::table_id) and friends) and then used by id; ids
//! are indexes into the program's lists and become meaningless when another program is loaded.
//!
//! Byte strings are big-endian and may have any length, with or without leading zeros, as long as the value fits the
//! field; those handed out are as long as the field (bits rounded up to bytes).

mod arrays;
pub(crate) mod encode;
mod entries;
mod error;
mod info;
mod lookup;
mod notifications;
mod profiles;
mod replication;
mod tables;
mod value_sets;

pub use arrays::{CounterValue, MeterColor, MeterConfig, MeterCounts};
pub use entries::{ActionCall, ActionSet, ActionSpec, EntryView, KeyMatch, Selection, TableEntry, WeightedAction};
pub use error::ControlError;
pub use info::{
    ActionId, ActionInfo, ActionProfileId, ActionProfileInfo, ArrayInfo, CounterId, KeyInfo, MatchKind, MeterId,
    MeterInfo, MeterKind, ParamInfo, RegisterId, RegisterInfo, TableId, TableInfo, TableKind, ValueSetId, ValueSetInfo,
};
pub use notifications::{Digest, IdleTimeout};
pub use profiles::{GroupMember, ProfileGroup, ProfileMember};
pub use replication::{CloneSession, MulticastGroup, Replica};
pub use value_sets::{ValueSetMember, ValueSetRange};

pub(crate) use tables::{index_for, insert_entry};
