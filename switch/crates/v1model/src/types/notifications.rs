//! Notifications of the switch to the control plane: digests and idle time-outs.

use std::sync::Arc;

use super::entries::KeyMatch;
use super::info::TableId;

/// One call of `digest()`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Name of the digest (of its `learn_list`), as in P4Info.
    pub name: Arc<str>,
    /// Its fields in order, each as long as the field, with whether the header it is in is valid (metadata always is).
    pub fields: Vec<(Vec<u8>, bool)>,
    /// When, in the clock of `now_ns`.
    pub time_ns: u64,
}

/// An entry that was not hit for its idle time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleTimeout {
    /// Its table.
    pub table: TableId,
    /// Its key.
    pub key: Vec<KeyMatch>,
    /// Its priority.
    pub priority: i32,
}
