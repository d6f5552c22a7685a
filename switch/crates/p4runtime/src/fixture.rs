//! For tests: a program with one table and one register, as BMv2 JSON and P4Info.
#![allow(clippy::unwrap_used)]

use p4runtime_proto::config::{
    self, P4Info, Preamble, action::Param, match_field::MatchType, p4_bitstring_like_type_spec, p4_data_type_spec,
};
use p4runtime_proto::runtime::{self, ForwardingPipelineConfig, update::Type};
use serde_json::json;

use crate::read::entity;

pub const TABLE: u32 = 1;
pub const FORWARD: u32 = 2;
pub const REGISTER: u32 = 3;

const STANDARD_METADATA: [(&str, u32); 17] = [
    ("ingress_port", 9),
    ("egress_spec", 9),
    ("egress_port", 9),
    ("instance_type", 32),
    ("packet_length", 32),
    ("enq_timestamp", 32),
    ("enq_qdepth", 19),
    ("deq_timedelta", 32),
    ("deq_qdepth", 19),
    ("ingress_global_timestamp", 48),
    ("egress_global_timestamp", 48),
    ("mcast_grp", 16),
    ("egress_rid", 16),
    ("checksum_error", 1),
    ("parser_error", 32),
    ("priority", 3),
    ("_padding", 3),
];

/// The configuration; the register has `cells` cells.
pub fn config(cells: i32) -> ForwardingPipelineConfig {
    ForwardingPipelineConfig {
        p4info: Some(p4info(cells)),
        p4_device_config: device_config(cells).to_string().into_bytes().into(),
        cookie: None,
    }
}

/// A table entry for a prefix of 10.0.0.0/8.
pub fn route(second_byte: u8, port: u8) -> runtime::TableEntry {
    use runtime::{field_match, table_action};
    let value = vec![10, second_byte, 0, 0].into();
    let lpm = field_match::FieldMatchType::Lpm(field_match::Lpm { value, prefix_len: 16 });
    let params = vec![runtime::action::Param { param_id: 1, value: vec![port].into() }];
    let action = runtime::Action { action_id: FORWARD, params };
    runtime::TableEntry {
        table_id: TABLE,
        r#match: vec![runtime::FieldMatch { field_id: 1, field_match_type: Some(lpm) }],
        action: Some(runtime::TableAction { r#type: Some(table_action::Type::Action(action)) }),
        ..Default::default()
    }
}

/// A cell of the register.
pub fn cell(index: i64, value: u8) -> runtime::RegisterEntry {
    let data = runtime::P4Data { data: Some(runtime::p4_data::Data::Bitstring(vec![value].into())) };
    runtime::RegisterEntry { register_id: REGISTER, index: Some(runtime::Index { index }), data: Some(data) }
}

/// An update of a table entry.
pub fn of_entry(kind: Type, entry: runtime::TableEntry) -> runtime::Update {
    runtime::Update { r#type: kind as i32, entity: Some(entity(runtime::entity::Entity::TableEntry(entry))) }
}

/// An update of a register cell.
pub fn of_cell(cell: runtime::RegisterEntry) -> runtime::Update {
    runtime::Update { r#type: Type::Modify as i32, entity: Some(entity(runtime::entity::Entity::RegisterEntry(cell))) }
}

fn preamble(id: u32, name: &str) -> Option<Preamble> {
    Some(Preamble { id, name: name.to_owned(), alias: name.to_owned(), ..Default::default() })
}

fn p4info(cells: i32) -> P4Info {
    let key = config::MatchField {
        id: 1,
        name: "ip.dst".to_owned(),
        bitwidth: 32,
        r#match: Some(config::match_field::Match::MatchType(MatchType::Lpm as i32)),
        ..Default::default()
    };
    let table = config::Table {
        preamble: preamble(TABLE, "route"),
        match_fields: vec![key],
        action_refs: vec![config::ActionRef { id: FORWARD, ..Default::default() }],
        size: 16,
        ..Default::default()
    };
    let port = Param { id: 1, name: "port".to_owned(), bitwidth: 9, ..Default::default() };
    let action = config::Action { preamble: preamble(FORWARD, "forward"), params: vec![port] };
    let bits = p4_bitstring_like_type_spec::TypeSpec::Bit(config::P4BitTypeSpec { bitwidth: 8 });
    let bits = config::P4BitstringLikeTypeSpec { type_spec: Some(bits), ..Default::default() };
    let spec = config::P4DataTypeSpec { type_spec: Some(p4_data_type_spec::TypeSpec::Bitstring(bits)) };
    let register = config::Register {
        preamble: preamble(REGISTER, "cells"),
        type_spec: Some(spec),
        size: cells,
        index_type_name: None,
    };
    P4Info { tables: vec![table], actions: vec![action], registers: vec![register], ..Default::default() }
}

fn device_config(cells: i32) -> serde_json::Value {
    let set_port = json!({"op": "assign", "parameters": [
        {"type": "field", "value": ["standard_metadata", "egress_spec"]}, {"type": "runtime_data", "value": 0}]});
    let table = json!({
        "name": "route", "id": 0, "key": [{"match_type": "lpm", "name": "ip.dst", "target": ["ip", "dst"], "mask": null}],
        "match_type": "lpm", "type": "simple", "max_size": 16, "with_counters": false, "support_timeout": false,
        "direct_meters": null, "action_ids": [0], "actions": ["forward"], "base_default_next": null,
        "next_tables": {"forward": null}
    });
    let start = json!({
        "name": "start", "id": 0, "transition_key": [],
        "parser_ops": [{"op": "extract", "parameters": [{"type": "regular", "value": "ip"}]}],
        "transitions": [{"type": "default", "value": null, "mask": null, "next_state": null}]
    });
    let pipeline = |name: &str, tables: serde_json::Value, init: Option<&str>| json!({"name": name, "id": 0, "init_table": init, "tables": tables, "action_profiles": [], "conditionals": []});
    let standard_metadata = STANDARD_METADATA.map(|(name, width)| json!([name, width, false]));
    json!({
        "program": "fixture", "__meta__": {"version": [2, 23], "compiler": "by hand"},
        "header_types": [
            {"name": "ip_t", "id": 0, "fields": [["dst", 32, false]]},
            {"name": "standard_metadata", "id": 1, "fields": standard_metadata}],
        "headers": [
            {"name": "standard_metadata", "id": 0, "header_type": "standard_metadata", "metadata": true, "pi_omit": true},
            {"name": "ip", "id": 1, "header_type": "ip_t", "metadata": false, "pi_omit": true}],
        "header_stacks": [], "header_union_types": [], "header_unions": [], "header_union_stacks": [], "field_lists": [],
        "errors": [], "enums": [], "parse_vsets": [], "counter_arrays": [], "meter_arrays": [], "calculations": [],
        "learn_lists": [], "checksums": [], "force_arith": [], "extern_instances": [], "field_aliases": [],
        "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [start]}],
        "deparsers": [{"name": "deparser", "id": 0, "order": ["ip"], "primitives": []}],
        "register_arrays": [{"name": "cells", "id": 0, "size": cells, "bitwidth": 8}],
        "actions": [{"name": "forward", "id": 0, "runtime_data": [{"name": "port", "bitwidth": 9}], "primitives": [set_port]}],
        "pipelines": [pipeline("ingress", json!([table]), Some("route")), pipeline("egress", json!([]), None)]
    })
}
