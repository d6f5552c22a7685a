//! From what a query has copied to messages.

use bytes::Bytes;
use p4runtime_proto::runtime::{
    self, entity::Entity, packet_replication_engine_entry::Type as Replication, table_action,
};
use v1model::{ActionSpec, CounterValue, EntryView, KeyMatch, MeterConfig, MeterCounts, Replica, ValueSetMember};

use super::{DefaultView, EntryFilter, Fetched, Query, Want, entity};
use crate::bytestring::from_u64;
use crate::data_type::Leaf;
use crate::entity::action_id;
use crate::extras::EntryMetadata;
use crate::schema::{FieldSchema, ProfileSchema, Schema, TableSchema};

/// Writes the result of a query as messages.
pub fn render(schema: &Schema, query: &Query, fetched: Fetched) -> Vec<runtime::Entity> {
    match (query, fetched) {
        (Query::Entries { id, filter, want, .. }, Fetched::Entries(entries, now_ns)) => {
            let Some(table) = schema.tables.get(id) else { return Vec::new() };
            let selected = entries.iter().filter(|entry| selects(filter, table, entry));
            selected.map(|entry| entity(entry_entity(schema, table, entry, *want, now_ns))).collect()
        }
        (Query::Default { id, want, .. }, Fetched::Default(view)) => {
            schema.tables.get(id).map(|table| entity(default_entity(schema, table, &view, *want))).into_iter().collect()
        }
        (Query::Members { id, .. }, Fetched::Members(members)) => {
            let Some(profile) = schema.profiles.get(id) else { return Vec::new() };
            let table = profile.tables.iter().find_map(|id| schema.tables.get(id));
            let write = |member: v1model::ProfileMember| {
                entity(Entity::ActionProfileMember(runtime::ActionProfileMember {
                    action_profile_id: *id,
                    member_id: member.id,
                    action: table.map(|table| schema.write_action(table, &member.call)),
                }))
            };
            members.into_iter().map(write).collect()
        }
        (Query::Groups { id, .. }, Fetched::Groups(groups)) => {
            let Some(profile) = schema.profiles.get(id) else { return Vec::new() };
            groups
                .into_iter()
                .map(|(group, numbers)| entity(Entity::ActionProfileGroup(write_group(*id, profile, group, numbers))))
                .collect()
        }
        (Query::Counter { id, cells, .. }, Fetched::Counters(values)) => {
            let write = |(index, value): (usize, CounterValue)| {
                entity(Entity::CounterEntry(runtime::CounterEntry {
                    counter_id: *id,
                    index: write_index(index),
                    data: Some(write_counter(value)),
                }))
            };
            cells.clone().zip(values).map(write).collect()
        }
        (Query::Meter { id, cells, counts, .. }, Fetched::Meters(values)) => {
            let write = |(index, (config, seen)): (usize, (Option<MeterConfig>, MeterCounts))| {
                entity(Entity::MeterEntry(runtime::MeterEntry {
                    meter_id: *id,
                    index: write_index(index),
                    config: config.map(write_meter),
                    counter_data: counts.then(|| write_meter_counts(&seen)),
                }))
            };
            cells.clone().zip(values).map(write).collect()
        }
        (Query::Register { id, cells, .. }, Fetched::Registers(values)) => {
            let Some(register) = schema.registers.get(id) else { return Vec::new() };
            let write = |(index, value): (usize, Vec<u8>)| {
                entity(Entity::RegisterEntry(runtime::RegisterEntry {
                    register_id: *id,
                    index: write_index(index),
                    data: Some(register.cell.write(&mut std::iter::once(Leaf::plain(&value)), &schema.translations)),
                }))
            };
            cells.clone().zip(values).map(write).collect()
        }
        (Query::Multicast { .. }, Fetched::Multicast(groups)) => {
            let write = |(group, as_numbers): (v1model::MulticastGroup, bool)| {
                Replication::MulticastGroupEntry(runtime::MulticastGroupEntry {
                    multicast_group_id: u32::from(group.id),
                    replicas: write_replicas(&group.replicas, &group.backups, as_numbers),
                    metadata: Bytes::from(group.metadata),
                })
            };
            groups.into_iter().map(|group| replication(write(group))).collect()
        }
        (Query::Clones { .. }, Fetched::Clones(sessions)) => {
            let write = |(session, as_numbers): (v1model::CloneSession, bool)| {
                Replication::CloneSessionEntry(runtime::CloneSessionEntry {
                    session_id: session.id,
                    replicas: write_replicas(&session.replicas, &session.backups, as_numbers),
                    class_of_service: u32::from(session.class_of_service),
                    packet_length_bytes: i32::try_from(session.max_length).unwrap_or(i32::MAX),
                })
            };
            sessions.into_iter().map(|session| replication(write(session))).collect()
        }
        (Query::ValueSet { id, .. }, Fetched::ValueSet(members)) => {
            let Some(set) = schema.value_sets.get(id) else { return Vec::new() };
            let members = members.iter().map(|member| runtime::ValueSetMember {
                r#match: schema.write_match(&set.fields, &split_member(&set.fields, member)),
            });
            let entry = runtime::ValueSetEntry { value_set_id: *id, members: members.collect() };
            vec![entity(Entity::ValueSetEntry(entry))]
        }
        (Query::Digest { id }, Fetched::Digest(Some(settings))) => {
            let config = runtime::digest_entry::Config {
                max_timeout_ns: signed(settings.max_timeout_ns),
                max_list_size: i32::try_from(settings.max_list_size).unwrap_or(i32::MAX),
                ack_timeout_ns: signed(settings.ack_timeout_ns),
            };
            vec![entity(Entity::DigestEntry(runtime::DigestEntry { digest_id: *id, config: Some(config) }))]
        }
        _ => Vec::new(),
    }
}

fn selects(filter: &EntryFilter, table: &TableSchema, entry: &EntryView) -> bool {
    let view = &entry.entry;
    let metadata = || EntryMetadata::unpack(&view.metadata);
    filter.key.as_ref().is_none_or(|key| *key == view.key)
        && filter.priority.is_none_or(|priority| priority == view.priority)
        && filter.metadata.as_ref().is_none_or(|wanted| *wanted == metadata().metadata)
        && filter.cookie.is_none_or(|wanted| wanted == metadata().cookie)
        && filter.action.is_none_or(|wanted| match &view.action {
            ActionSpec::Call(call) => action_id(table, call.action) == Some(wanted),
            _ => false,
        })
}

fn entry_entity(schema: &Schema, table: &TableSchema, view: &EntryView, want: Want, now_ns: u64) -> Entity {
    match want {
        Want::Entry { counter, meter, meter_counts, idle } => {
            let mut entry = entry_message(schema, table, &view.entry);
            entry.is_const = view.is_const || table.is_const;
            entry.action = write_table_action(
                schema,
                table,
                &view.entry.action,
                EntryMetadata::unpack(&view.entry.metadata).modes,
            );
            entry.counter_data = view.counter.filter(|_| counter && table.has_counter).map(write_counter);
            entry.meter_config = view.meter.filter(|_| meter).map(write_meter);
            entry.meter_counter_data =
                view.meter_counts.filter(|_| meter_counts && table.meter.is_some()).map(|c| write_meter_counts(&c));
            entry.time_since_last_hit = (idle && table.idle_timeout).then(|| runtime::table_entry::IdleTimeout {
                elapsed_ns: signed(now_ns.saturating_sub(view.last_hit_ns)),
            });
            Entity::TableEntry(entry)
        }
        Want::Counter => Entity::DirectCounterEntry(runtime::DirectCounterEntry {
            table_entry: Some(key_message(schema, table, &view.entry)),
            data: Some(write_counter(view.counter.unwrap_or_default())),
        }),
        Want::Meter { counts } => Entity::DirectMeterEntry(runtime::DirectMeterEntry {
            table_entry: Some(key_message(schema, table, &view.entry)),
            config: view.meter.map(write_meter),
            counter_data: view.meter_counts.filter(|_| counts).map(|c| write_meter_counts(&c)),
        }),
    }
}

fn default_entity(schema: &Schema, table: &TableSchema, view: &DefaultView, want: Want) -> Entity {
    let key = runtime::TableEntry { table_id: table.id, is_default_action: true, ..Default::default() };
    match want {
        Want::Entry { counter, meter, .. } => {
            let mut entry = key;
            let modes = view.metadata.modes;
            set_metadata(&mut entry, view.metadata.clone());
            entry.is_const = table.const_default;
            entry.action = view.action.as_ref().and_then(|action| write_table_action(schema, table, action, modes));
            entry.counter_data = view.counter.filter(|_| counter && table.has_counter).map(write_counter);
            entry.meter_config = view.meter.filter(|_| meter).map(write_meter);
            Entity::TableEntry(entry)
        }
        Want::Counter => Entity::DirectCounterEntry(runtime::DirectCounterEntry {
            table_entry: Some(key),
            data: Some(write_counter(view.counter.unwrap_or_default())),
        }),
        Want::Meter { .. } => Entity::DirectMeterEntry(runtime::DirectMeterEntry {
            table_entry: Some(key),
            config: view.meter.map(write_meter),
            counter_data: None,
        }),
    }
}

fn key_message(schema: &Schema, table: &TableSchema, entry: &v1model::TableEntry) -> runtime::TableEntry {
    runtime::TableEntry {
        table_id: table.id,
        r#match: schema.write_match(&table.fields, &entry.key),
        priority: if table.needs_priority() { entry.priority.saturating_sub(table.priority_offset) } else { 0 },
        ..Default::default()
    }
}

/// An entry without action and direct resources, as an idle notification has it.
pub fn entry_message(schema: &Schema, table: &TableSchema, entry: &v1model::TableEntry) -> runtime::TableEntry {
    let mut message = key_message(schema, table, entry);
    message.idle_timeout_ns = signed(entry.idle_timeout_ns);
    set_metadata(&mut message, EntryMetadata::unpack(&entry.metadata));
    message
}

#[allow(deprecated)]
fn set_metadata(entry: &mut runtime::TableEntry, metadata: EntryMetadata) {
    entry.controller_metadata = metadata.cookie;
    entry.metadata = metadata.metadata;
}

fn write_table_action(
    schema: &Schema,
    table: &TableSchema,
    action: &ActionSpec,
    modes: [u8; 2],
) -> Option<runtime::TableAction> {
    let kind = match action {
        ActionSpec::Call(call) => table_action::Type::Action(schema.write_action(table, call)),
        ActionSpec::Member(id) => table_action::Type::ActionProfileMemberId(*id),
        ActionSpec::Group(id) => table_action::Type::ActionProfileGroupId(*id),
        ActionSpec::OneShot(set) => {
            let profile = table.profile.and_then(|id| schema.profiles.get(&id));
            let actions = set.actions.iter().map(|action| runtime::ActionProfileAction {
                action: Some(schema.write_action(table, &action.call)),
                weight: write_weight(profile, action.weight),
                watch_kind: action
                    .watch_port
                    .map(|port| runtime::action_profile_action::WatchKind::WatchPort(from_u64(port.into()))),
            });
            let [mode, size] = modes;
            table_action::Type::ActionProfileActionSet(runtime::ActionProfileActionSet {
                action_profile_actions: actions.collect(),
                action_selection_mode: i32::from(mode),
                size_semantics: i32::from(size),
            })
        }
    };
    Some(runtime::TableAction { r#type: Some(kind) })
}

#[allow(deprecated)]
fn write_group(
    id: u32,
    profile: &ProfileSchema,
    group: v1model::ProfileGroup,
    as_numbers: bool,
) -> runtime::ActionProfileGroup {
    use runtime::action_profile_group::member::WatchKind;
    let watch = |port: u16| match as_numbers {
        true => WatchKind::Watch(port.into()),
        false => WatchKind::WatchPort(from_u64(port.into())),
    };
    let members = group.members.iter().map(|member| runtime::action_profile_group::Member {
        member_id: member.member,
        weight: write_weight(Some(profile), member.weight),
        watch_kind: member.watch_port.map(watch),
    });
    runtime::ActionProfileGroup {
        action_profile_id: id,
        group_id: group.id,
        members: members.collect(),
        max_size: i32::try_from(group.max_size).unwrap_or(i32::MAX),
    }
}

fn write_weight(profile: Option<&ProfileSchema>, weight: u32) -> i32 {
    match profile {
        Some(profile) if profile.weights_disallowed => 0,
        _ => i32::try_from(weight).unwrap_or(i32::MAX),
    }
}

/// The matches of a value set's member.
fn split_member(fields: &[FieldSchema], member: &ValueSetMember) -> Vec<KeyMatch> {
    use v1model::MatchKind;
    let mut at = 0;
    let split = |field: &FieldSchema| {
        let bytes = field.width.div_ceil(8) as usize;
        let part = |whole: &[u8]| whole.get(at..at + bytes).map(<[u8]>::to_vec).unwrap_or_default();
        let value = part(&member.value);
        let mask = member.mask.as_ref().map_or_else(|| crate::bytestring::ones(field.width), |mask| part(mask));
        at += bytes;
        match field.kind {
            MatchKind::Lpm => {
                let prefix_len = mask.iter().map(|byte| byte.count_ones()).sum();
                KeyMatch::Lpm { value, prefix_len }
            }
            MatchKind::Range => match member.ranges.iter().find(|range| range.start + bytes == at) {
                Some(range) => KeyMatch::Range { low: range.low.clone(), high: range.high.clone() },
                None => KeyMatch::Range { low: vec![0; bytes], high: crate::bytestring::ones(field.width) },
            },
            MatchKind::Ternary => KeyMatch::Ternary { value, mask },
            MatchKind::Optional => KeyMatch::Optional(mask.iter().any(|byte| *byte != 0).then_some(value)),
            MatchKind::Exact | MatchKind::Valid => KeyMatch::Exact(value),
        }
    };
    fields.iter().map(split).collect()
}

fn replication(kind: Replication) -> runtime::Entity {
    entity(Entity::PacketReplicationEngineEntry(runtime::PacketReplicationEngineEntry { r#type: Some(kind) }))
}

#[allow(deprecated)]
fn write_replicas(replicas: &[Replica], backups: &[Vec<Replica>], as_numbers: bool) -> Vec<runtime::Replica> {
    use runtime::replica::PortKind;
    let port = |port: u16| match as_numbers {
        true => PortKind::EgressPort(port.into()),
        false => PortKind::Port(from_u64(port.into())),
    };
    let write = |(index, replica): (usize, &Replica)| runtime::Replica {
        port_kind: Some(port(replica.port)),
        instance: u32::from(replica.rid),
        backup_replicas: backups.get(index).into_iter().flatten().map(write_backup).collect(),
    };
    replicas.iter().enumerate().map(write).collect()
}

fn write_backup(replica: &Replica) -> runtime::BackupReplica {
    runtime::BackupReplica { port: from_u64(replica.port.into()), instance: u32::from(replica.rid) }
}

fn write_index(index: usize) -> Option<runtime::Index> {
    Some(runtime::Index { index: signed(index as u64) })
}

fn write_counter(value: CounterValue) -> runtime::CounterData {
    runtime::CounterData { byte_count: signed(value.bytes), packet_count: signed(value.packets) }
}

fn write_meter(config: MeterConfig) -> runtime::MeterConfig {
    runtime::MeterConfig {
        cir: signed(config.cir),
        cburst: signed(config.cburst),
        pir: signed(config.pir),
        pburst: signed(config.pburst),
        eburst: signed(config.eburst),
    }
}

fn write_meter_counts(counts: &MeterCounts) -> runtime::MeterCounterData {
    let [green, yellow, red] = counts.map(|count| Some(write_counter(count)));
    runtime::MeterCounterData { green, yellow, red }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
