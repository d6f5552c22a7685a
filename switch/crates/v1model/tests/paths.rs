//! The ways of packets through the architecture, and the stateful externs.

mod common;

use std::sync::Arc;

use common::{FEATURES, FORWARD, HEADERS, Marked, Queue, Rig, bytes, exact, marked, request};
use v1model::{
    CloneSession, ControlError, CounterValue, MeterConfig, MulticastGroup, Program, QueueInfo, Replica, Switch,
    SwitchConfig, ValueSetMember, ValueSetRange,
};

fn clone_session(id: u32, ports: &[(u16, u16)]) -> CloneSession {
    let replicas = ports.iter().map(|(port, rid)| Replica { port: *port, rid: *rid }).collect();
    CloneSession { id, replicas, backups: Vec::new(), class_of_service: 0, max_length: 0 }
}

#[test]
fn counters_meters_registers() {
    let mut rig = Rig::new(&FEATURES);
    let counts = rig.switch.counter_id("Act.counts").expect("a counter");
    let limits = rig.switch.meter_id("Act.limits").expect("a meter");
    rig.switch
        .meter_write(limits, 1, Some(MeterConfig { cir: 1, cburst: 1, pir: 2, pburst: 2, eburst: 0 }), 0)
        .expect("a cell");
    let colors: Vec<u8> = (0..3).map(|_| marked(&rig.send(1, &request(6, 1, 0, 0, 0))[0].1).request[1]).collect();
    assert_eq!(colors, [0, 1, 2]);
    assert_eq!(rig.switch.counter_read(counts, 1), Ok(CounterValue { packets: 3, bytes: 48 }));
    // Behind the end: nothing is counted, and the colour stays what it was.
    rig.send(1, &request(6, 200, 0, 0, 0));
    assert!(matches!(rig.switch.counter_read(counts, 200), Err(ControlError::Index { size: 4, index: 200, .. })));
    rig.switch.counter_write(counts, 0, CounterValue { packets: 5, bytes: 6 }).expect("a cell");
    assert_eq!(rig.switch.counter_read(counts, 0).map(|c| c.packets), Ok(5));

    let cells = rig.switch.register_id("Act.cells").expect("a register");
    rig.switch.register_write(cells, 3, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]).expect("a cell");
    let out = marked(&rig.send(1, &request(7, 3, 0, 3, 0))[0].1);
    assert_eq!(out.request[8..], 0xffff_ffff_fffeu64.to_be_bytes());
    assert_eq!(rig.switch.register_read(cells, 3), Ok(vec![0, 0, 0, 0, 0, 1]), "48 bits wrap");
    assert!(matches!(rig.switch.register_write(cells, 3, &[1; 7]), Err(ControlError::ValueTooWide { width: 48, .. })));
    assert!(rig.switch.register_read(cells, 8).is_err());
    let out = marked(&rig.send(1, &request(7, 200, 0, 3, 5))[0].1);
    assert_eq!(out.request[8..], [0; 8], "a cell that is not there reads as nothing");
    rig.switch.register_clear(cells).expect("a register");
    assert_eq!(rig.switch.register_read(cells, 3), Ok(vec![0; 6]));
}

#[test]
fn digests() {
    let mut rig = Rig::new(&FEATURES);
    assert!(rig.send(3, &request(8, 0, 0x1234, 0, 0x99)).is_empty());
    assert!(rig.switch.has_digests());
    let digests = rig.switch.take_digests();
    assert_eq!(digests.len(), 1);
    let fields: Vec<_> = digests[0].fields.iter().map(|(bytes, valid)| (bytes.as_slice(), *valid)).collect();
    assert_eq!(fields, [(&[0x12, 0x34][..], true), (&[0, 0, 0, 0, 0, 0, 0, 0x99], true), (&[0, 3], true)]);
    assert!(!rig.switch.has_digests());
}

#[test]
fn ingress_clones_are_the_packet_as_it_came() {
    let mut rig = Rig::new(&FEATURES);
    let frame = request(9, 5, 1, 2, 3);
    assert_eq!(rig.send(1, &frame).len(), 1, "a session that is not there clones nothing");
    rig.switch.clone_session_insert(clone_session(5, &[(20, 1), (21, 2)])).expect("a new session");
    let out = rig.send(1, &frame);
    assert_eq!(out.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [20, 21, 1]);
    let clone = Marked { instance_type: 1, rid: 1, packet_length: 16, kept: 5, lost: 0, request: frame.clone() };
    assert_eq!(marked(&out[0].1), clone);
    assert_eq!(marked(&out[1].1), Marked { rid: 2, ..clone });
    let original = marked(&out[2].1);
    assert_eq!((original.instance_type, original.kept, original.lost), (0, 5, 5));
    assert_eq!(original.request, request(9, 5, 1, 2, 0));
    let session = CloneSession { max_length: 10, ..clone_session(5, &[(20, 1)]) };
    rig.switch.clone_session_modify(session.clone()).expect("the session is there");
    assert_eq!(rig.switch.clone_sessions(), [session]);
    assert_eq!(rig.send(1, &frame)[0].1.len(), 10);
    rig.switch.clone_session_delete(5).expect("the session is there");
    assert!(rig.switch.clone_session_delete(5).is_err());
    assert!(rig.switch.clone_session_insert(clone_session(40_000, &[])).is_err());
}

#[test]
fn egress_clones_are_the_packet_as_it_is() {
    let mut rig = Rig::new(&FEATURES);
    rig.switch.clone_session_insert(clone_session(5, &[(20, 0)])).expect("a new session");
    let out = rig.send(1, &request(16, 4, 0, 0, 0));
    let (original, clone) = (marked(&out[0].1), marked(&out[1].1));
    assert_eq!((out[0].0, out[1].0), (1, 20));
    assert_eq!(original.request, request(16, 4, 0, 0, 7));
    // The clone is copied at the end of egress: with the mark, which its own egress then leaves alone.
    assert_eq!(clone.request, request(16, 4, 0, 0, 7));
    assert_eq!(clone.instance_type, 0);
}

#[test]
fn resubmission_and_recirculation() {
    let mut rig = Rig::new(&FEATURES);
    let out = marked(&rig.send(1, &request(10, 4, 0, 0, 0))[0].1);
    assert_eq!((out.instance_type, out.kept, out.packet_length), (0, 4, 16));
    let out = rig.send(1, &request(15, 4, 0, 0, 0));
    // Round again with the mark in front, which is then parsed as the request.
    let outer = marked(&out[0].1);
    assert_eq!(outer.packet_length, 22);
    assert_eq!(marked(&outer.request).request, request(15, 4, 0, 0, 0));
}

#[test]
fn multicast() {
    let mut rig = Rig::new(&FEATURES);
    let replicas = vec![Replica { port: 4, rid: 10 }, Replica { port: 4, rid: 11 }, Replica { port: 6, rid: 12 }];
    let group = MulticastGroup { id: 3, replicas, backups: Vec::new(), metadata: vec![1] };
    assert!(rig.send(1, &request(11, 0, 3, 0, 0)).is_empty());
    rig.switch.multicast_insert(group.clone()).expect("a new group");
    let out = rig.send(1, &request(11, 0, 3, 0, 0));
    let seen: Vec<(u16, u8, u8)> = out.iter().map(|(p, f)| (*p, marked(f).rid, marked(f).instance_type)).collect();
    assert_eq!(seen, [(4, 10, 5), (4, 11, 5), (6, 12, 5)]);
    assert!(matches!(rig.switch.multicast_insert(group.clone()), Err(ControlError::Exists(_))));
    let twice = MulticastGroup { replicas: vec![Replica { port: 1, rid: 1 }; 2], ..group.clone() };
    assert!(rig.switch.multicast_modify(twice).is_err());
    assert!(rig.switch.multicast_insert(MulticastGroup { id: 0, ..group.clone() }).is_err());
    assert_eq!(rig.switch.multicast_groups(), [group]);
    let backups = vec![vec![Replica { port: 7, rid: 1 }, Replica { port: 8, rid: 2 }], vec![], vec![]];
    let with_backups = MulticastGroup { backups, ..rig.switch.multicast_groups().remove(0) };
    rig.switch.multicast_modify(with_backups.clone()).expect("backups");
    let mut ports = |down: &[u16]| {
        down.iter().for_each(|port| rig.switch.set_port_up(*port, false));
        let out = rig.send(1, &request(11, 0, 3, 0, 0));
        down.iter().for_each(|port| rig.switch.set_port_up(*port, true));
        out.iter().map(|(port, frame)| (*port, marked(frame).rid)).collect::<Vec<_>>()
    };
    assert_eq!(ports(&[]), [(4, 10), (4, 11), (6, 12)]);
    assert_eq!(ports(&[4]), [(7, 1), (4, 11), (6, 12)], "only the first has backups");
    assert_eq!(ports(&[4, 7]), [(8, 2), (4, 11), (6, 12)]);
    assert_eq!(ports(&[4, 7, 8]), [(4, 11), (6, 12)]);
    let same_port = MulticastGroup { backups: vec![vec![Replica { port: 4, rid: 77 }]], ..with_backups };
    assert!(rig.switch.multicast_modify(same_port).is_err());
    rig.switch.multicast_delete(3).expect("the group is there");
    assert!(rig.send(1, &request(11, 0, 3, 0, 0)).is_empty());
}

#[test]
fn drop_truncate_random_hash_assert() {
    let mut rig = Rig::new(&FEATURES);
    assert!(rig.send(1, &request(18, 0, 0, 0, 0)).is_empty());
    assert_eq!(rig.switch.stats().egress_drops, 1);
    assert_eq!(rig.send(1, &request(17, 1, 2, 3, 4))[0].1, request(17, 1, 2, 3, 4)[..8]);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let out = marked(&rig.send(1, &request(12, 0, 0, 0, 0))[0].1);
        seen.insert(u32::from_be_bytes([out.request[4], out.request[5], out.request[6], out.request[7]]));
    }
    assert_eq!(seen, (10..=20).collect());
    let out = marked(&rig.send(1, &request(13, 0, 0x3132, 0, 0x3334_3536_3738_3930))[0].1);
    // CRC-32 of "1234567890" is 0x261daee5.
    assert_eq!(out.request[4..8], (100 + 0x261d_aee5u32 % 1000).to_be_bytes());
    assert_eq!(rig.send(1, &request(14, 1, 0, 0, 0)).len(), 1);
    assert!(rig.send(1, &request(14, 0, 0, 0, 0)).is_empty());
    assert_eq!(rig.switch.stats().assertion_failures, 1);
}

#[test]
fn the_same_seed_gives_the_same_random_numbers() {
    let run = |seed| {
        let mut rig = Rig::new(&FEATURES);
        let mut switch = Switch::new(SwitchConfig { seed, ..SwitchConfig::default() });
        switch.load(rig.switch.program().expect("a program").clone());
        rig.switch = switch;
        (0..20).map(|_| rig.send(1, &request(12, 0, 0, 0, 0))[0].1.clone()).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn parser_errors_and_value_sets() {
    let mut rig = Rig::new(&FEATURES);
    assert_eq!(rig.send(1, &request(0, 0, 0, 0, 0)[..15])[0].0, 9, "too short");
    assert_eq!(rig.send(1, &[])[0].0, 9);
    assert_eq!(rig.send(1, &request(0, 0, 0, 0, 0))[0].0, 1);
    let set = rig.switch.program().expect("a program").value_sets()[0].id;
    rig.switch
        .value_set_write(set, vec![ValueSetMember { value: vec![77], mask: None, ranges: Vec::new() }])
        .expect("it fits");
    assert_eq!(rig.send(1, &request(77, 0, 0, 0, 0))[0].0, 9);
    assert_eq!(rig.send(1, &request(78, 0, 0, 0, 0))[0].0, 1);
    rig.switch
        .value_set_write(set, vec![ValueSetMember { value: vec![0xf0], mask: Some(vec![0xf0]), ranges: Vec::new() }])
        .expect("it fits");
    assert_eq!(rig.send(1, &request(0xf5, 0, 0, 0, 0))[0].0, 9);
    assert_eq!(rig.send(1, &request(77, 0, 0, 0, 0))[0].0, 1);
    assert_eq!(rig.switch.value_set_read(set).map(|m| m.len()), Ok(1));
    assert!(
        rig.switch
            .value_set_write(set, vec![ValueSetMember { value: vec![1, 0], mask: None, ranges: Vec::new() }])
            .is_err()
    );
    let range = ValueSetRange { start: 0, low: vec![100], high: vec![110] };
    let member = ValueSetMember { value: vec![0], mask: Some(vec![0]), ranges: vec![range.clone()] };
    rig.switch.value_set_write(set, vec![member.clone()]).expect("it fits");
    let ports = [99u8, 100, 110, 111].map(|op| rig.send(1, &request(op, 0, 0, 0, 0))[0].0);
    assert_eq!(ports, [1, 9, 9, 1]);
    let beyond = ValueSetMember { ranges: vec![ValueSetRange { start: 1, ..range }], ..member };
    assert!(rig.switch.value_set_write(set, vec![beyond]).is_err());
    assert_eq!(rig.switch.stats().parser_errors, 6);
}

/// p4c's JSON says nothing of a value that no case has; BMv2 accepts the packet then.
#[test]
fn a_select_without_a_match_accepts_if_the_program_says_nothing() {
    let mut json: serde_json::Value = serde_json::from_str(&HEADERS).expect("JSON");
    let first_byte = |json: &serde_json::Value| Rig::new(&json.to_string()).send(1, &[0x0c, 0])[0].1[0];
    assert_eq!(first_byte(&json), 2, "error.NoMatch");
    let states = json["parsers"][0]["parse_states"].as_array_mut().expect("states");
    let transitions = states.iter_mut().flat_map(|state| state["transitions"].as_array_mut().expect("transitions"));
    for transition in transitions.filter(|transition| transition["next_state"] == "noMatch") {
        transition["next_state"] = serde_json::Value::Null;
    }
    assert_eq!(first_byte(&json), 0, "no error");
}

#[test]
fn checksums_are_verified_and_updated() {
    let mut rig = Rig::new(&FORWARD);
    rig.add(
        "Route.routes",
        vec![v1model::KeyMatch::Lpm { value: vec![10, 0, 0, 0], prefix_len: 8 }],
        "Route.forward",
        &[&[1], &[2], &[3]],
    );
    // RFC 1071 by hand: 4500+0014+4006+0a00+0001+0a01+0203 = 9b1f.
    let good = bytes("000000000009000000000008 0800 4500001400000000 4006 64e0 0a000001 0a010203");
    let out = rig.send(1, &good);
    assert_eq!(out[0].1, bytes("000000000002000000000001 0800 4500001400000000 3f06 65e0 0a000001 0a010203"));
    let mut bad = good.clone();
    bad[24] ^= 1;
    assert!(rig.send(1, &bad).is_empty());
    assert!(rig.send(1, &bytes("000000000009000000000008 86dd 00")).is_empty());
    assert_eq!(rig.switch.stats().ingress_drops, 2);
}

#[test]
fn queued_packets_of_an_older_program_are_dropped() {
    let mut rig = Rig::new(&FEATURES);
    let mut queue = Queue::default();
    rig.switch.receive(&request(0, 0, 0, 0, 0), 1, 0, &mut queue);
    let (_, priority, packet) = queue.0.pop_front().expect("a packet");
    assert_eq!((priority, packet.length()), (0, 16));
    rig.switch.load(Arc::new(Program::from_json(&FORWARD).expect("a program")));
    assert!(rig.switch.egress(packet, &QueueInfo::default(), 0, &mut queue).is_none());
    let mut empty = Switch::new(SwitchConfig::default());
    empty.receive(&[1, 2, 3], 1, 0, &mut queue);
    assert!(queue.0.is_empty());
    assert!(matches!(empty.table_entries(v1model::TableId(0)), Err(ControlError::NoProgram)));
}

#[test]
fn a_full_queue_is_counted() {
    struct Full;
    impl v1model::TrafficManager for Full {
        fn enqueue(
            &mut self,
            _: u16,
            _: v1model::Place,
            packet: Box<v1model::Packet>,
        ) -> Result<(), Box<v1model::Packet>> {
            Err(packet)
        }
    }
    let mut rig = Rig::new(&FEATURES);
    rig.switch.receive(&request(0, 0, 0, 0, 0), 1, 0, &mut Full);
    assert_eq!(rig.switch.stats().queue_rejects, 1);
    let _ = exact(&[1]);
}
