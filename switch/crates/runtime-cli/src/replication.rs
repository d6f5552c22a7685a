//! Multicast groups, their nodes, and mirroring sessions.

use bmv2_runtime::Mirror;
use num_traits::ToPrimitive;

use crate::Command;
use crate::arguments::{Position, at_least, exactly, number, position};
use crate::commands::Done;
use crate::failure::{Failure, only_reason, usage};
use crate::integer::decimal;

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
    work.runtime.create_multicast_group(id)?;
    Ok(None)
}

pub(crate) fn mgrp_destroy(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let id = group_id(id)?;
    work.print(format!("Destroying multicast group {id}"));
    work.runtime.destroy_multicast_group(id)?;
    Ok(None)
}

pub(crate) fn node_create(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let rid = short(args[0], "rid")?;
    let ports = ports(&args[1..])?;
    work.print(format!("Creating node with rid {rid} , port map {} and lag map ", port_map(&ports)));
    let handle = work.runtime.create_multicast_node(rid, ports);
    work.print(format!("node was created with handle {handle}"));
    Ok(None)
}

pub(crate) fn node_update(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let position = node_handle(args[0])?;
    let ports = ports(&args[1..])?;
    work.print(format!("Updating node {} with port map {} and lag map ", position.shown, port_map(&ports)));
    work.runtime.update_multicast_node(position.id(), ports)?;
    Ok(None)
}

pub(crate) fn node_associate(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [group, handle] = exactly(args)?;
    let (group, position) = (group_id(group)?, node_handle(handle)?);
    work.print(format!("Associating node {} to multicast group {group}", position.shown));
    work.runtime.associate_multicast_node(group, position.id())?;
    Ok(None)
}

pub(crate) fn node_dissociate(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [group, handle] = exactly(args)?;
    let (group, position) = (group_id(group)?, node_handle(handle)?);
    work.print(format!("Dissociating node {} from multicast group {group}", position.shown));
    work.runtime.dissociate_multicast_node(group, position.id())?;
    Ok(None)
}

pub(crate) fn node_destroy(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [handle] = exactly(args)?;
    let position = node_handle(handle)?;
    work.print(format!("Destroying node {}", position.shown));
    work.runtime.destroy_multicast_node(position.id())?;
    Ok(None)
}

pub(crate) fn dump(work: &mut Command<'_>, _: &[&str]) -> Done {
    let joined = |ports: &[u16]| ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    work.print("==========");
    work.print("MC ENTRIES");
    for group in work.runtime.switch.multicast_groups() {
        work.print("**********");
        work.print(format!("mgrp({})", group.id));
        let nodes = work.runtime.multicast_nodes().filter(|(_, node)| node.group == Some(group.id));
        let mut lines: Vec<String> = nodes
            .map(|(handle, node)| {
                format!("  -> (L1h={handle}, rid={}) -> (ports=[{}], lags=[])", node.rid, joined(&node.ports))
            })
            .collect();
        // Copies that P4Runtime asked for belong to no node.
        let others = work.runtime.replicas_without_node(&group).into_iter();
        lines.extend(others.map(|copy| format!("  -> (L1h=-, rid={}) -> (ports=[{}], lags=[])", copy.rid, copy.port)));
        lines.into_iter().for_each(|line| work.print(line));
    }
    work.print("==========");
    work.print("LAGS");
    work.print("==========");
    Ok(None)
}

pub(crate) fn mirroring_add(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id, port] = exactly(args)?;
    let mirror = Mirror { port: Some(number(port, "egress_port")?), group: None };
    set_mirror(work, id, mirror)
}

pub(crate) fn mirroring_add_mc(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id, group] = exactly(args)?;
    let mirror = Mirror { port: None, group: Some(number(group, "mgrp")?) };
    set_mirror(work, id, mirror)
}

fn set_mirror(work: &mut Command<'_>, id: &str, mirror: Mirror) -> Done {
    work.runtime.set_mirror(session_id(id)?, mirror).map_err(only_reason)?;
    Ok(None)
}

pub(crate) fn mirroring_delete(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    work.runtime.delete_mirror(session_id(id)?)?;
    Ok(None)
}

pub(crate) fn mirroring_get(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [id] = exactly(args)?;
    let (mirror, ports) = work.runtime.mirror(session_id(id)?)?;
    let shown = |number: Option<u16>| number.map_or_else(|| "None".to_owned(), |number| number.to_string());
    work.print(match mirror {
        Mirror { port: None, group: None } => {
            let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
            format!("MirroringSessionConfig(port=None, ports=[{}])", ports.join(", "))
        }
        Mirror { port, group } => format!("MirroringSessionConfig(port={}, mgid={})", shown(port), shown(group)),
    });
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
