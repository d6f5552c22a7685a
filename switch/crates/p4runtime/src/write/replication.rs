//! Multicast groups and clone sessions.

use std::collections::HashSet;

use p4runtime_proto::runtime::{self, packet_replication_engine_entry::Type as Kind, replica::PortKind, update::Type};
use v1model::{CloneSession, MulticastGroup, Replica};

use super::Step;
use crate::entity::read_port;
use crate::extras::PortHolder;
use crate::failure::{Failure, Outcome};
use crate::status::control_failure;

/// BMv2 has eight priorities; the class of service of a clone is one of them.
const MAX_CLASS_OF_SERVICE: u32 = 7;
/// Session ids a program can name (`clone()` takes 32 bits, BMv2 knows 2^15).
const MAX_SESSION: u32 = 0x7fff;

pub(super) fn plan(kind: Type, entry: runtime::PacketReplicationEngineEntry) -> Outcome<Step> {
    match entry.r#type {
        Some(Kind::MulticastGroupEntry(group)) => {
            let id = group.multicast_group_id;
            plan_multicast(kind, group).map_err(|f| f.within(format_args!("multicast group {id}")))
        }
        Some(Kind::CloneSessionEntry(session)) => {
            let id = session.session_id;
            plan_clone(kind, session).map_err(|f| f.within(format_args!("clone session {id}")))
        }
        None => Err(Failure::invalid("the packet replication engine entry has no type")),
    }
}

fn plan_multicast(kind: Type, group: runtime::MulticastGroupEntry) -> Outcome<Step> {
    let id = u16::try_from(group.multicast_group_id)
        .ok()
        .filter(|id| *id != 0)
        .ok_or_else(|| Failure::invalid("the id must be between 1 and 65535"))?;
    let as_numbers = gives_port_numbers(&group.replicas);
    let holder = PortHolder::Multicast(id);
    if kind == Type::Delete {
        return Ok(Box::new(move |context| {
            context.switch.multicast_delete(id).map_err(control_failure)?;
            context.extras.note_ports(holder, false);
            Ok(())
        }));
    }
    let (replicas, backups) = read_replicas(&group.replicas)?;
    let group = MulticastGroup { id, replicas, backups, metadata: group.metadata.to_vec() };
    Ok(Box::new(move |context| {
        let done = match kind {
            Type::Insert => context.switch.multicast_insert(group),
            _ => context.switch.multicast_modify(group),
        };
        done.map_err(control_failure)?;
        context.extras.note_ports(holder, as_numbers);
        Ok(())
    }))
}

fn plan_clone(kind: Type, session: runtime::CloneSessionEntry) -> Outcome<Step> {
    let id = session.session_id;
    if id == 0 || id > MAX_SESSION {
        return Err(Failure::invalid(format!("the id must be between 1 and {MAX_SESSION}")));
    }
    let as_numbers = gives_port_numbers(&session.replicas);
    let holder = PortHolder::Clone(id);
    if kind == Type::Delete {
        return Ok(Box::new(move |context| {
            context.switch.clone_session_delete(id).map_err(control_failure)?;
            context.extras.note_ports(holder, false);
            Ok(())
        }));
    }
    let class_of_service = u8::try_from(session.class_of_service)
        .ok()
        .filter(|class| u32::from(*class) <= MAX_CLASS_OF_SERVICE)
        .ok_or_else(|| Failure::invalid(format!("class_of_service must be between 0 and {MAX_CLASS_OF_SERVICE}")))?;
    let max_length =
        u32::try_from(session.packet_length_bytes).map_err(|_| Failure::invalid("packet_length_bytes is negative"))?;
    let (replicas, backups) = read_replicas(&session.replicas)?;
    let session = CloneSession { id, replicas, backups, class_of_service, max_length };
    Ok(Box::new(move |context| {
        let done = match kind {
            Type::Insert => context.switch.clone_session_insert(session),
            _ => context.switch.clone_session_modify(session),
        };
        done.map_err(control_failure)?;
        context.extras.note_ports(holder, as_numbers);
        Ok(())
    }))
}

/// Whether ports are in the field of old versions of P4Runtime.
#[allow(deprecated)]
fn gives_port_numbers(replicas: &[runtime::Replica]) -> bool {
    replicas.iter().any(|replica| matches!(replica.port_kind, Some(PortKind::EgressPort(_))))
}

/// Replicas, and the backups of each.
type Replicas = (Vec<Replica>, Vec<Vec<Replica>>);

#[allow(deprecated)]
fn read_replicas(given: &[runtime::Replica]) -> Outcome<Replicas> {
    let mut seen = HashSet::new();
    let mut replicas = Vec::with_capacity(given.len());
    let mut backups = Vec::new();
    for replica in given {
        let port = match &replica.port_kind {
            Some(PortKind::Port(port)) => read_port(port)?,
            Some(PortKind::EgressPort(port)) => read_port(&port.to_be_bytes())?,
            None => return Err(Failure::invalid("a replica has no port")),
        };
        replicas.push(read_replica(port, replica.instance, &mut seen)?);
        let mut own = Vec::with_capacity(replica.backup_replicas.len());
        for backup in &replica.backup_replicas {
            let backup = read_replica(read_port(&backup.port)?, backup.instance, &mut seen)?;
            if backup.port == port {
                return Err(Failure::invalid(format!("a replica and one of its backups have the same port {port}")));
            }
            own.push(backup);
        }
        backups.push(own);
    }
    if backups.iter().all(Vec::is_empty) {
        backups.clear();
    }
    Ok((replicas, backups))
}

fn read_replica(port: u16, instance: u32, seen: &mut HashSet<Replica>) -> Outcome<Replica> {
    let rid = u16::try_from(instance).map_err(|_| Failure::invalid(format!("instance {instance} is above 65535")))?;
    let replica = Replica { port, rid };
    if !seen.insert(replica) {
        return Err(Failure::invalid(format!("port {port} with instance {rid} is given twice")));
    }
    Ok(replica)
}
