//! From a read request to queries.

use p4runtime_proto::runtime::{self, entity::Entity, packet_replication_engine_entry::Type as Replication};

use super::{EntryFilter, Query, Want};
use crate::entity::unknown;
use crate::failure::{Failure, Outcome};
use crate::role::Access;
use crate::schema::{Schema, TableSchema};
use crate::write::arrays::{cells, read_index};
use crate::write::table::direct_target;

/// Cells of an array that are copied in one go; more would hold up packets.
const CELLS_AT_ONCE: usize = 1024;

/// Turns one element of a read request into queries. Objects outside the role are left out.
///
/// # Errors
/// A fault of the request.
pub fn plan(schema: &Schema, access: &Access, request: &runtime::Entity) -> Outcome<Vec<Query>> {
    let mut queries = match &request.entity {
        None => return Err(Failure::invalid("the entity is not set: name the kind of entity to read")),
        Some(Entity::TableEntry(entry)) => tables(schema, entry)?,
        Some(Entity::DirectCounterEntry(entry)) => {
            direct(schema, entry.table_entry.as_ref(), Want::Counter, |table| table.has_counter)?
        }
        Some(Entity::DirectMeterEntry(entry)) => {
            let want = Want::Meter { counts: entry.counter_data.is_some() };
            direct(schema, entry.table_entry.as_ref(), want, |table| table.meter.is_some())?
        }
        Some(Entity::ActionProfileMember(member)) => {
            let only = (member.member_id != 0).then_some(member.member_id);
            let found = select(&schema.profiles, member.action_profile_id, "action profile")?;
            found.map(|(id, profile)| Query::Members { id, slot: profile.slot, only }).collect()
        }
        Some(Entity::ActionProfileGroup(group)) => {
            let only = (group.group_id != 0).then_some(group.group_id);
            let found = select(&schema.profiles, group.action_profile_id, "action profile")?;
            let selectors = found.filter(|(_, profile)| profile.selector);
            selectors.map(|(id, profile)| Query::Groups { id, slot: profile.slot, only }).collect()
        }
        Some(Entity::CounterEntry(entry)) => {
            let mut queries = Vec::new();
            for (id, counter) in select(&schema.counters, entry.counter_id, "counter")? {
                let index = (entry.counter_id != 0).then_some(entry.index.as_ref()).flatten();
                let cells = cells(read_index(index, counter.size, &counter.name)?, counter.size);
                queries.extend(pieces(cells).map(|cells| Query::Counter { id, slot: counter.slot, cells }));
            }
            queries
        }
        Some(Entity::MeterEntry(entry)) => {
            let counts = entry.counter_data.is_some();
            let mut queries = Vec::new();
            for (id, meter) in select(&schema.meters, entry.meter_id, "meter")? {
                let index = (entry.meter_id != 0).then_some(entry.index.as_ref()).flatten();
                let cells = cells(read_index(index, meter.size, &meter.name)?, meter.size);
                queries.extend(pieces(cells).map(|cells| Query::Meter { id, slot: meter.slot, cells, counts }));
            }
            queries
        }
        Some(Entity::RegisterEntry(entry)) => {
            let mut queries = Vec::new();
            for (id, register) in select(&schema.registers, entry.register_id, "register")? {
                let index = (entry.register_id != 0).then_some(entry.index.as_ref()).flatten();
                let cells = cells(read_index(index, register.size, &register.name)?, register.size);
                queries.extend(pieces(cells).map(|cells| Query::Register { id, slot: register.slot, cells }));
            }
            queries
        }
        Some(Entity::PacketReplicationEngineEntry(entry)) => match &entry.r#type {
            None => vec![Query::Multicast { only: None }, Query::Clones { only: None }],
            Some(Replication::MulticastGroupEntry(group)) => {
                vec![Query::Multicast { only: (group.multicast_group_id != 0).then_some(group.multicast_group_id) }]
            }
            Some(Replication::CloneSessionEntry(session)) => {
                vec![Query::Clones { only: (session.session_id != 0).then_some(session.session_id) }]
            }
        },
        Some(Entity::ValueSetEntry(entry)) => {
            if !entry.members.is_empty() {
                return Err(Failure::invalid("members must not be set in a read"));
            }
            let found = select(&schema.value_sets, entry.value_set_id, "value set")?;
            found.map(|(id, set)| Query::ValueSet { id, slot: set.slot }).collect()
        }
        Some(Entity::DigestEntry(entry)) => {
            select(&schema.digests, entry.digest_id, "digest")?.map(|(id, _)| Query::Digest { id }).collect()
        }
        // There are no extern instances beyond the above: a wildcard finds none.
        Some(Entity::ExternEntry(entry)) if entry.extern_type_id == 0 => Vec::new(),
        Some(Entity::ExternEntry(_)) => return Err(Failure::unimplemented("v1model has no other externs")),
    };
    queries.retain(|query| access.covers(query.object_id()));
    Ok(queries)
}

impl Query {
    fn object_id(&self) -> Option<u32> {
        match self {
            Query::Entries { id, .. }
            | Query::Default { id, .. }
            | Query::Members { id, .. }
            | Query::Groups { id, .. }
            | Query::Counter { id, .. }
            | Query::Meter { id, .. }
            | Query::Register { id, .. }
            | Query::ValueSet { id, .. }
            | Query::Digest { id } => Some(*id),
            Query::Multicast { .. } | Query::Clones { .. } => None,
        }
    }
}

/// The object with this id, or all if it is 0.
fn select<'a, T>(
    objects: &'a std::collections::BTreeMap<u32, T>,
    id: u32,
    what: &str,
) -> Outcome<impl Iterator<Item = (u32, &'a T)> + use<'a, T>> {
    if id != 0 && !objects.contains_key(&id) {
        return Err(unknown(what, id));
    }
    Ok(objects.iter().filter(move |(key, _)| id == 0 || **key == id).map(|(key, object)| (*key, object)))
}

fn pieces(cells: std::ops::Range<usize>) -> impl Iterator<Item = std::ops::Range<usize>> {
    let end = cells.end;
    cells.step_by(CELLS_AT_ONCE).map(move |start| start..(start + CELLS_AT_ONCE).min(end))
}

fn tables(schema: &Schema, entry: &runtime::TableEntry) -> Outcome<Vec<Query>> {
    let want = Want::Entry {
        counter: entry.counter_data.is_some(),
        meter: entry.meter_config.is_some(),
        meter_counts: entry.meter_counter_data.is_some(),
        idle: entry.time_since_last_hit.is_some(),
    };
    let query = |table: &TableSchema, filter: EntryFilter, want: Want| match entry.is_default_action {
        true => Query::Default { id: table.id, slot: table.slot, want },
        false => Query::Entries { id: table.id, slot: table.slot, filter, want },
    };
    if entry.table_id == 0 {
        let all = schema.tables.values();
        return Ok(all.map(|table| query(table, plain_filter(table, entry), want)).collect());
    }
    let table = schema.table(entry.table_id)?;
    let within = |failure: Failure| failure.within(format_args!("table \"{}\"", table.name));
    if entry.is_default_action && (!entry.r#match.is_empty() || entry.priority != 0) {
        return Err(within(Failure::invalid("the default entry has no match and no priority")));
    }
    let idle = entry.time_since_last_hit.is_some() || entry.idle_timeout_ns != 0;
    if idle && (entry.is_default_action || !table.idle_timeout) {
        return Err(within(Failure::invalid("there are no idle time-outs here")));
    }
    let mut filter = plain_filter(table, entry);
    if !entry.r#match.is_empty() {
        filter.key = Some(schema.read_match(&table.fields, &entry.r#match).map_err(within)?);
        if !table.needs_priority() {
            filter.priority = Some(0);
        }
    }
    Ok(vec![query(table, filter, want)])
}

#[allow(deprecated)]
fn plain_filter(table: &TableSchema, entry: &runtime::TableEntry) -> EntryFilter {
    use runtime::table_action::Type;
    let action = match entry.action.as_ref().and_then(|action| action.r#type.as_ref()) {
        Some(Type::Action(action)) => (action.action_id != 0).then_some(action.action_id),
        // Members and groups select nothing (specification, "Wildcard Reads"); p4runtime-shell sends them all the same.
        _ => None,
    };
    EntryFilter {
        key: None,
        priority: (entry.priority != 0).then(|| entry.priority.saturating_add(table.priority_offset)),
        metadata: (!entry.metadata.is_empty()).then(|| entry.metadata.clone()),
        cookie: (entry.controller_metadata != 0).then_some(entry.controller_metadata),
        action,
        must_exist: false,
    }
}

fn direct(
    schema: &Schema,
    entry: Option<&runtime::TableEntry>,
    want: Want,
    has: impl Fn(&TableSchema) -> bool,
) -> Outcome<Vec<Query>> {
    let wildcard = runtime::TableEntry::default();
    let entry = entry.unwrap_or(&wildcard);
    let all =
        |table: &TableSchema| Query::Entries { id: table.id, slot: table.slot, filter: EntryFilter::default(), want };
    if entry.table_id == 0 {
        return Ok(schema.tables.values().filter(|table| has(table)).map(all).collect());
    }
    let table = schema.table(entry.table_id)?;
    if !has(table) {
        return Err(Failure::invalid(format!("table \"{}\" has no such direct resource", table.name)));
    }
    if entry.r#match.is_empty() && entry.priority == 0 && !entry.is_default_action {
        return Ok(vec![all(table)]);
    }
    let (_, key) = direct_target(schema, Some(entry))?;
    Ok(vec![match key {
        None => Query::Default { id: table.id, slot: table.slot, want },
        Some((key, priority)) => Query::Entries {
            id: table.id,
            slot: table.slot,
            filter: EntryFilter {
                key: Some(key),
                priority: Some(priority),
                must_exist: true,
                ..EntryFilter::default()
            },
            want,
        },
    }])
}
