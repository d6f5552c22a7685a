//! The events that a trace shows of a packet's way.

mod common;

use common::{FORWARD, Rig, bytes};
use v1model::{KeyMatch, TraceStep};

const PACKET: &str = "000000000009000000000008080045000014000000004006 64e00a0000010a010203cafe";

fn router() -> Rig {
    let mut rig = Rig::new(&FORWARD);
    let key = vec![KeyMatch::Lpm { value: vec![10, 1, 2, 0], prefix_len: 24 }];
    rig.add("Route.routes", key, "Route.forward", &[&[4], &[5], &[2]]);
    rig
}

fn frame(destination: &str) -> Vec<u8> {
    bytes(&PACKET.replace(' ', "").replace("0a010203", destination))
}

#[test]
fn one_packet_s_way_as_text() {
    let mut rig = router();
    rig.now_ns = 1_500_000;
    rig.switch.trace_on("dst 10.1.2.0/24 count 1".parse().expect("a filter"));
    assert_eq!(rig.send(7, &frame("0a010203")).len(), 1);
    rig.send(7, &frame("0a010203"));
    let text: Vec<String> = rig.switch.take_trace().iter().map(ToString::to_string).collect();
    let text = text.join("\n");
    let expected = [
        "#1 received on port 7: 36 bytes  at 0.001500 s",
        "parser start → ipv4",
        "ethernet: destination=00:00:00:00:00:09, source=00:00:00:00:00:08, type=2048 (0x800)",
        "parser ipv4 → accept",
        "checksums right",
        "headers.ipv4.isValid() && headers.ipv4.ttl > 1 && standa … is true  (",
        "table Route.routes {headers.ipv4.destination=10.1.2.3 (0x0a010203)} \
         hit headers.ipv4.destination=10.1.2.0/24 (0x0a010200/24) → Route.forward(source=4, destination=5, port=2)  (",
        "headers.ipv4.ttl = headers.ipv4.ttl - 1   ▸ ipv4.ttl: 64 (0x40) → 63 (0x3f)  (",
        "standard.egress_spec = port   ▸ standard_metadata.egress_spec: 0 → 2  (",
        "enqueue port 2",
        "egress to port 2",
        "deparser ethernet, ipv4; 2 bytes of payload",
        "ipv4.checksum: 25824 (0x64e0) → 26080 (0x65e0)",
        "sent by port 2: 36 bytes",
    ];
    let mut rest = &text[..];
    for part in expected {
        let at = rest.find(part).unwrap_or_else(|| panic!("not found, or not in this order: {part}\n{text}"));
        rest = &rest[at + part.len()..];
    }
    assert!(text.lines().all(|line| line.starts_with("#1 ")), "only the first packet: {text}");
}

#[test]
fn events_say_it_for_machines() {
    let mut rig = router();
    rig.switch.trace_on("brief".parse().expect("a filter"));
    rig.send(7, &frame("0a010203"));
    let events = rig.switch.take_trace();
    let table = events.iter().find(|event| matches!(event.step, TraceStep::Table { .. })).expect("a table");
    let json = serde_json::to_value(table).expect("JSON");
    assert_eq!(json["event"], "table");
    assert_eq!(json["packet"], 1);
    assert_eq!(json["entry"][0]["value"], "10.1.2.0/24 (0x0a010200/24)");
    assert_eq!(json["data"][2], serde_json::json!({"name": "port", "value": "2"}));
    assert!(json["source"]["line"].as_u64().is_some_and(|line| line > 0));
    // Only tables and operations that change state.
    assert!(!events.iter().any(|event| matches!(event.step, TraceStep::Condition { .. })));
}

#[test]
fn why_a_packet_goes_no_further() {
    let mut rig = router();
    rig.switch.trace_on("count 3".parse().expect("a filter"));
    let reasons = |rig: &mut Rig| -> Vec<String> {
        let steps = rig.switch.take_trace().into_iter().map(|event| event.step);
        steps
            .filter_map(|step| match step {
                TraceStep::Dropped { reason } => Some(reason),
                TraceStep::Table { hit: false, table, .. } => Some(format!("{table} missed")),
                TraceStep::ChecksumsVerified { ok: false } => Some("checksum".to_owned()),
                TraceStep::ParserState { error, .. } => error,
                _ => None,
            })
            .collect()
    };
    rig.send(7, &frame("0a020204"));
    assert_eq!(reasons(&mut rig), ["checksum", "at the end of ingress: egress_spec is the drop port"]);
    rig.send(7, &frame("0a030201"));
    assert_eq!(reasons(&mut rig), ["Route.routes missed", "at the end of ingress: egress_spec is the drop port"]);
    rig.send(7, &frame("0a010203")[..20]);
    assert_eq!(reasons(&mut rig)[0], "PacketTooShort");
    rig.send(7, &frame("0a010203"));
    assert!(!rig.switch.has_trace(), "three packets were asked for");
}

#[test]
fn a_trace_ends() {
    let mut rig = router();
    rig.switch.trace_on("".parse().expect("a filter"));
    rig.switch.trace_off();
    rig.send(7, &frame("0a010203"));
    assert!(!rig.switch.has_trace());
}
