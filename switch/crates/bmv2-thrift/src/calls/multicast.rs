//! Multicast groups and their nodes, and mirroring sessions.

use bmv2_runtime::{Code, Kind, Mirror, Refusal, Runtime};
use serde_json::json;

use super::{Call, without_name};
use crate::arguments::handle;
use crate::fault::Fault;
use crate::value::{Fields, Value, text};

pub(super) const CALLS: &[Call] = &[
    without_name(Kind::Multicast, "bm_mc_mgrp_create", |runtime, given| {
        let id = group(given)?;
        runtime.create_multicast_group(id)?;
        // A group's handle is its number.
        Ok(Value::I32(id.into()))
    }),
    without_name(Kind::Multicast, "bm_mc_mgrp_destroy", |runtime, given| {
        runtime.destroy_multicast_group(group(given)?)?;
        Ok(Value::Void)
    }),
    without_name(Kind::Multicast, "bm_mc_node_create", |runtime, given| {
        let rid = given.u16(2, Kind::Multicast, "the replication id")?;
        let ports = ports(given, 3)?;
        Ok(Value::I32(runtime.create_multicast_node(rid, ports).cast_signed()))
    }),
    without_name(Kind::Multicast, "bm_mc_node_associate", |runtime, given| {
        runtime.associate_multicast_node(group(given)?, handle(given.i32(3)?))?;
        Ok(Value::Void)
    }),
    without_name(Kind::Multicast, "bm_mc_node_dissociate", |runtime, given| {
        runtime.dissociate_multicast_node(group(given)?, handle(given.i32(3)?))?;
        Ok(Value::Void)
    }),
    without_name(Kind::Multicast, "bm_mc_node_destroy", |runtime, given| {
        runtime.destroy_multicast_node(handle(given.i32(2)?))?;
        Ok(Value::Void)
    }),
    without_name(Kind::Multicast, "bm_mc_node_update", |runtime, given| {
        let ports = ports(given, 3)?;
        runtime.update_multicast_node(handle(given.i32(2)?), ports)?;
        Ok(Value::Void)
    }),
    without_name(Kind::Multicast, "bm_mc_set_lag_membership", |_, _| Err(no_lags().into())),
    without_name(Kind::Multicast, "bm_mc_get_entries", |runtime, _| Ok(text(entries(runtime)))),
];

pub(super) const MIRRORING_CALLS: &[Call] = &[
    without_name(Kind::Mirroring, "mirroring_mapping_add", |runtime, given| {
        let port = given.u16(2, Kind::Mirroring, "the egress port")?;
        runtime.set_mirror(handle(given.i32(1)?), Mirror { port: Some(port), group: None })?;
        Ok(Value::I32(0))
    }),
    without_name(Kind::Mirroring, "mirroring_mapping_delete", |runtime, given| {
        Ok(Value::I32(if runtime.delete_mirror(handle(given.i32(1)?)).is_ok() { 0 } else { NO_SESSION }))
    }),
    without_name(Kind::Mirroring, "mirroring_mapping_get_egress_port", |runtime, given| {
        let port = runtime.mirror(handle(given.i32(1)?)).ok().and_then(|(mirror, _)| mirror.port);
        Ok(Value::I32(port.map_or(NO_SESSION, i32::from)))
    }),
    without_name(Kind::Mirroring, "mirroring_session_add", |runtime, given| {
        let config = given.fields(2)?;
        let number = |field, what| config.get(field).map(|_| config.u16(field, Kind::Mirroring, what)).transpose();
        let mirror = Mirror { port: number(1, "the port")?, group: number(2, "the multicast group")? };
        runtime.set_mirror(handle(given.i32(1)?), mirror)?;
        Ok(Value::Void)
    }),
    without_name(Kind::Mirroring, "mirroring_session_delete", |runtime, given| {
        runtime.delete_mirror(handle(given.i32(1)?))?;
        Ok(Value::Void)
    }),
    without_name(Kind::Mirroring, "mirroring_session_get", |runtime, given| {
        let (Mirror { port, group }, _) = runtime.mirror(handle(given.i32(1)?))?;
        let mut config = Fields::default();
        for (number, value) in [(1, port), (2, group)] {
            if let Some(value) = value {
                config.set(number, Value::I32(value.into()));
            }
        }
        Ok(config.into())
    }),
];

/// The answer of the older calls for a session that is not there.
const NO_SESSION: i32 = -1;

fn group(given: &Fields) -> Result<u16, Fault> {
    given.u16(2, Kind::Multicast, "the multicast group")
}

fn no_lags() -> Refusal {
    Refusal::explained(Kind::Multicast, Code::Error, "there are no link aggregation groups here; name the ports")
}

/// A digit for each port, the last one is port 0; the field behind has one for each link aggregation group.
fn ports(given: &Fields, number: i16) -> Result<Vec<u16>, Fault> {
    let set = |number| -> Result<Vec<u16>, Fault> {
        let digits = given.bytes(number)?;
        let wrong = "a port map has a digit 0 or 1 for each port, 65536 at most";
        if digits.len() > usize::from(u16::MAX) + 1 || digits.iter().any(|digit| !matches!(digit, b'0' | b'1')) {
            return Err(Refusal::explained(Kind::Multicast, Code::Error, wrong).into());
        }
        Ok((0..=u16::MAX).zip(digits.iter().rev()).filter(|(_, digit)| **digit == b'1').map(|(port, _)| port).collect())
    };
    if given.get(number + 1).is_some() && !set(number + 1)?.is_empty() {
        return Err(no_lags().into());
    }
    set(number)
}

/// All groups and nodes as JSON. Copies that P4Runtime asked for belong to no node, and are not in it.
fn entries(runtime: &Runtime<'_>) -> String {
    let nodes: Vec<_> = runtime.multicast_nodes().collect();
    let groups = runtime.switch.multicast_groups();
    let group = |id: u16| {
        let own = nodes.iter().filter(|(_, node)| node.group == Some(id));
        json!({"id": id, "l1_handles": own.map(|(handle, _)| *handle).collect::<Vec<_>>()})
    };
    let first = nodes.iter().map(|(handle, node)| json!({"handle": handle, "rid": node.rid, "l2_handle": handle}));
    let second = nodes.iter().map(|(handle, node)| json!({"handle": handle, "ports": node.ports, "lags": []}));
    json!({
        "mgrps": groups.iter().map(|one| group(one.id)).collect::<Vec<_>>(),
        "l1_handles": first.collect::<Vec<_>>(),
        "l2_handles": second.collect::<Vec<_>>(),
        "lags": [],
    })
    .to_string()
}
