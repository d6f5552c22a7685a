//! One v1model switch that runs BMv2 JSON: no I/O, no threads, no clock.
//!
//! [`Program::from_json`] checks a BMv2 JSON file and lowers it to a compact form; a [`Switch`] runs it. The owner of
//! the switch brings frames in with [`Switch::receive`], keeps the queues (a [`TrafficManager`]), and calls
//! [`Switch::egress`] when a queue releases a packet. Time is an argument (`now_ns`), and random numbers come from a
//! seed: the same calls give the same frames.
//!
//! ```text
//! receive ──parser──ingress──▶ TrafficManager::enqueue ··· queue ··· egress ──egress pipeline──deparser──▶ Frame
//!              ▲                                                        │
//!              └────────── resubmit, recirculate, clones ◀──────────────┘
//! ```
//!
//! The control plane (P4Runtime, test harness) uses the methods in the [`control`] module's files; all take `&mut Switch`
//! or `&Switch` and are meant to be called between two packets.
//!
//! The modules know each other in one direction only:
//!
//! ```text
//! types, phv, bits, layout, hash, packet, traffic, trace ◀── code ◀── state ◀── load, exec ◀── switch ◀── control
//! ```
//!
//! `code` is the lowered program, `load` makes it from BMv2 JSON, `exec` runs it on the state that `state` keeps.

mod bits;
mod code;
pub mod control;
mod custom_crc;
mod exec;
mod hash;
mod layout;
mod limbs;
mod load;
mod packet;
mod phv;
mod state;
mod switch;
mod trace;
mod traffic;
mod types;

pub use bmv2_json::{HeaderField, HeaderType, ProgramError};
pub use code::Program;
pub use packet::Packet;
pub use switch::{Switch, SwitchConfig};
pub use trace::{
    FilterError, NamedValue, SourceLine, TraceChange, TraceEvent, TraceFilter, TraceHeader, TraceStep, shown_match,
    shown_value,
};
pub use traffic::{Frame, Place, QueueInfo, TrafficManager};
pub use types::{
    ActionCall, ActionId, ActionInfo, ActionProfileId, ActionProfileInfo, ActionSet, ActionSpec, ArrayInfo,
    CloneSession, ControlError, CounterId, CounterValue, CrcParameters, Digest, DirectCounterInfo, EntryHits,
    EntryView, GroupMember, IdleTimeout, KeyInfo, KeyMatch, MatchKind, MeterColor, MeterConfig, MeterCounts, MeterId,
    MeterInfo, MeterKind, MulticastGroup, ParamInfo, ProfileGroup, ProfileMember, RegisterId, RegisterInfo, Replica,
    Selection, SwitchStats, TableCounts, TableEntry, TableId, TableInfo, TableKind, ValueSetId, ValueSetInfo,
    ValueSetMember, ValueSetRange, WeightedAction,
};
