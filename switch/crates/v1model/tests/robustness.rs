//! Nothing that comes in, packet or program, may crash the switch.

mod common;

use common::{FEATURES, FORWARD, Rig};
use serde_json::Value;
use v1model::Program;

/// A small generator: the tests must not depend on anything outside.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

#[test]
fn random_packets() {
    let mut random = Random(42);
    for json in [&*FEATURES, &*FORWARD] {
        let mut rig = Rig::new(json);
        for _ in 0..20_000 {
            let length = random.below(80);
            let mut frame: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            if let (Some(first), true) = (frame.first_mut(), random.below(2) == 0) {
                *first %= 20;
            }
            let port = random.below(600) as u16;
            rig.now_ns += 1_000;
            rig.send(port, &frame);
        }
    }
}

/// All places in a JSON value.
fn places(value: &Value, at: &mut Vec<String>, out: &mut Vec<String>) {
    out.push(at.concat());
    let mut step = |key: String, inner: &Value| {
        at.push(format!("/{}", key.replace('~', "~0").replace('/', "~1")));
        places(inner, at, out);
        at.pop();
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| step(key.clone(), inner)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, inner)| step(i.to_string(), inner)),
        _ => {}
    }
}

#[test]
fn damaged_programs_are_refused_or_run() {
    let original: Value = serde_json::from_str(&FEATURES).expect("JSON");
    let mut all = Vec::new();
    places(&original, &mut Vec::new(), &mut all);
    let mut random = Random(7);
    let wrong = [
        serde_json::json!(null),
        serde_json::json!(-1),
        serde_json::json!(4_000_000_000u64),
        serde_json::json!(7),
        serde_json::json!("nothing"),
        serde_json::json!("0xffffffffffffffffffffffffffffffffffffffff"),
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!(true),
    ];
    let mut loaded = 0;
    for round in 0..1_500 {
        let mut damaged = original.clone();
        let place = &all[random.below(all.len())];
        if place.contains("source_info") {
            continue;
        }
        if let Some(target) = damaged.pointer_mut(place) {
            *target = wrong[round % wrong.len()].clone();
        }
        match Program::from_json(&damaged.to_string()) {
            Err(error) => {
                assert!(!error.to_string().is_empty() && !error.message.contains("please report"), "{error} at {place}")
            }
            Ok(_) => {
                loaded += 1;
                let mut rig = Rig::new(&damaged.to_string());
                for op in 0..20 {
                    rig.send(1, &common::request(op, 1, 1, 1, 1));
                }
            }
        }
    }
    assert!(loaded > 0);
}

#[test]
fn errors_say_where() {
    let error = |text: &str| Program::from_json(text).map(|_| ()).expect_err("it is wrong").to_string();
    assert!(error("{").contains("line 1"));
    assert!(error("[]").contains("not BMv2 JSON"));
    assert!(error(&"[".repeat(100_000)).contains("levels deep"));
    assert!(error(r#"{"__meta__":{"version":[3,0]}}"#).contains("major version 3"));
    let mut json: Value = serde_json::from_str(&FORWARD).expect("JSON");
    json["pipelines"][0]["tables"][0]["key"][0]["target"][1] = serde_json::json!("absent");
    let text = error(&json.to_string());
    assert!(text.contains("pipelines[0] \"ingress\" / tables[0]") && text.contains("no field \"absent\""), "{text}");
    let mut json: Value = serde_json::from_str(&FORWARD).expect("JSON");
    json["actions"][1]["primitives"][0]["op"] = serde_json::json!("fly");
    assert!(error(&json.to_string()).contains("no operation \"fly\""));
}
