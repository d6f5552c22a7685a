//! Tables, actions and everything else that has a preamble.

use super::ids::{Ids, Kind};
use super::text::{Text, padded_bytes};
use super::types::type_spec;
use super::{documentation, plain_annotations, structured_annotations};
use p4_ir::control_plane::{
    Action, ActionProfile, ControlPlane, Counted, MatchField, MatchType, Param, Preamble, Scope, SelectorSize, Table,
};

/// All objects, in the order of P4Info's fields.
pub fn all(text: &mut Text, cp: &ControlPlane, ids: &Ids) {
    for table in &cp.tables {
        text.message("tables", |text| write_table(text, table, ids));
    }
    for action in &cp.actions {
        text.message("actions", |text| write_action(text, action, ids));
    }
    for profile in &cp.action_profiles {
        text.message("action_profiles", |text| write_profile(text, profile, ids));
    }
    for direct in [false, true] {
        let name = if direct { "direct_counters" } else { "counters" };
        let kind = if direct { Kind::DirectCounter } else { Kind::Counter };
        for counter in cp.counters.iter().filter(|c| c.table.is_some() == direct) {
            text.message(name, |text| write_counted(text, counter, kind, ids));
        }
    }
    for direct in [false, true] {
        let name = if direct { "direct_meters" } else { "meters" };
        let kind = if direct { Kind::DirectMeter } else { Kind::Meter };
        for meter in cp.meters.iter().filter(|m| m.table.is_some() == direct) {
            text.message(name, |text| write_counted(text, meter, kind, ids));
        }
    }
    for header in &cp.controller_headers {
        text.message("controller_packet_metadata", |text| {
            let id = ids.id(Kind::ControllerHeader, &header.preamble.name);
            let named = Preamble { name: header.controller_name.clone(), ..header.preamble.clone() };
            write_preamble(text, &named, id, &header.controller_name);
            for field in &header.fields {
                text.message("metadata", |text| {
                    text.number("id", field.id);
                    text.string("name", &field.name);
                    plain_annotations(text, &field.notes);
                    text.nonzero("bitwidth", u64::from(field.bits));
                    type_name(text, "type_name", field.type_name.as_deref());
                    structured_annotations(text, &field.notes);
                });
            }
        });
    }
    for set in &cp.value_sets {
        text.message("value_sets", |text| {
            preamble(text, &set.preamble, Kind::ValueSet, ids);
            for field in &set.fields {
                text.message("match", |text| match_field(text, field));
            }
            text.nonzero("size", set.size);
        });
    }
    for register in &cp.registers {
        text.message("registers", |text| {
            preamble(text, &register.preamble, Kind::Register, ids);
            type_spec(text, "type_spec", &register.type_spec);
            text.nonzero("size", register.size);
        });
    }
    for digest in &cp.digests {
        text.message("digests", |text| {
            preamble(text, &digest.preamble, Kind::Digest, ids);
            type_spec(text, "type_spec", &digest.type_spec);
        });
    }
}

fn preamble(text: &mut Text, preamble: &Preamble, kind: Kind, ids: &Ids) {
    let id = ids.id(kind, &preamble.name);
    write_preamble(text, preamble, id, ids.alias(&preamble.name));
}

fn write_preamble(text: &mut Text, preamble: &Preamble, id: u32, alias: &str) {
    text.message("preamble", |text| {
        text.number("id", id);
        text.string("name", &preamble.name);
        text.string("alias", alias);
        plain_annotations(text, &preamble.notes);
        documentation(text, &preamble.notes);
        structured_annotations(text, &preamble.notes);
    });
}

fn type_name(text: &mut Text, field: &str, name: Option<&str>) {
    if let Some(name) = name {
        text.message(field, |text| text.string("name", name));
    }
}

fn match_field(text: &mut Text, field: &MatchField) {
    text.number("id", field.id);
    if !field.name.is_empty() {
        text.string("name", &field.name);
    }
    plain_annotations(text, &field.notes);
    text.nonzero("bitwidth", u64::from(field.bits));
    if let MatchType::Standard(name) = field.match_type {
        text.word("match_type", name);
    }
    documentation(text, &field.notes);
    if let MatchType::Other(name) = &field.match_type {
        text.string("other_match_type", name);
    }
    type_name(text, "type_name", field.type_name.as_deref());
    structured_annotations(text, &field.notes);
}

fn write_table(text: &mut Text, table: &Table, ids: &Ids) {
    preamble(text, &table.preamble, Kind::Table, ids);
    for field in &table.match_fields {
        text.message("match_fields", |text| match_field(text, field));
    }
    for action in &table.action_refs {
        text.message("action_refs", |text| {
            text.number("id", ids.id(Kind::Action, &action.name));
            plain_annotations(text, &action.notes);
            match action.scope {
                Scope::TableAndDefault => {}
                Scope::TableOnly => text.word("scope", "TABLE_ONLY"),
                Scope::DefaultOnly => text.word("scope", "DEFAULT_ONLY"),
            }
            structured_annotations(text, &action.notes);
        });
    }
    if let Some(default) = &table.default_action {
        let id = ids.id(Kind::Action, &default.name);
        if default.constant {
            text.number("const_default_action_id", id);
        }
        text.message("initial_default_action", |text| {
            text.number("action_id", id);
            for (param, value, bits) in &default.args {
                text.message("arguments", |text| {
                    text.number("param_id", param);
                    text.bytes("value", &padded_bytes(value, *bits));
                });
            }
        });
    }
    if let Some(profile) = &table.implementation {
        text.number("implementation_id", ids.id(Kind::ActionProfile, profile));
    }
    if let Some(counter) = &table.direct_counter {
        text.number("direct_resource_ids", ids.id(Kind::DirectCounter, counter));
    }
    if let Some(meter) = &table.direct_meter {
        text.number("direct_resource_ids", ids.id(Kind::DirectMeter, meter));
    }
    text.nonzero("size", table.size);
    if table.idle_timeout {
        text.word("idle_timeout_behavior", "NOTIFY_CONTROL");
    }
    if table.is_const {
        text.word("is_const_table", "true");
    }
    if !table.entries.is_empty() {
        text.word("has_initial_entries", "true");
    }
}

fn write_action(text: &mut Text, action: &Action, ids: &Ids) {
    preamble(text, &action.preamble, Kind::Action, ids);
    for param in &action.params {
        text.message("params", |text| write_param(text, param));
    }
}

fn write_param(text: &mut Text, param: &Param) {
    text.number("id", param.id);
    text.string("name", &param.name);
    plain_annotations(text, &param.notes);
    text.nonzero("bitwidth", u64::from(param.bits));
    documentation(text, &param.notes);
    type_name(text, "type_name", param.type_name.as_deref());
    structured_annotations(text, &param.notes);
}

fn write_profile(text: &mut Text, profile: &ActionProfile, ids: &Ids) {
    preamble(text, &profile.preamble, Kind::ActionProfile, ids);
    for table in &profile.tables {
        text.number("table_ids", ids.id(Kind::Table, table));
    }
    if profile.with_selector {
        text.word("with_selector", "true");
    }
    text.nonzero("size", profile.size);
    if let Some(size) = profile.max_group_size {
        text.number("max_group_size", size);
    }
    match profile.selector_size {
        None => {}
        Some(SelectorSize::SumOfWeights) => text.message("sum_of_weights", |_| {}),
        Some(SelectorSize::SumOfMembers(weight)) => text.message("sum_of_members", |text| {
            if weight != 0 {
                text.number("max_member_weight", weight);
            }
        }),
    }
}

fn write_counted(text: &mut Text, counted: &Counted, kind: Kind, ids: &Ids) {
    preamble(text, &counted.preamble, kind, ids);
    text.message("spec", |text| text.word("unit", counted.unit));
    match &counted.table {
        None => text.nonzero("size", counted.size),
        Some(table) => text.number("direct_table_id", ids.id(Kind::Table, table)),
    }
}
