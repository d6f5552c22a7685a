//! Multicast groups, their nodes, and mirroring sessions.

use std::collections::BTreeMap;

use v1model::{CloneSession, ControlError, MulticastGroup, Replica};

use crate::Command;
use crate::arguments::{at_least, exactly, number};
use crate::commands::Done;
use crate::failure::{self, Failure, usage};

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
    next: u32,
    by_handle: BTreeMap<u32, Node>,
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
        let port: u16 = word.parse().map_err(|_| usage(format!("'{word}' is not a valid port number")))?;
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

    /// Takes replicas out of a group and puts others in.
    fn change_group(&mut self, id: u16, out: &[Replica], into: Vec<Replica>) -> Result<(), Failure> {
        let mut group = self.group(id)?;
        group.replicas.retain(|replica| !out.contains(replica));
        let new: Vec<Replica> = into.into_iter().filter(|replica| !group.replicas.contains(replica)).collect();
        group.replicas.extend(new);
        group.backups.clear();
        self.switch.multicast_modify(group).map_err(refused)
    }

    fn node(&self, handle: u32) -> Result<Node, Failure> {
        let node = self.session.nodes.by_handle.get(&handle);
        node.cloned().ok_or(Failure::Operation("PRE", "INVALID_L1_HANDLE"))
    }
}

fn group_id(text: &str) -> Result<u16, Failure> {
    text.parse().map_err(|_| usage("Bad format for multicast group id"))
}

fn node_handle(text: &str) -> Result<u32, Failure> {
    text.parse().map_err(|_| usage("Bad format for node handle"))
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
    Ok(None)
}

pub(crate) fn node_create(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let rid = args[0].parse().map_err(|_| usage("Bad format for rid"))?;
    let ports = ports(&args[1..])?;
    work.print(format!("Creating node with rid {rid} , port map {} and lag map ", port_map(&ports)));
    let nodes = &mut work.session.nodes;
    let handle = nodes.next;
    nodes.next += 1;
    nodes.by_handle.insert(handle, Node { rid, ports, group: None });
    work.print(format!("node was created with handle {handle}"));
    Ok(None)
}

pub(crate) fn node_update(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let handle = node_handle(args[0])?;
    let ports = ports(&args[1..])?;
    work.print(format!("Updating node {handle} with port map {} and lag map ", port_map(&ports)));
    let before = work.node(handle)?;
    let after = Node { ports, ..before.clone() };
    if let Some(group) = before.group {
        work.change_group(group, &replicas(&before), replicas(&after))?;
    }
    work.session.nodes.by_handle.insert(handle, after);
    Ok(None)
}

pub(crate) fn node_associate(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [group, handle] = exactly(args)?;
    let (group, handle) = (group_id(group)?, node_handle(handle)?);
    work.print(format!("Associating node {handle} to multicast group {group}"));
    let node = work.node(handle)?;
    if let Some(other) = node.group {
        let reason = format!("node {handle} is associated with multicast group {other} already");
        return Err(Failure::Explained("PRE", "ERROR", reason));
    }
    work.change_group(group, &[], replicas(&node))?;
    work.session.nodes.by_handle.insert(handle, Node { group: Some(group), ..node });
    Ok(None)
}

pub(crate) fn node_dissociate(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [group, handle] = exactly(args)?;
    let (group, handle) = (group_id(group)?, node_handle(handle)?);
    work.print(format!("Dissociating node {handle} from multicast group {group}"));
    let node = work.node(handle)?;
    if node.group != Some(group) {
        let reason = format!("node {handle} is not associated with multicast group {group}");
        return Err(Failure::Explained("PRE", "ERROR", reason));
    }
    work.change_group(group, &replicas(&node), vec![])?;
    work.session.nodes.by_handle.insert(handle, Node { group: None, ..node });
    Ok(None)
}

pub(crate) fn node_destroy(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [handle] = exactly(args)?;
    let handle = node_handle(handle)?;
    work.print(format!("Destroying node {handle}"));
    let node = work.node(handle)?;
    if let Some(group) = node.group {
        work.change_group(group, &replicas(&node), vec![])?;
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

fn mirror(work: &mut Command<'_>, id: u32, replicas: Vec<Replica>) -> Done {
    let session = CloneSession { id, replicas, backups: vec![], class_of_service: 0, max_length: 0 };
    let known = work.switch.clone_sessions().iter().any(|other| other.id == id);
    let done =
        if known { work.switch.clone_session_modify(session) } else { work.switch.clone_session_insert(session) };
    done.map_err(|error| usage(error.to_string()))?;
    Ok(None)
}

pub(crate) fn mirroring_add(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id, port] = exactly(args)?;
    let (id, port) = (number(id, "mirror_id")?, number(port, "egress_port")?);
    mirror(work, id, vec![Replica { port, rid: 0 }])
}

pub(crate) fn mirroring_add_mc(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id, group] = exactly(args)?;
    let (id, group) = (number(id, "mirror_id")?, number(group, "mgrp")?);
    let replicas = work.group(group)?.replicas;
    mirror(work, id, replicas)
}

pub(crate) fn mirroring_delete(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id = number(id, "mirror_id")?;
    let missing = |_| Failure::Operation("mirroring", "SESSION_NOT_FOUND");
    work.switch.clone_session_delete(id).map_err(missing)?;
    Ok(None)
}

pub(crate) fn mirroring_get(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id: u32 = number(id, "mirror_id")?;
    let session = work.switch.clone_sessions().into_iter().find(|session| session.id == id);
    let session = session.ok_or(Failure::Operation("mirroring", "SESSION_NOT_FOUND"))?;
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
