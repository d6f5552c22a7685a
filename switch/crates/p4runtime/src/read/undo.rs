//! The state of a switch as updates: those that undo an update, and those that bring back everything.

use p4runtime_proto::runtime::{
    self, Update, entity::Entity, packet_replication_engine_entry::Type as Replication, update::Type,
};
use v1model::Switch;

use super::{EntryFilter, Query, Want, fetch, plan, render};
use crate::extras::Extras;
use crate::failure::Outcome;
use crate::role::Access;
use crate::schema::Schema;
use crate::write::Context;
use crate::write::table::read_key;

const FULL: Want = Want::Entry { counter: true, meter: true, meter_counts: true, idle: false };

/// The updates that take the switch back to where it is now, once `update` has been applied.
///
/// # Errors
/// The update is wrong, or the state cannot be read.
pub fn reverse(context: &Context<'_>, schema: &Schema, update: &Update) -> Outcome<Vec<Update>> {
    let Some(entity) = &update.entity else { return Ok(Vec::new()) };
    if update.r#type() == Type::Insert {
        return Ok(vec![Update { r#type: Type::Delete as i32, entity: Some(entity.clone()) }]);
    }
    let kind = if update.r#type() == Type::Delete { Type::Insert } else { Type::Modify };
    let mut updates = Vec::new();
    for query in old_state(schema, entity)? {
        let fetched = fetch(context.switch, context.extras, context.now_ns, &query)?;
        updates.extend(render(schema, &query, fetched).into_iter().map(|entity| as_write(schema, kind, entity)));
    }
    Ok(updates)
}

/// Everything the control plane has written, as updates in an order in which they can be applied to a switch with the same
/// program and no state. Array cells that are zero and default entries that are the program's are left out.
///
/// # Errors
/// The state cannot be read.
pub fn snapshot(schema: &Schema, switch: &Switch, extras: &Extras, now_ns: u64) -> Outcome<Vec<Update>> {
    let mut updates = Vec::new();
    let full = runtime::TableEntry {
        counter_data: Some(runtime::CounterData::default()),
        meter_config: Some(runtime::MeterConfig::default()),
        meter_counter_data: Some(runtime::MeterCounterData::default()),
        ..Default::default()
    };
    let defaults = runtime::TableEntry { is_default_action: true, ..full.clone() };
    // Members before groups before entries.
    let wanted = [
        (Type::Insert, Entity::ActionProfileMember(Default::default())),
        (Type::Insert, Entity::ActionProfileGroup(Default::default())),
        (Type::Insert, Entity::TableEntry(full)),
        (Type::Modify, Entity::TableEntry(defaults)),
        (Type::Modify, Entity::CounterEntry(Default::default())),
        (
            Type::Modify,
            Entity::MeterEntry(runtime::MeterEntry {
                counter_data: Some(runtime::MeterCounterData::default()),
                ..Default::default()
            }),
        ),
        (Type::Modify, Entity::RegisterEntry(Default::default())),
        (Type::Insert, Entity::PacketReplicationEngineEntry(Default::default())),
        (Type::Modify, Entity::ValueSetEntry(Default::default())),
        (Type::Insert, Entity::DigestEntry(Default::default())),
    ];
    for (kind, entity) in wanted {
        for query in plan(schema, &Access::Full, &super::entity(entity))? {
            let fetched = fetch(switch, extras, now_ns, &query)?;
            let entities = render(schema, &query, fetched).into_iter();
            let worth = entities.filter(|entity| is_worth_keeping(schema, switch, extras, entity));
            updates.extend(worth.map(|entity| as_write(schema, kind, entity)));
        }
    }
    Ok(updates)
}

/// The queries for the state that an update replaces or removes.
fn old_state(schema: &Schema, entity: &runtime::Entity) -> Outcome<Vec<Query>> {
    if let Some(Entity::TableEntry(entry)) = &entity.entity {
        let table = schema.table(entry.table_id)?;
        if entry.is_default_action {
            return Ok(vec![Query::Default { id: table.id, slot: table.slot, want: FULL }]);
        }
        let (key, priority) = read_key(schema, table, entry)?;
        let filter = EntryFilter { key: Some(key), priority: Some(priority), ..EntryFilter::default() };
        return Ok(vec![Query::Entries { id: table.id, slot: table.slot, filter, want: FULL }]);
    }
    let mut key = entity.clone();
    match &mut key.entity {
        Some(Entity::ValueSetEntry(entry)) => entry.members.clear(),
        Some(Entity::MeterEntry(entry)) => entry.counter_data = Some(Default::default()),
        Some(Entity::DirectMeterEntry(entry)) => entry.counter_data = Some(Default::default()),
        _ => {}
    }
    plan(schema, &Access::Full, &key)
}

/// An entity as read, as an update that a write accepts.
fn as_write(schema: &Schema, kind: Type, mut entity: runtime::Entity) -> Update {
    if let Some(Entity::TableEntry(entry)) = &mut entity.entity {
        let table = schema.tables.get(&entry.table_id);
        let fixed_default = table.is_some_and(|table| table.const_default);
        if entry.is_const || (entry.is_default_action && fixed_default) {
            entry.action = None;
        }
        let kind = if entry.is_const { Type::Modify } else { kind };
        entry.is_const = false;
        return Update { r#type: kind as i32, entity: Some(entity) };
    }
    Update { r#type: kind as i32, entity: Some(entity) }
}

fn is_worth_keeping(schema: &Schema, switch: &Switch, extras: &Extras, entity: &runtime::Entity) -> bool {
    match &entity.entity {
        Some(Entity::CounterEntry(entry)) => entry.data != Some(runtime::CounterData::default()),
        Some(Entity::MeterEntry(entry)) => {
            let colors = entry.counter_data.iter().flat_map(|data| [&data.green, &data.yellow, &data.red]);
            entry.config.is_some() || colors.flatten().any(|data| *data != runtime::CounterData::default())
        }
        Some(Entity::RegisterEntry(entry)) => !is_zero(entry.data.as_ref()),
        Some(Entity::ValueSetEntry(entry)) => !entry.members.is_empty(),
        Some(Entity::TableEntry(entry)) if entry.is_default_action => {
            let Some(table) = schema.tables.get(&entry.table_id) else { return false };
            let initial = switch.table_initial_default(table.slot).ok().flatten().map(v1model::ActionSpec::Call);
            let changed = switch.table_default(table.slot).ok().flatten() != initial;
            let counted = entry.counter_data.is_some_and(|data| data != runtime::CounterData::default());
            changed || counted || entry.meter_config.is_some() || extras.default_metadata.contains_key(&table.id)
        }
        Some(Entity::PacketReplicationEngineEntry(entry)) => {
            matches!(entry.r#type, Some(Replication::MulticastGroupEntry(_) | Replication::CloneSessionEntry(_)))
        }
        _ => true,
    }
}

fn is_zero(data: Option<&runtime::P4Data>) -> bool {
    use runtime::p4_data::Data;
    match data.and_then(|data| data.data.as_ref()) {
        Some(Data::Bitstring(value) | Data::EnumValue(value)) => value.iter().all(|byte| *byte == 0),
        Some(Data::Bool(value)) => !value,
        _ => false,
    }
}
