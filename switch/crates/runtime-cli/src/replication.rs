//! Multicast groups, their nodes, and mirroring sessions.

use std::collections::BTreeMap;

use num_traits::ToPrimitive;
use v1model::{CloneSession, ControlError, MulticastGroup, Replica};

use crate::Command;
use crate::arguments::{Position, at_least, exactly, number, position};
use crate::commands::Done;
use crate::failure::{self, Failure, usage};
use crate::integer::decimal;

/// Ports that get a copy with a replication id.
#[derive(Debug, Clone)]
struct Node {
    rid: u16,
    ports: Vec<u16>,
    /// The group it belongs to.
    group: Option<u16>,
}

/// The nodes by their handles.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    by_handle: BTreeMap<u32, Node>,
    /// Mirroring sessions that copy to whatever a multicast group has: the group of each.
    mirrors: BTreeMap<u32, u16>,
}

fn refused(error: ControlError) -> Failure {
    let code = match &error {
        ControlError::Exists(_) => "INVALID_MGID",
        ControlError::NotFound(_) => "INVALID_MGRP_HANDLE",
        _ => "ERROR",
    };
    failure::refused("PRE", code, &error)
}

fn replicas(node: &Node) -> Vec<Replica> {
    node.ports.iter().map(|port| Replica { port: *port, rid: node.rid }).collect()
}

/// Port numbers up to the end or a bar, behind which BMv2 has link aggregation groups.
fn ports(words: &[&str]) -> Result<Vec<u16>, Failure> {
    let mut list = Vec::new();
    for (position, word) in words.iter().enumerate() {
        if *word == "|" {
            if position + 1 < words.len() {
                return Err(usage("there are no link aggregation groups here; name the ports"));
            }
            break;
        }
        let port = decimal(word).and_then(|port| port.to_u16());
        let port = port.ok_or_else(|| usage(format!("'{word}' is not a valid port number")))?;
        if list.contains(&port) {
            return Err(usage(format!("Found duplicate port number '{port}'")));
        }
        list.push(port);
    }
    list.sort_unstable();
    Ok(list)
}

/// `101`: a digit for each port, the last one is port 0.
fn port_map(ports: &[u16]) -> String {
    let last = ports.last().copied();
    (0..=last.unwrap_or(0))
        .rev()
        .filter(|_| last.is_some())
        .map(|p| if ports.contains(&p) { '1' } else { '0' })
        .collect()
}

impl Command<'_> {
    fn group(&self, id: u16) -> Result<MulticastGroup, Failure> {
        let groups = self.switch.multicast_groups();
        groups.into_iter().find(|group| group.id == id).ok_or(Failure::Operation("PRE", "INVALID_MGRP_HANDLE"))
    }

    /// Takes replicas of a node out of a group and puts others in.
    fn change_group(&mut self, id: u16, changed: u32, out: &[Replica], into: Vec<Replica>) -> Result<(), Failure> {
        let mut group = self.group(id)?;
        group.replicas.retain(|replica| !out.contains(replica));
        // What another node has as well stays.
        let nodes =
            self.session.nodes.by_handle.iter().filter(|(handle, node)| node.group == Some(id) && **handle != changed);
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

    /// Mirroring sessions that copy to a group get what it has now.
    fn mirrors_follow(&mut self, id: u16) -> Result<(), Failure> {
        let replicas = self.group(id).map(|group| group.replicas).unwrap_or_default();
        let mirrors = &self.session.nodes.mirrors;
        let sessions: Vec<u32> =
            mirrors.iter().filter(|(_, group)| **group == id).map(|(session, _)| *session).collect();
        for session in sessions {
            set_session(self, session, replicas.clone())?;
        }
        Ok(())
    }

    fn node(&self, handle: u32) -> Result<Node, Failure> {
        let node = self.session.nodes.by_handle.get(&handle);
        node.cloned().ok_or(Failure::Operation("PRE", "INVALID_L1_HANDLE"))
    }
}

/// A number of 16 bits; `what` is for the message.
fn short(text: &str, what: &str) -> Result<u16, Failure> {
    let Position { shown, number } = position(text, what)?;
    u16::try_from(number).map_err(|_| usage(format!("{what} must be 0 to {}, not {shown}", u16::MAX)))
}

fn group_id(text: &str) -> Result<u16, Failure> {
    short(text, "multicast group id")
}

fn node_handle(text: &str) -> Result<Position, Failure> {
    position(text, "node handle")
}

fn session_id(text: &str) -> Result<u32, Failure> {
    let id = decimal(text).ok_or_else(|| usage("Bad format for mirror_id, expected integer"))?;
    // The switch refuses a number that is out of range.
    Ok(id.to_u32().unwrap_or(u32::MAX))
}

pub(crate) fn mgrp_create(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id = group_id(id)?;
    work.print(format!("Creating multicast group {id}"));
    let group = MulticastGroup { id, replicas: vec![], backups: vec![], metadata: vec![] };
    match work.switch.multicast_insert(group) {
        // One that is there stays as it is.
        Ok(()) | Err(ControlError::Exists(_)) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

pub(crate) fn mgrp_destroy(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id = group_id(id)?;
    work.print(format!("Destroying multicast group {id}"));
    match work.switch.multicast_delete(id) {
        Ok(()) | Err(ControlError::NotFound(_)) => {}
        Err(error) => return Err(refused(error)),
    }
    for node in work.session.nodes.by_handle.values_mut().filter(|node| node.group == Some(id)) {
        node.group = None;
    }
    work.mirrors_follow(id)?;
    Ok(None)
}

pub(crate) fn node_create(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let rid = short(args[0], "rid")?;
    let ports = ports(&args[1..])?;
    work.print(format!("Creating node with rid {rid} , port map {} and lag map ", port_map(&ports)));
    let nodes = &mut work.session.nodes;
    let is_free = |handle: &u32| !nodes.by_handle.contains_key(handle);
    let handle = (0..).find(is_free).unwrap_or(u32::MAX);
    nodes.by_handle.insert(handle, Node { rid, ports, group: None });
    work.print(format!("node was created with handle {handle}"));
    Ok(None)
}

pub(crate) fn node_update(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let position = node_handle(args[0])?;
    let handle = position.id();
    let ports = ports(&args[1..])?;
    work.print(format!("Updating node {} with port map {} and lag map ", position.shown, port_map(&ports)));
    let before = work.node(handle)?;
    let after = Node { ports, ..before.clone() };
    if let Some(group) = before.group {
        work.change_group(group, handle, &replicas(&before), replicas(&after))?;
    }
    work.session.nodes.by_handle.insert(handle, after);
    Ok(None)
}

pub(crate) fn node_associate(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [group, handle] = exactly(args)?;
    let (group, position) = (group_id(group)?, node_handle(handle)?);
    let handle = position.id();
    work.print(format!("Associating node {} to multicast group {group}", position.shown));
    let node = work.node(handle)?;
    if let Some(other) = node.group {
        let reason = format!("node {handle} is associated with multicast group {other} already");
        return Err(Failure::Explained("PRE", "ERROR", reason));
    }
    work.change_group(group, handle, &[], replicas(&node))?;
    work.session.nodes.by_handle.insert(handle, Node { group: Some(group), ..node });
    Ok(None)
}

pub(crate) fn node_dissociate(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [group, handle] = exactly(args)?;
    let (group, position) = (group_id(group)?, node_handle(handle)?);
    let handle = position.id();
    work.print(format!("Dissociating node {} from multicast group {group}", position.shown));
    let node = work.node(handle)?;
    if node.group != Some(group) {
        let reason = format!("node {handle} is not associated with multicast group {group}");
        return Err(Failure::Explained("PRE", "ERROR", reason));
    }
    work.change_group(group, handle, &replicas(&node), vec![])?;
    work.session.nodes.by_handle.insert(handle, Node { group: None, ..node });
    Ok(None)
}

pub(crate) fn node_destroy(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [handle] = exactly(args)?;
    let position = node_handle(handle)?;
    let handle = position.id();
    work.print(format!("Destroying node {}", position.shown));
    let node = work.node(handle)?;
    if let Some(group) = node.group {
        work.change_group(group, handle, &replicas(&node), vec![])?;
    }
    work.session.nodes.by_handle.remove(&handle);
    Ok(None)
}

pub(crate) fn dump(work: &mut Command<'_>, _: &[&str]) -> Done {
    let joined = |ports: &[u16]| ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    work.print("==========");
    work.print("MC ENTRIES");
    for group in work.switch.multicast_groups() {
        work.print("**********");
        work.print(format!("mgrp({})", group.id));
        let mut rest = group.replicas;
        for (handle, node) in work.session.nodes.by_handle.clone() {
            if node.group == Some(group.id) {
                rest.retain(|replica| !replicas(&node).contains(replica));
                let ports = joined(&node.ports);
                work.print(format!("  -> (L1h={handle}, rid={}) -> (ports=[{ports}], lags=[])", node.rid));
            }
        }
        // Copies that P4Runtime asked for belong to no node.
        for replica in rest {
            work.print(format!("  -> (L1h=-, rid={}) -> (ports=[{}], lags=[])", replica.rid, replica.port));
        }
    }
    work.print("==========");
    work.print("LAGS");
    work.print("==========");
    Ok(None)
}

fn set_session(work: &mut Command<'_>, id: u32, replicas: Vec<Replica>) -> Result<(), Failure> {
    let session = CloneSession { id, replicas, backups: vec![], class_of_service: 0, max_length: 0 };
    let known = work.switch.clone_sessions().iter().any(|other| other.id == id);
    let done =
        if known { work.switch.clone_session_modify(session) } else { work.switch.clone_session_insert(session) };
    done.map_err(|error| usage(error.to_string()))
}

pub(crate) fn mirroring_add(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id, port] = exactly(args)?;
    let (id, port) = (session_id(id)?, number(port, "egress_port")?);
    set_session(work, id, vec![Replica { port, rid: 0 }])?;
    work.session.nodes.mirrors.remove(&id);
    Ok(None)
}

pub(crate) fn mirroring_add_mc(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id, group] = exactly(args)?;
    let (id, group) = (session_id(id)?, number(group, "mgrp")?);
    set_session(work, id, vec![])?;
    // The group may come later, as in BMv2.
    work.session.nodes.mirrors.insert(id, group);
    work.mirrors_follow(group)?;
    Ok(None)
}

pub(crate) fn mirroring_delete(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id = session_id(id)?;
    let missing = |_| Failure::Operation("mirroring", "SESSION_NOT_FOUND");
    work.switch.clone_session_delete(id).map_err(missing)?;
    work.session.nodes.mirrors.remove(&id);
    Ok(None)
}

pub(crate) fn mirroring_get(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id = session_id(id)?;
    let session = work.switch.clone_sessions().into_iter().find(|session| session.id == id);
    let session = session.ok_or(Failure::Operation("mirroring", "SESSION_NOT_FOUND"))?;
    if let Some(group) = work.session.nodes.mirrors.get(&id).copied() {
        work.print(format!("MirroringSessionConfig(port=None, mgid={group})"));
        return Ok(None);
    }
    match &session.replicas[..] {
        [one] => work.print(format!("MirroringSessionConfig(port={}, mgid=None)", one.port)),
        several => {
            let ports: Vec<String> = several.iter().map(|replica| replica.port.to_string()).collect();
            work.print(format!("MirroringSessionConfig(port=None, ports=[{}])", ports.join(", ")));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_a_map_with_port_0_at_the_end() {
        assert_eq!(port_map(&[]), "");
        assert_eq!(port_map(&[1, 3]), "1010");
        assert_eq!(ports(&["3", "1", "|"]), Ok(vec![1, 3]));
        assert!(ports(&["1", "1"]).is_err() && ports(&["1", "|", "2"]).is_err() && ports(&["x"]).is_err());
    }
}
