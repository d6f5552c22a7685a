//! Multicast groups and clone (mirroring) sessions of the packet replication engine.

use std::collections::HashSet;

use crate::switch::Switch;
use crate::types::{CloneSession, ControlError, MulticastGroup, Replica};

/// Largest session number of BMv2.
const MAX_SESSION: u32 = 0x7fff;

fn check_replicas(replicas: &[Replica], backups: &[Vec<Replica>]) -> Result<(), ControlError> {
    let all = || replicas.iter().chain(backups.iter().flatten());
    let distinct: HashSet<&Replica> = all().collect();
    if distinct.len() != all().count() {
        return Err(ControlError::Invalid("the same port and replication id is listed twice".to_owned()));
    }
    let mut ports = replicas.iter().zip(backups);
    if ports.any(|(replica, backups)| backups.iter().any(|backup| backup.port == replica.port)) {
        return Err(ControlError::Invalid("a replica and one of its backups have the same port".to_owned()));
    }
    Ok(())
}

fn check_group(group: &MulticastGroup) -> Result<(), ControlError> {
    if group.id == 0 {
        return Err(ControlError::Invalid("multicast group 0 means \"no multicast\"".to_owned()));
    }
    check_replicas(&group.replicas, &group.backups)
}

fn check_session(session: &CloneSession) -> Result<(), ControlError> {
    if session.id > MAX_SESSION {
        return Err(ControlError::Invalid(format!("clone sessions are numbered 0 to {MAX_SESSION}")));
    }
    check_replicas(&session.replicas, &session.backups)
}

impl Switch {
    /// Adds a multicast group.
    pub fn multicast_insert(&mut self, group: MulticastGroup) -> Result<(), ControlError> {
        check_group(&group)?;
        if self.replication.groups.contains_key(&group.id) {
            return Err(ControlError::Exists(format!("multicast group {}", group.id)));
        }
        self.replication.groups.insert(group.id, group);
        Ok(())
    }

    /// Gives a multicast group other replicas.
    pub fn multicast_modify(&mut self, group: MulticastGroup) -> Result<(), ControlError> {
        check_group(&group)?;
        match self.replication.groups.get_mut(&group.id) {
            Some(present) => *present = group,
            None => {
                return Err(ControlError::NotFound(format!("multicast group {}", group.id)));
            }
        }
        Ok(())
    }

    /// Removes a multicast group.
    pub fn multicast_delete(&mut self, id: u16) -> Result<(), ControlError> {
        let removed = self.replication.groups.remove(&id);
        removed.map(|_| ()).ok_or_else(|| ControlError::NotFound(format!("multicast group {id}")))
    }

    /// All multicast groups, by id.
    #[must_use]
    pub fn multicast_groups(&self) -> Vec<MulticastGroup> {
        self.replication.groups.values().cloned().collect()
    }

    /// Adds a clone session.
    pub fn clone_session_insert(&mut self, session: CloneSession) -> Result<(), ControlError> {
        check_session(&session)?;
        if self.replication.sessions.contains_key(&session.id) {
            return Err(ControlError::Exists(format!("clone session {}", session.id)));
        }
        self.replication.sessions.insert(session.id, session);
        Ok(())
    }

    /// Changes a clone session.
    pub fn clone_session_modify(&mut self, session: CloneSession) -> Result<(), ControlError> {
        check_session(&session)?;
        match self.replication.sessions.get_mut(&session.id) {
            Some(present) => *present = session,
            None => {
                return Err(ControlError::NotFound(format!("clone session {}", session.id)));
            }
        }
        Ok(())
    }

    /// Removes a clone session.
    pub fn clone_session_delete(&mut self, id: u32) -> Result<(), ControlError> {
        let removed = self.replication.sessions.remove(&id);
        removed.map(|_| ()).ok_or_else(|| ControlError::NotFound(format!("clone session {id}")))
    }

    /// All clone sessions, by id.
    #[must_use]
    pub fn clone_sessions(&self) -> Vec<CloneSession> {
        self.replication.sessions.values().cloned().collect()
    }
}
