//! Answering requests: one line in, one line out.

use serde::Serialize;
use serde_json::{Value, json};
use v1model::{
    ActionCall, ActionSpec, CloneSession, ControlError, CounterValue, GroupMember, KeyMatch, MeterConfig,
    MulticastGroup, ProfileGroup, ProfileMember, QueueInfo, Replica, TableEntry, TableId, ValueSetMember,
};

pub use crate::hex::{from_hex, to_hex};
use crate::protocol::{EntryRequest, MatchRequest, Number, QueueRequest, Request, TargetRequest};
use crate::simulator::Simulator;

/// Largest number that every JSON reader keeps exactly.
const EXACT_IN_JSON: u64 = 1 << 53;

/// A frame that came out.
#[derive(Debug, Serialize)]
struct SentPacket {
    port: u16,
    data: String,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Not a request.
    #[error("not a request: {0}")]
    Json(#[from] serde_json::Error),
    /// Not hexadecimal digits.
    #[error("\"{0}\" is not hexadecimal")]
    Hex(String),
    /// Not a number.
    #[error("\"{0}\" is not a number")]
    Number(String),
    /// Nothing of that name.
    #[error("there is no {0} \"{1}\"")]
    Unknown(&'static str, String),
    /// Something is missing.
    #[error("{0}")]
    Missing(&'static str),
    /// Not a trace filter.
    #[error(transparent)]
    Filter(#[from] v1model::FilterError),
    /// The switch refused.
    #[error(transparent)]
    Control(#[from] ControlError),
}

/// A number as JSON: a string if it is too large for one.
fn number(bytes: &[u8]) -> Value {
    if bytes.iter().rev().skip(16).any(|b| *b != 0) {
        return json!(format!("0x{}", to_hex(bytes)));
    }
    let value = bytes.iter().fold(0u128, |v, b| v << 8 | u128::from(*b));
    match u64::try_from(value) {
        Ok(small) if small <= EXACT_IN_JSON => json!(small),
        _ => json!(value.to_string()),
    }
}

impl Number {
    fn bytes(&self) -> Result<Vec<u8>, RequestError> {
        match self {
            Number::Small(value) => Ok(value.to_be_bytes().to_vec()),
            Number::Text(text) if text.starts_with("0x") => from_hex(text),
            Number::Text(text) => {
                let value: u128 = text.parse().map_err(|_| RequestError::Number(text.clone()))?;
                Ok(value.to_be_bytes().to_vec())
            }
        }
    }
}

/// The queue that a packet finds, without times.
fn info_of(queue: QueueRequest) -> QueueInfo {
    QueueInfo {
        enq_time_ns: 0,
        enq_qdepth: queue.enq_qdepth,
        deq_timedelta_ns: queue.deq_timedelta_us.saturating_mul(1_000),
        deq_qdepth: queue.deq_qdepth,
        queue_bytes: queue.queue_bytes,
        port_packets: queue.port_packets,
        port_bytes: queue.port_bytes,
    }
}

/// Answers one request line.
pub fn answer(simulator: &mut Simulator, line: &str) -> String {
    let answer = serde_json::from_str(line).map_err(RequestError::from).and_then(|request| handle(simulator, request));
    answer.unwrap_or_else(|error| json!({"error": error.to_string()})).to_string()
}

fn handle(simulator: &mut Simulator, request: Request) -> Result<Value, RequestError> {
    let switch = &mut simulator.switch;
    match request {
        Request::Packet { port, data, time_us, queue } => {
            let frame = from_hex(&data)?;
            let mut packets = Vec::new();
            simulator.send_through(port, &frame, time_us.saturating_mul(1_000), info_of(queue), |port, data| {
                packets.push(SentPacket { port, data: to_hex(data) });
            });
            let trace = simulator.switch.take_trace();
            if trace.is_empty() {
                return Ok(json!({"packets": packets}));
            }
            let trace = trace.iter().map(traced).collect::<Result<Vec<_>, _>>()?;
            return Ok(json!({"packets": packets, "trace": trace}));
        }
        Request::Arrive { port, data, time_us } => {
            let held = simulator.arrive(port, &from_hex(&data)?, time_us.saturating_mul(1_000));
            let held = held.iter().map(|one| json!({"packet": one.number, "port": one.port, "queue": one.place.queue, "rank": number(&one.place.rank.to_be_bytes())}));
            return Ok(json!({"held": held.collect::<Vec<_>>()}));
        }
        Request::Leave { packet, time_us, queue } => {
            let sent = simulator.leave(packet, time_us.saturating_mul(1_000), info_of(queue));
            let sent = sent.ok_or_else(|| RequestError::Unknown("waiting packet", packet.to_string()))?;
            let packets = sent.iter().map(|one| SentPacket { port: one.port, data: to_hex(&one.data) });
            return Ok(json!({"packets": packets.collect::<Vec<_>>()}));
        }
        Request::TableAdd(entry) => {
            let (table, entry) = entry_of(simulator, entry)?;
            simulator.switch.table_insert(table, entry, 0)?;
        }
        Request::TableModify(entry) => {
            let (table, entry) = entry_of(simulator, entry)?;
            simulator.switch.table_modify(table, entry, 0)?;
        }
        Request::TableDelete { table, r#match, priority } => {
            let table = table_id(simulator, &table)?;
            simulator.switch.table_delete(table, &key_of(r#match)?, priority)?;
        }
        Request::TableClear { table } => {
            let table = table_id(simulator, &table)?;
            simulator.switch.table_clear(table)?;
        }
        Request::TableDefault { table, target } => {
            let table = table_id(simulator, &table)?;
            let action = target_of(simulator, table, target)?;
            simulator.switch.table_set_default(table, action)?;
        }
        Request::TableDump { table } => {
            let table = table_id(simulator, &table)?;
            let entries = simulator.switch.table_entries(table)?;
            let entries: Vec<String> = entries.iter().map(|e| format!("{:?}", e.entry)).collect();
            return Ok(json!({"entries": entries}));
        }
        Request::CloneSession { session, port, ports, max_length } => {
            let replicas = port.iter().chain(&ports).map(|port| Replica { port: *port, rid: 0 }).collect();
            let _ = switch.clone_session_delete(session);
            switch.clone_session_insert(CloneSession {
                id: session,
                replicas,
                backups: Vec::new(),
                class_of_service: 0,
                max_length,
            })?;
        }
        Request::Multicast { group, ports, replicas } => {
            let replicas = ports.iter().map(|port| (*port, 0)).chain(replicas);
            let replicas = replicas.map(|(port, rid)| Replica { port, rid }).collect();
            let _ = switch.multicast_delete(group);
            switch.multicast_insert(MulticastGroup {
                id: group,
                replicas,
                backups: Vec::new(),
                metadata: Vec::new(),
            })?;
        }
        Request::RegisterRead { register, index } => {
            let id = switch.register_id(&register).ok_or(RequestError::Unknown("register", register))?;
            return Ok(json!({"value": number(&switch.register_read(id, index)?)}));
        }
        Request::RegisterDump { register, start, count } => {
            let id = switch.register_id(&register).ok_or(RequestError::Unknown("register", register))?;
            let size = switch.program().and_then(|p| p.registers().get(id.0 as usize)).map_or(0, |r| r.size);
            let end = start.saturating_add(count.unwrap_or(size)).min(size);
            let cells = (start..end).map(|index| switch.register_read(id, index).map(|cell| number(&cell)));
            return Ok(json!({"values": cells.collect::<Result<Vec<_>, _>>()?}));
        }
        Request::RegisterWrite { register, index, value } => {
            let id = switch.register_id(&register).ok_or(RequestError::Unknown("register", register))?;
            switch.register_write(id, index, &value.bytes()?)?;
        }
        Request::CounterRead { counter, index, table, r#match, priority } => {
            let CounterValue { packets, bytes } = match (counter, table) {
                (Some(counter), _) => {
                    let id = switch.counter_id(&counter).ok_or(RequestError::Unknown("counter", counter))?;
                    switch.counter_read(id, index)?
                }
                (None, Some(table)) => {
                    let table = table_id(simulator, &table)?;
                    let key = r#match.map(key_of).transpose()?;
                    simulator.switch.direct_counter_read(table, key.as_deref().map(|key| (key, priority)))?
                }
                (None, None) => {
                    return Err(RequestError::Missing("counter_read needs \"counter\" or \"table\""));
                }
            };
            return Ok(json!({"packets": packets, "bytes": bytes}));
        }
        Request::MeterWrite { meter, index, table, r#match, priority, rates } => {
            let config = rates.map(|(cir, cburst, pir, pburst)| MeterConfig { cir, cburst, pir, pburst, eburst: 0 });
            match (meter, table) {
                (Some(meter), _) => {
                    let id = switch.meter_id(&meter).ok_or(RequestError::Unknown("meter", meter))?;
                    switch.meter_write(id, index, config, 0)?;
                }
                (None, Some(table)) => {
                    let table = table_id(simulator, &table)?;
                    let key = key_of(r#match)?;
                    simulator.switch.direct_meter_write(table, Some((&key, priority)), config, 0)?;
                }
                (None, None) => {
                    return Err(RequestError::Missing("meter_write needs \"meter\" or \"table\""));
                }
            }
        }
        Request::MemberAdd { profile, member, action, params } => {
            let id = switch.action_profile_id(&profile).ok_or(RequestError::Unknown("action profile", profile))?;
            let table = switch.program().and_then(|p| p.action_profiles().get(id.0 as usize)?.tables.first().copied());
            let table = table.ok_or(RequestError::Missing("no table uses this action profile"))?;
            let call = call_of(simulator, table, action, &params)?;
            simulator.switch.member_insert(id, ProfileMember { id: member, call })?;
        }
        Request::GroupAdd { profile, group, members } => {
            let id = switch.action_profile_id(&profile).ok_or(RequestError::Unknown("action profile", profile))?;
            let members = members.into_iter().map(|member| GroupMember { member, weight: 1, watch_port: None });
            switch.group_insert(id, ProfileGroup { id: group, max_size: 0, members: members.collect() })?;
        }
        Request::ValueSet { value_set, members } => {
            let id = switch.value_set_id(&value_set).ok_or(RequestError::Unknown("value set", value_set))?;
            let members =
                members.iter().map(|m| Ok(ValueSetMember { value: from_hex(m)?, mask: None, ranges: Vec::new() }));
            switch.value_set_write(id, members.collect::<Result<_, RequestError>>()?)?;
        }
        Request::Digests {} => {
            let digests = switch.take_digests();
            let digests: Vec<Value> = digests
                .iter()
                .map(|d| json!({"name": &*d.name, "fields": d.fields.iter().map(|(f, _)| to_hex(f)).collect::<Vec<_>>()}))
                .collect();
            return Ok(json!({"digests": digests}));
        }
        Request::Stats {} => {
            let stats = switch.stats();
            return Ok(json!({
                "received": stats.received,
                "sent": stats.sent,
                "ingress_drops": stats.ingress_drops,
                "egress_drops": stats.egress_drops,
                "parser_errors": stats.parser_errors,
                "assertion_failures": stats.assertion_failures,
            }));
        }
        Request::Trace { filter } if filter == "off" => switch.trace_off(),
        Request::Trace { filter } => switch.trace_on(filter.parse()?),
        Request::Reset {} => simulator.reset(),
    }
    Ok(json!({}))
}

/// An event of a trace, with the same as text.
fn traced(event: &v1model::TraceEvent) -> Result<Value, RequestError> {
    let mut value = serde_json::to_value(event)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("text".to_owned(), json!(event.to_string()));
    }
    Ok(value)
}

/// A table by its name, or by the end of its name if only one ends so.
fn table_id(simulator: &Simulator, name: &str) -> Result<TableId, RequestError> {
    let unknown = || RequestError::Unknown("table", name.to_owned());
    if let Some(id) = simulator.switch.table_id(name) {
        return Ok(id);
    }
    let suffix = format!(".{name}");
    let program = simulator.switch.program().ok_or_else(unknown)?;
    let mut found = program.tables().iter().filter(|t| t.name.ends_with(&suffix));
    match (found.next(), found.next()) {
        (Some(table), None) => Ok(table.id),
        _ => Err(unknown()),
    }
}

fn call_of(simulator: &Simulator, table: TableId, name: String, params: &[String]) -> Result<ActionCall, RequestError> {
    let program = simulator.switch.program().ok_or(ControlError::NoProgram)?;
    let suffix = format!(".{name}");
    let actions = program.tables().get(table.0 as usize).map_or(&[][..], |t| &t.actions);
    let named = |matches: &dyn Fn(&str) -> bool| {
        actions.iter().copied().find(|id| program.actions().get(id.0 as usize).is_some_and(|a| matches(&a.name)))
    };
    let action = named(&|n| n == name).or_else(|| named(&|n| n.ends_with(&suffix)));
    let action = action.ok_or(RequestError::Unknown("action", name))?;
    let params = params.iter().map(|p| from_hex(p)).collect::<Result<_, _>>()?;
    Ok(ActionCall { action, params })
}

fn target_of(simulator: &Simulator, table: TableId, target: TargetRequest) -> Result<ActionSpec, RequestError> {
    match (target.action, target.member, target.group) {
        (Some(action), _, _) => Ok(ActionSpec::Call(call_of(simulator, table, action, &target.params)?)),
        (None, Some(member), _) => Ok(ActionSpec::Member(member)),
        (None, None, Some(group)) => Ok(ActionSpec::Group(group)),
        (None, None, None) => Err(RequestError::Missing("expected \"action\", \"member\" or \"group\"")),
    }
}

fn key_of(key: Vec<MatchRequest>) -> Result<Vec<KeyMatch>, RequestError> {
    let field = |field| {
        Ok(match field {
            MatchRequest::Exact(value) => KeyMatch::Exact(from_hex(&value)?),
            MatchRequest::Lpm(value, prefix_len) => KeyMatch::Lpm { value: from_hex(&value)?, prefix_len },
            MatchRequest::Ternary(value, mask) => {
                KeyMatch::Ternary { value: from_hex(&value)?, mask: from_hex(&mask)? }
            }
            MatchRequest::Range(low, high) => KeyMatch::Range { low: from_hex(&low)?, high: from_hex(&high)? },
            MatchRequest::Optional(value) => KeyMatch::Optional(value.map(|v| from_hex(&v)).transpose()?),
            MatchRequest::Valid(valid) => KeyMatch::Valid(valid),
        })
    };
    key.into_iter().map(field).collect()
}

fn entry_of(simulator: &Simulator, entry: EntryRequest) -> Result<(TableId, TableEntry), RequestError> {
    let table = table_id(simulator, &entry.table)?;
    let entry = TableEntry {
        key: key_of(entry.r#match)?,
        priority: entry.priority,
        action: target_of(simulator, table, entry.target)?,
        idle_timeout_ns: entry.idle_timeout_us.saturating_mul(1_000),
        metadata: Vec::new(),
    };
    Ok((table, entry))
}
