//! The JSON protocol.

use std::sync::Arc;

use serde_json::{Value, json};
use v1model::{Program, SwitchConfig};

use p4sim::Simulator;
use p4sim::requests::{answer, from_hex, to_hex};

const FEATURES: &str = include_str!("../../v1model/tests/programs/features.p4");

fn ask(simulator: &mut Simulator, request: &Value) -> Value {
    serde_json::from_str(&answer(simulator, &request.to_string())).expect("an answer is JSON")
}

fn simulator() -> Simulator {
    let json = p4c_driver::compile::json("features.p4", FEATURES).expect("the program compiles");
    let program = Program::from_json(&json).expect("the program loads");
    Simulator::new(Arc::new(program), SwitchConfig { cpu_port: Some(510), ..SwitchConfig::default() })
}

#[test]
fn requests_and_answers() {
    let mut s = simulator();
    let packet = |hex: &str| json!({"op": "packet", "port": 1, "data": hex, "time_us": 1000});
    let add = json!({"op": "table_add", "table": "Act.exactly", "match": [{"exact": "1234"}, {"exact": "5"}],
        "action": "Act.counted", "params": ["07"]});
    assert_eq!(ask(&mut s, &add), json!({}));
    let out = ask(&mut s, &packet("01051234000000000000000000000000"));
    assert_eq!(out, json!({"packets": [{"port": 7, "data": "00000010050501051234000000000000000000000000"}]}));
    let read = json!({"op": "counter_read", "table": "exactly", "match": [{"exact": "1234"}, {"exact": "05"}]});
    assert_eq!(ask(&mut s, &read)["packets"], 1);
    assert!(ask(&mut s, &add)["error"].as_str().is_some_and(|e| e.contains("exists already")));

    let write = |value: Value| json!({"op": "register_write", "register": "Act.cells", "index": 2, "value": value});
    let read = json!({"op": "register_read", "register": "Act.cells", "index": 2});
    assert_eq!(ask(&mut s, &write(json!(77))), json!({}));
    assert_eq!(ask(&mut s, &read), json!({"value": 77}));
    assert_eq!(ask(&mut s, &write(json!("0xffffffffffff"))), json!({}));
    assert_eq!(ask(&mut s, &read), json!({"value": 281_474_976_710_655u64}));
    let dump = json!({"op": "register_dump", "register": "Act.cells", "start": 1, "count": 2});
    assert_eq!(ask(&mut s, &dump), json!({"values": [0, 281_474_976_710_655u64]}));

    assert_eq!(ask(&mut s, &json!({"op": "clone_session", "session": 5, "port": 510})), json!({}));
    let out = ask(&mut s, &packet("09050000000000000000000000000000"));
    assert_eq!(out["packets"][0]["port"], 510);
    assert_eq!(ask(&mut s, &json!({"op": "multicast", "group": 1, "ports": [1, 2]})), json!({}));
    let out = ask(&mut s, &packet("0b000001000000000000000000000000"));
    assert_eq!(out["packets"].as_array().map(Vec::len), Some(2));
    assert_eq!(ask(&mut s, &packet("08000001000000000000000000000000")), json!({"packets": []}));
    assert_eq!(ask(&mut s, &json!({"op": "digests"}))["digests"][0]["fields"][0], "0001");
    assert_eq!(ask(&mut s, &json!({"op": "reset"})), json!({}));
    assert_eq!(ask(&mut s, &read), json!({"value": 0}));
}

#[test]
fn packets_are_traced() {
    let mut s = simulator();
    assert_eq!(ask(&mut s, &json!({"op": "trace", "filter": "in 1 count 1"})), json!({}));
    let packet = json!({"op": "packet", "port": 1, "data": "08000001000000000000000000000000"});
    let trace = ask(&mut s, &packet)["trace"].clone();
    assert_eq!(trace[0]["event"], "received");
    assert_eq!(trace[0]["text"], "#1 received on port 1: 16 bytes  at 0.000000 s");
    assert!(ask(&mut s, &packet)["trace"].is_null());
    assert_eq!(ask(&mut s, &json!({"op": "trace", "filter": "off"})), json!({}));
    let wrong = ask(&mut s, &json!({"op": "trace", "filter": "fly"}));
    assert!(wrong["error"].as_str().is_some_and(|e| e.contains("\"fly\" is not known")));
}

#[test]
fn a_packet_finds_the_queue_that_the_request_says() {
    let mut s = simulator();
    assert_eq!(ask(&mut s, &json!({"op": "trace", "filter": "in 1 count 1"})), json!({}));
    let queue = json!({"enq_qdepth": 40, "deq_qdepth": 7, "deq_timedelta_us": 1250});
    let out =
        ask(&mut s, &json!({"op": "packet", "port": 1, "data": "06000001000000000000000000000000", "queue": queue}));
    let events = out["trace"].as_array().map(Vec::as_slice).unwrap_or_default();
    let egress: Vec<&Value> = events.iter().filter(|event| event["event"] == "egress").collect();
    assert_eq!(egress.len(), 1, "{out}");
    assert_eq!((&egress[0]["enq_qdepth"], &egress[0]["deq_timedelta_us"]), (&json!(40), &json!(1250)));
    let unknown = json!({"op": "packet", "port": 1, "data": "08", "queue": {"depth": 1}});
    assert!(ask(&mut s, &unknown)["error"].is_string());
}

#[test]
fn a_packet_waits_until_it_is_asked_to_leave() {
    let mut s = simulator();
    let frame = "06000001000000000000000000000000";
    let held = ask(&mut s, &json!({"op": "arrive", "port": 1, "data": frame, "time_us": 5}));
    let packet = held["held"][0]["packet"].clone();
    assert_eq!(held["held"].as_array().map(Vec::len), Some(1), "{held}");
    let leave = json!({"op": "leave", "packet": packet, "time_us": 9, "queue": {"deq_qdepth": 2, "queue_bytes": 128}});
    let at_once = ask(&mut s, &json!({"op": "packet", "port": 1, "data": frame, "time_us": 5}));
    assert_eq!(ask(&mut s, &leave), at_once);
    assert_eq!(ask(&mut s, &leave)["error"], "there is no waiting packet \"0\"");
}

#[test]
fn every_mistake_has_one_answer() {
    let mut s = simulator();
    for line in [
        "",
        "{}",
        "null",
        "{\"op\":\"fly\"}",
        "{\"op\":\"packet\",\"port\":1}",
        "{\"op\":\"packet\",\"port\":1,\"data\":\"xyz\"}",
        "{\"op\":\"packet\",\"port\":70000,\"data\":\"00\"}",
        "{\"op\":\"table_add\",\"table\":\"none\",\"match\":[],\"action\":\"x\"}",
        "{\"op\":\"table_add\",\"table\":\"Act.exactly\",\"match\":[],\"action\":\"Act.drop\"}",
        "{\"op\":\"table_default\",\"table\":\"Act.exactly\"}",
        "{\"op\":\"register_read\",\"register\":\"Act.cells\",\"index\":8}",
        "{\"op\":\"register_write\",\"register\":\"Act.cells\",\"index\":0,\"value\":\"1x\"}",
        "{\"op\":\"counter_read\"}",
        "{\"op\":\"counter_read\",\"counter\":\"none\"}",
        "{\"op\":\"multicast\",\"group\":0}",
    ] {
        let text = answer(&mut s, line);
        assert!(text.starts_with("{\"error\":") && !text.contains('\n'), "{line}: {text}");
    }
}

#[test]
fn a_packet_that_goes_round_for_ever_ends() {
    let mut s = simulator();
    // Clones of clones: session 5 sends to a port whose egress clones again.
    assert_eq!(ask(&mut s, &json!({"op": "clone_session", "session": 5, "ports": [1, 2]})), json!({}));
    let out = ask(&mut s, &json!({"op": "packet", "port": 1, "data": "10000000000000000000000000000000"}));
    assert!(out["packets"].as_array().is_some_and(|p| p.len() <= 10_000));
}

#[test]
fn hexadecimal() {
    assert_eq!(from_hex("0x1ff").ok(), Some(vec![1, 0xff]));
    assert_eq!(from_hex("").ok(), Some(vec![]));
    assert!(from_hex("0g").is_err());
    assert_eq!(to_hex(&[0, 0xab]), "00ab");
}
