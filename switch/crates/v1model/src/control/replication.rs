//! Multicast groups and clone (mirroring) sessions of the packet replication engine.

use super::error::ControlError;
use crate::switch::Switch;

/// One copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Replica {
    /// Port it leaves by.
    pub port: u16,
    /// `standard_metadata.egress_rid` of the copy.
    pub rid: u16,
}

/// A multicast group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MulticastGroup {
    /// What a program writes to `standard_metadata.mcast_grp`; not 0.
    pub id: u16,
    /// The copies, made in this order. No duplicates.
    pub replicas: Vec<Replica>,
    /// P4Runtime's opaque metadata: kept and given back.
    pub metadata: Vec<u8>,
}

/// A clone session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneSession {
    /// The session argument of `clone()`.
    pub id: u32,
    /// The copies.
    pub replicas: Vec<Replica>,
    /// `standard_metadata.priority` of the copies.
    pub class_of_service: u8,
    /// Copies are cut to so many bytes; 0 = not at all.
    pub max_length: u32,
}

impl Switch {
    /// Adds a multicast group.
    pub fn multicast_insert(&mut self, group: MulticastGroup) -> Result<(), ControlError> {
        let _ = group;
        Err(ControlError::NoProgram)
    }

    /// Gives a multicast group other replicas.
    pub fn multicast_modify(&mut self, group: MulticastGroup) -> Result<(), ControlError> {
        let _ = group;
        Err(ControlError::NoProgram)
    }

    /// Removes a multicast group.
    pub fn multicast_delete(&mut self, id: u16) -> Result<(), ControlError> {
        let _ = id;
        Err(ControlError::NoProgram)
    }

    /// All multicast groups, by id.
    #[must_use]
    pub fn multicast_groups(&self) -> Vec<MulticastGroup> {
        Vec::new()
    }

    /// Adds a clone session.
    pub fn clone_session_insert(&mut self, session: CloneSession) -> Result<(), ControlError> {
        let _ = session;
        Err(ControlError::NoProgram)
    }

    /// Changes a clone session.
    pub fn clone_session_modify(&mut self, session: CloneSession) -> Result<(), ControlError> {
        let _ = session;
        Err(ControlError::NoProgram)
    }

    /// Removes a clone session.
    pub fn clone_session_delete(&mut self, id: u32) -> Result<(), ControlError> {
        let _ = id;
        Err(ControlError::NoProgram)
    }

    /// All clone sessions, by id.
    #[must_use]
    pub fn clone_sessions(&self) -> Vec<CloneSession> {
        Vec::new()
    }
}
