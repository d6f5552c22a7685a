//! Tables that run several times, and programs that never end.

mod common;

use common::{FEATURES, FORWARD, Rig, request};
use serde_json::{Value, json};
use v1model::{KeyMatch, Program};

fn program(json: &str) -> Value {
    serde_json::from_str(json).expect("JSON")
}

/// Every step of the ingress pipeline leads to `to`.
fn redirect(ingress: &mut Value, to: &str) {
    for table in ingress["tables"].as_array_mut().expect("tables") {
        if let Some(next) = table["next_tables"].as_object_mut() {
            next.values_mut().for_each(|value| *value = json!(to));
        }
        table["base_default_next"] = json!(to);
    }
    for branch in ingress["conditionals"].as_array_mut().expect("conditionals") {
        branch["true_next"] = json!(to);
        branch["false_next"] = json!(to);
    }
}

#[test]
fn a_pipeline_that_goes_round_is_given_up() {
    let mut json = program(&FORWARD);
    let start = json["pipelines"][0]["init_table"].as_str().expect("a first step").to_owned();
    redirect(&mut json["pipelines"][0], &start);
    let mut rig = Rig::new(&json.to_string());
    assert!(rig.send(1, &common::bytes("000000000009000000000008 86dd 00")).is_empty());
    assert_eq!(rig.switch.stats().assertion_failures, 1);
}

#[test]
fn a_pipeline_may_come_back_to_a_table_if_it_ends() {
    // fixed: 1 → to(11), then again; the second time the index is another one.
    let mut json = program(&FEATURES);
    let action = json["actions"]
        .as_array()
        .and_then(|actions| actions.iter().position(|action| action["name"] == "Act.to"))
        .expect("an action");
    let index = json!({"type": "field", "value": ["request", "index"]});
    let next = json!({"op": "assign", "parameters": [index, {"type": "hexstr", "value": "0x02"}]});
    let all: Vec<usize> = (0..json["actions"].as_array().map_or(0, Vec::len))
        .filter(|at| json["actions"][*at]["name"] == "Act.to" && *at >= action)
        .collect();
    for at in all {
        json["actions"][at]["primitives"].as_array_mut().expect("primitives").push(next.clone());
    }
    let tables = json["pipelines"][0]["tables"].as_array_mut().expect("tables");
    let fixed = tables.iter_mut().find(|table| table["name"] == "Act.fixed").expect("the table");
    // Entry 2 drops, which ends it.
    let drop = fixed["default_entry"]["action_id"].clone();
    fixed["entries"][1]["action_entry"] = json!({"action_id": drop, "action_data": []});
    fixed["next_tables"]["Act.to"] = json!("Act.fixed");
    let mut rig = Rig::new(&json.to_string());
    assert!(rig.send(1, &request(5, 1, 0, 0, 0)).is_empty(), "dropped the second time");
    assert_eq!((rig.switch.stats().assertion_failures, rig.switch.stats().ingress_drops), (0, 1));
}

#[test]
fn an_action_that_jumps_back_for_ever_is_given_up() {
    let mut json = program(&FEATURES);
    for action in json["actions"].as_array_mut().expect("actions") {
        let primitives = action["primitives"].as_array_mut().expect("primitives");
        primitives.push(json!({"op": "_jump", "parameters": [{"type": "hexstr", "value": "0x0"}]}));
    }
    let mut rig = Rig::new(&json.to_string());
    assert!(rig.send(1, &request(0, 0, 0, 0, 0)).is_empty());
    assert_eq!(rig.switch.stats().assertion_failures, 1);
}

#[test]
fn saturating_fields_keep_their_limits() {
    let mut json = program(&FEATURES);
    for kind in json["header_types"].as_array_mut().expect("types") {
        for field in kind["fields"].as_array_mut().expect("fields").iter_mut().filter(|field| field[0] == "b") {
            field.as_array_mut().expect("a field").push(json!(true));
        }
    }
    let field = json!({"type": "field", "value": ["request", "b"]});
    let five = json!({"type": "hexstr", "value": "0x5"});
    for action in json["actions"].as_array_mut().expect("actions").iter_mut().filter(|a| a["name"] == "Act.to") {
        let primitives = action["primitives"].as_array_mut().expect("primitives");
        primitives.push(json!({"op": "add_to_field", "parameters": [field.clone(), five.clone()]}));
    }
    let mut rig = Rig::new(&json.to_string());
    let mut sum = |b: u32| common::marked(&rig.send(1, &request(5, 1, 0, b, 0))[0].1).request[4..8].to_vec();
    assert_eq!(sum(1), 6u32.to_be_bytes());
    assert_eq!(sum(u32::MAX - 1), u32::MAX.to_be_bytes());
}

#[test]
fn entries_that_are_not_constant_are_numbered_from_the_last_one() {
    let mut json = program(&FEATURES);
    let tables = json["pipelines"][0]["tables"].as_array_mut().expect("tables");
    let masked = tables.iter_mut().find(|table| table["name"] == "Act.masked").expect("the table");
    let drop = masked["default_entry"]["action_id"].clone();
    let kinds: Vec<Value> =
        masked["key"].as_array().expect("keys").iter().map(|key| key["match_type"].clone()).collect();
    let any = |kind: &Value| match kind.as_str() {
        Some("range") => json!({"match_type": "range", "start": "0x00", "end": "0xff"}),
        Some(other) => json!({"match_type": other, "key": "0x0", "mask": "0x0"}),
        None => json!(null),
    };
    let entry = |priority: i32, b: &str| {
        let mut keys: Vec<Value> = kinds.iter().map(any).collect();
        keys[0] = json!({"match_type": "ternary", "key": b, "mask": "0xffffffff"});
        json!({"match_key": keys, "priority": priority, "action_entry": {"action_id": drop, "action_data": []}})
    };
    masked["entries"] = json!([entry(1, "0x01"), entry(2, "0x02"), entry(3, "0x03")]);
    let mut program = Program::from_json(&json.to_string()).expect("a program");
    let table = program.tables().iter().find(|table| table.name == "Act.masked").expect("the table").id;
    program.make_preinitialized(table, 10);
    let mut rig = Rig::new(&FEATURES);
    rig.switch.load(std::sync::Arc::new(program));
    let entries = rig.switch.table_entries(table).expect("entries");
    assert_eq!(
        entries.iter().map(|e| (e.entry.priority, e.is_const)).collect::<Vec<_>>(),
        [(3, false), (2, false), (1, false)]
    );
    rig.switch.table_delete(table, &entries[0].entry.key, 3).expect("it can be removed");
    let mut new = entries[1].entry.clone();
    new.key[0] = KeyMatch::Ternary { value: vec![0, 0, 0, 9], mask: vec![0xff; 4] };
    rig.switch.table_insert(table, new, 0).expect("there is room");
}
