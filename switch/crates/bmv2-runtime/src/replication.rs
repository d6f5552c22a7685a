//! Multicast groups, their nodes, and mirroring sessions.

use std::collections::BTreeMap;

use v1model::{CloneSession, ControlError, MulticastGroup, Replica};

use crate::{Code, Kind, Refusal, Runtime};

/// Ports that get a copy with a replication id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MulticastNode {
    /// The replication id.
    pub rid: u16,
    /// The ports in order.
    pub ports: Vec<u16>,
    /// The group it belongs to.
    pub group: Option<u16>,
}

/// The destination of a mirroring session's copies: a port, the ports of a multicast group, or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mirror {
    /// The port.
    pub port: Option<u16>,
    /// The group.
    pub group: Option<u16>,
}

/// The nodes by their handles.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    by_handle: BTreeMap<u32, MulticastNode>,
    /// Mirroring sessions that copy to a multicast group.
    mirrors: BTreeMap<u32, Mirror>,
}

fn refused(error: ControlError) -> Refusal {
    let code = match &error {
        ControlError::Exists(_) => Code::InvalidMgid,
        ControlError::NotFound(_) => Code::InvalidMgrpHandle,
        _ => Code::Error,
    };
    Refusal::of_switch(Kind::Multicast, code, &error)
}

fn replicas(node: &MulticastNode) -> Vec<Replica> {
    node.ports.iter().map(|port| Replica { port: *port, rid: node.rid }).collect()
}

fn with_reason(reason: String) -> Refusal {
    Refusal::explained(Kind::Multicast, Code::Error, reason)
}

impl Runtime<'_> {
    /// All nodes by their handles.
    pub fn multicast_nodes(&self) -> impl Iterator<Item = (u32, &MulticastNode)> {
        self.session.nodes.by_handle.iter().map(|(handle, node)| (*handle, node))
    }

    fn multicast_group(&self, id: u16) -> Result<MulticastGroup, Refusal> {
        let groups = self.switch.multicast_groups();
        groups.into_iter().find(|group| group.id == id).ok_or(Refusal::new(Kind::Multicast, Code::InvalidMgrpHandle))
    }

    /// Takes replicas of a node out of a group and puts others in.
    fn change_group(&mut self, id: u16, changed: u32, out: &[Replica], into: Vec<Replica>) -> Result<(), Refusal> {
        let mut group = self.multicast_group(id)?;
        group.replicas.retain(|replica| !out.contains(replica));
        // Replicas that another node has as well stay.
        let nodes = self.multicast_nodes().filter(|(handle, node)| node.group == Some(id) && *handle != changed);
        let others: Vec<Replica> = nodes.flat_map(|(_, node)| replicas(node)).collect();
        let mut new: Vec<Replica> = Vec::new();
        for replica in others.into_iter().chain(into) {
            if !group.replicas.contains(&replica) && !new.contains(&replica) {
                new.push(replica);
            }
        }
        group.replicas.extend(new);
        group.backups.clear();
        self.switch.multicast_modify(group).map_err(refused)?;
        self.mirrors_follow(id)
    }

    /// Gives mirroring sessions that copy to a group its present replicas.
    fn mirrors_follow(&mut self, id: u16) -> Result<(), Refusal> {
        let mirrors = &self.session.nodes.mirrors;
        let following: Vec<(u32, Mirror)> = mirrors
            .iter()
            .filter(|(_, mirror)| mirror.group == Some(id))
            .map(|(session, mirror)| (*session, *mirror))
            .collect();
        following.into_iter().try_for_each(|(session, mirror)| self.write_session(session, mirror))
    }

    /// The node with this handle.
    ///
    /// # Errors
    /// There is none.
    pub fn multicast_node(&self, handle: u32) -> Result<MulticastNode, Refusal> {
        let node = self.session.nodes.by_handle.get(&handle);
        node.cloned().ok_or(Refusal::new(Kind::Multicast, Code::InvalidL1Handle))
    }

    /// Creates a multicast group; one that is there stays as it is.
    ///
    /// # Errors
    /// The switch takes no group of this number.
    pub fn create_multicast_group(&mut self, id: u16) -> Result<(), Refusal> {
        match self.switch.multicast_insert(MulticastGroup { id, replicas: vec![], backups: vec![], metadata: vec![] }) {
            Ok(()) | Err(ControlError::Exists(_)) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }

    /// Deletes a multicast group, if it is there; its nodes stay.
    ///
    /// # Errors
    /// A mirroring session cannot follow.
    pub fn destroy_multicast_group(&mut self, id: u16) -> Result<(), Refusal> {
        match self.switch.multicast_delete(id) {
            Ok(()) | Err(ControlError::NotFound(_)) => {}
            Err(error) => return Err(refused(error)),
        }
        for node in self.session.nodes.by_handle.values_mut().filter(|node| node.group == Some(id)) {
            node.group = None;
        }
        self.mirrors_follow(id)
    }

    /// Creates a node; gives its handle.
    pub fn create_multicast_node(&mut self, rid: u16, ports: Vec<u16>) -> u32 {
        let nodes = &mut self.session.nodes.by_handle;
        let handle = (0..).find(|handle| !nodes.contains_key(handle)).unwrap_or(u32::MAX);
        nodes.insert(handle, MulticastNode { rid, ports, group: None });
        handle
    }

    /// Gives a node other ports.
    ///
    /// # Errors
    /// There is no such node.
    pub fn update_multicast_node(&mut self, handle: u32, ports: Vec<u16>) -> Result<(), Refusal> {
        let before = self.multicast_node(handle)?;
        let after = MulticastNode { ports, ..before.clone() };
        if let Some(group) = before.group {
            self.change_group(group, handle, &replicas(&before), replicas(&after))?;
        }
        self.session.nodes.by_handle.insert(handle, after);
        Ok(())
    }

    /// Puts a node into a group.
    ///
    /// # Errors
    /// There is no such node or group, or the node is in one.
    pub fn associate_multicast_node(&mut self, group: u16, handle: u32) -> Result<(), Refusal> {
        let node = self.multicast_node(handle)?;
        if let Some(other) = node.group {
            return Err(with_reason(format!("node {handle} is associated with multicast group {other} already")));
        }
        self.change_group(group, handle, &[], replicas(&node))?;
        self.session.nodes.by_handle.insert(handle, MulticastNode { group: Some(group), ..node });
        Ok(())
    }

    /// Takes a node out of a group.
    ///
    /// # Errors
    /// There is no such node, or it is not in that group.
    pub fn dissociate_multicast_node(&mut self, group: u16, handle: u32) -> Result<(), Refusal> {
        let node = self.multicast_node(handle)?;
        if node.group != Some(group) {
            return Err(with_reason(format!("node {handle} is not associated with multicast group {group}")));
        }
        self.change_group(group, handle, &replicas(&node), vec![])?;
        self.session.nodes.by_handle.insert(handle, MulticastNode { group: None, ..node });
        Ok(())
    }

    /// Deletes a node, and takes it out of its group.
    ///
    /// # Errors
    /// There is no such node.
    pub fn destroy_multicast_node(&mut self, handle: u32) -> Result<(), Refusal> {
        let node = self.multicast_node(handle)?;
        if let Some(group) = node.group {
            self.change_group(group, handle, &replicas(&node), vec![])?;
        }
        self.session.nodes.by_handle.remove(&handle);
        Ok(())
    }

    /// Replicas that belong to no node: those that P4Runtime asked for.
    #[must_use]
    pub fn replicas_without_node(&self, group: &MulticastGroup) -> Vec<Replica> {
        let nodes = self.multicast_nodes().filter(|(_, node)| node.group == Some(group.id));
        let known: Vec<Replica> = nodes.flat_map(|(_, node)| replicas(node)).collect();
        group.replicas.iter().filter(|replica| !known.contains(replica)).copied().collect()
    }

    /// Sets where a mirroring session sends its copies. Its multicast group may come later, as in BMv2.
    ///
    /// # Errors
    /// The switch takes no session of this number.
    pub fn set_mirror(&mut self, session: u32, mirror: Mirror) -> Result<(), Refusal> {
        self.write_session(session, mirror)?;
        match mirror.group {
            Some(_) => self.session.nodes.mirrors.insert(session, mirror),
            None => self.session.nodes.mirrors.remove(&session),
        };
        Ok(())
    }

    fn write_session(&mut self, id: u32, mirror: Mirror) -> Result<(), Refusal> {
        let of_group = mirror.group.and_then(|group| self.multicast_group(group).ok());
        let to_port = mirror.port.map(|port| Replica { port, rid: 0 });
        let others = of_group.into_iter().flat_map(|group| group.replicas).filter(|replica| Some(*replica) != to_port);
        let replicas = to_port.into_iter().chain(others).collect();
        let session = CloneSession { id, replicas, backups: vec![], class_of_service: 0, max_length: 0 };
        let is_known = self.switch.clone_sessions().iter().any(|other| other.id == id);
        let done = if is_known {
            self.switch.clone_session_modify(session)
        } else {
            self.switch.clone_session_insert(session)
        };
        done.map_err(|error| Refusal::explained(Kind::Mirroring, Code::Error, error.to_string()))
    }

    /// Deletes a mirroring session.
    ///
    /// # Errors
    /// There is none.
    pub fn delete_mirror(&mut self, session: u32) -> Result<(), Refusal> {
        let missing = |_| Refusal::new(Kind::Mirroring, Code::SessionNotFound);
        self.switch.clone_session_delete(session).map_err(missing)?;
        self.session.nodes.mirrors.remove(&session);
        Ok(())
    }

    /// Where a mirroring session sends its copies, and the ports of all of them.
    ///
    /// # Errors
    /// There is no such session.
    pub fn mirror(&self, session: u32) -> Result<(Mirror, Vec<u16>), Refusal> {
        let known = self.switch.clone_sessions().into_iter().find(|known| known.id == session);
        let known = known.ok_or(Refusal::new(Kind::Mirroring, Code::SessionNotFound))?;
        let ports: Vec<u16> = known.replicas.iter().map(|replica| replica.port).collect();
        let written = self.session.nodes.mirrors.get(&session).copied();
        // Of several ports that P4Runtime has written there is no group, and no one port.
        let port = if ports.len() == 1 { ports.first().copied() } else { None };
        Ok((written.unwrap_or(Mirror { port, group: None }), ports))
    }
}
