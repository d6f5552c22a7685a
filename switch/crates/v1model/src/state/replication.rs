//! Multicast groups and clone sessions.

use crate::types::{CloneSession, MulticastGroup};
use std::collections::BTreeMap;

/// The packet replication engine's configuration. Groups and sessions are shared while a packet is copied, so that
/// copying needs neither a lock nor an allocation.
#[derive(Debug, Default)]
pub(crate) struct Replication {
    pub groups: BTreeMap<u16, MulticastGroup>,
    pub sessions: BTreeMap<u32, CloneSession>,
}
