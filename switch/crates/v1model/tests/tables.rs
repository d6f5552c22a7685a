//! Tables of every kind, their entries, and the operations that the control plane may not do.

mod common;

use common::{FEATURES, FORWARD, Rig, bytes, exact, marked, request};
use v1model::{
    ActionSet, ActionSpec, ControlError, GroupMember, KeyMatch, MatchKind, MeterConfig, ProfileGroup, ProfileMember,
    Selection, TableKind, WeightedAction,
};

fn ternary(value: &[u8], mask: &[u8]) -> KeyMatch {
    KeyMatch::Ternary { value: value.to_vec(), mask: mask.to_vec() }
}

fn range(low: u8, high: u8) -> KeyMatch {
    KeyMatch::Range { low: vec![low], high: vec![high] }
}

#[test]
fn introspection() {
    let rig = Rig::new(&FEATURES);
    let program = rig.switch.program().expect("a program").clone();
    let id = rig.switch.table_id("Act.masked").expect("a table");
    let table = &program.tables()[id.0 as usize];
    assert!(table.has_priority);
    assert_eq!(table.keys.len(), 3);
    assert_eq!((table.keys[0].kind, table.keys[0].width), (MatchKind::Ternary, 32));
    assert_eq!((table.keys[1].kind, table.keys[1].width), (MatchKind::Range, 8));
    assert_eq!(table.keys[0].name, "headers.request.b");
    let id = rig.switch.table_id("Act.chosen").expect("a table");
    assert!(matches!(program.tables()[id.0 as usize].kind, TableKind::Selector(_)));
    let action = rig.switch.action_id(id, "Act.to").expect("an action");
    let info = &program.actions()[action.0 as usize];
    assert_eq!((info.params[0].name.as_str(), info.params[0].width), ("port", 9));
    assert_eq!(rig.switch.register_id("Act.cells").map(|r| program.registers()[r.0 as usize].width), Some(48));
    assert!(rig.switch.table_id("nothing").is_none());
}

#[test]
fn exact_entries_and_their_counters() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.exactly").expect("a table");
    let key = vec![exact(&[0x12, 0x34]), exact(&[5])];
    rig.add("Act.exactly", key.clone(), "Act.counted", &[&[7]]);
    assert_eq!(rig.send(1, &request(1, 5, 0x1234, 0, 0))[0].0, 7);
    assert!(rig.send(1, &request(1, 6, 0x1234, 0, 0)).is_empty());
    assert_eq!(rig.switch.direct_counter_read(table, Some((&key, 0))).map(|c| (c.packets, c.bytes)), Ok((1, 16)));
    assert_eq!(rig.switch.direct_counter_read(table, None).map(|c| c.packets), Ok(1));

    let again = rig.entry("Act.exactly", key.clone(), "Act.drop", &[]);
    assert!(matches!(rig.switch.table_insert(table, again.clone(), 0), Err(ControlError::Exists(_))));
    rig.switch.table_modify(table, again, 0).expect("the entry is there");
    assert!(rig.send(1, &request(1, 5, 0x1234, 0, 0)).is_empty());
    assert_eq!(rig.switch.direct_counter_read(table, Some((&key, 0))).map(|c| c.packets), Ok(2));

    let view = rig.switch.table_entry(table, &key, 0).expect("the entry is there");
    assert_eq!(view.entry.key, key);
    assert_eq!(view.counter.map(|c| c.packets), Some(2));
    rig.switch.table_delete(table, &key, 0).expect("the entry is there");
    assert!(matches!(rig.switch.table_delete(table, &key, 0), Err(ControlError::NotFound(_))));
    assert_eq!(rig.switch.table_entries(table).map(|e| e.len()), Ok(0));
}

#[test]
fn entries_are_checked() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.exactly").expect("a table");
    let masked = rig.switch.table_id("Act.masked").expect("a table");
    let insert = |rig: &mut Rig, key: Vec<KeyMatch>, params: &[&[u8]]| {
        let entry = rig.entry("Act.exactly", key, "Act.counted", params);
        rig.switch.table_insert(table, entry, 0)
    };
    let good = || vec![exact(&[1]), exact(&[0, 0, 2])];
    assert!(matches!(
        insert(&mut rig, vec![exact(&[1])], &[&[1]]),
        Err(ControlError::Count { expected: 2, got: 1, .. })
    ));
    assert!(matches!(
        insert(&mut rig, vec![exact(&[1, 0, 0]), exact(&[2])], &[&[1]]),
        Err(ControlError::ValueTooWide { width: 16, .. })
    ));
    assert!(matches!(insert(&mut rig, vec![range(0, 1), exact(&[2])], &[&[1]]), Err(ControlError::MatchKind { .. })));
    assert!(matches!(insert(&mut rig, good(), &[&[0x02, 0x00]]), Err(ControlError::ValueTooWide { width: 9, .. })));
    assert!(matches!(insert(&mut rig, good(), &[]), Err(ControlError::Count { .. })));
    for number in 0..4 {
        insert(&mut rig, vec![exact(&[number]), exact(&[1])], &[&[1]]).expect("there is room");
    }
    assert!(matches!(insert(&mut rig, good(), &[&[1]]), Err(ControlError::Full { size: 4, .. })));

    let mut entry =
        rig.entry("Act.masked", vec![ternary(&[1], &[1]), range(3, 2), KeyMatch::Optional(None)], "Act.to", &[&[1]]);
    assert!(matches!(rig.switch.table_insert(masked, entry.clone(), 0), Err(ControlError::Invalid(_))));
    entry.idle_timeout_ns = 1;
    assert!(matches!(rig.switch.table_insert(masked, entry, 0), Err(ControlError::Unsupported(_))));

    let fixed = rig.switch.table_id("Act.fixed").expect("a table");
    let entry = rig.entry("Act.fixed", vec![exact(&[3])], "Act.drop", &[]);
    assert!(matches!(rig.switch.table_insert(fixed, entry, 0), Err(ControlError::Constant(_))));
    assert!(matches!(rig.switch.table_delete(fixed, &[exact(&[1])], 0), Err(ControlError::Constant(_))));
    let call = ActionSpec::Call(rig.call("Act.fixed", "Act.to", &[&[1]]));
    assert!(matches!(rig.switch.table_set_default(fixed, call), Err(ControlError::Constant(_))));
    assert_eq!(rig.switch.table_entries(fixed).map(|e| e.iter().filter(|e| e.is_const).count()), Ok(2));
}

#[test]
fn const_entries_and_default_actions() {
    let mut rig = Rig::new(&FEATURES);
    assert_eq!(rig.send(1, &request(5, 1, 0, 0, 0))[0].0, 11);
    assert_eq!(rig.send(1, &request(5, 2, 0, 0, 0))[0].0, 12);
    assert!(rig.send(1, &request(5, 3, 0, 0, 0)).is_empty());
    let table = rig.switch.table_id("Act.masked").expect("a table");
    assert!(rig.send(1, &request(2, 0, 0, 0, 0)).is_empty());
    let call = rig.call("Act.masked", "Act.to", &[&[3]]);
    rig.switch.table_set_default(table, ActionSpec::Call(call.clone())).expect("not constant");
    assert_eq!(rig.send(1, &request(2, 0, 0, 0, 0))[0].0, 3);
    assert_eq!(
        rig.switch.table_default(table),
        Ok(Some(ActionSpec::Call(rig.call("Act.masked", "Act.to", &[&[0, 3]]))))
    );
    rig.switch.table_reset_default(table).expect("not constant");
    assert!(rig.send(1, &request(2, 0, 0, 0, 0)).is_empty());
    assert_eq!(rig.switch.table_initial_default(table).map(|d| d.map(|c| c.params.len())), Ok(Some(0)));
}

#[test]
fn masks_ranges_and_priorities() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.masked").expect("a table");
    let mut add = |key: Vec<KeyMatch>, priority: i32, port: u8| {
        let mut entry = rig.entry("Act.masked", key, "Act.to", &[&[port]]);
        entry.priority = priority;
        rig.switch.table_insert(table, entry, 0).expect("the entry fits");
    };
    add(vec![ternary(&bytes("ff000000"), &bytes("ff000000")), range(0, 255), KeyMatch::Optional(None)], 1, 1);
    add(vec![ternary(&bytes("ff000001"), &bytes("ff0000ff")), range(10, 20), KeyMatch::Optional(None)], 2, 2);
    add(vec![ternary(&[0], &[0]), range(15, 15), KeyMatch::Optional(Some(vec![9]))], 3, 3);
    let mut port = |index, a, b| rig.send(1, &request(2, index, a, b, 0)).first().map(|(port, _)| *port);
    assert_eq!(port(1, 0, 0xff12_3456), Some(1));
    assert_eq!(port(10, 0, 0xff00_0001), Some(2));
    assert_eq!(port(20, 0, 0xff00_0001), Some(2));
    assert_eq!(port(21, 0, 0xff00_0001), Some(1));
    assert_eq!(port(15, 9, 0xff00_0001), Some(3));
    assert_eq!(port(15, 8, 0xff00_0001), Some(2));
    assert_eq!(port(15, 9, 0), Some(3));
    assert_eq!(port(14, 9, 0), None);
    let key = [ternary(&bytes("ff000001"), &bytes("ff0000ff")), range(10, 20), KeyMatch::Optional(None)];
    assert!(rig.switch.table_delete(table, &key, 1).is_err());
    rig.switch.table_delete(table, &key, 2).expect("the entry is there");
    assert_eq!(rig.send(1, &request(2, 10, 0, 0xff00_0001, 0))[0].0, 1);
    rig.switch.table_clear(table).expect("not constant");
    assert!(rig.send(1, &request(2, 10, 0, 0xff00_0001, 0)).is_empty());
}

/// An IPv4 packet to this address.
fn ipv4(destination: &str) -> Vec<u8> {
    let mut packet = bytes(&format!("000000000001000000000002 0800 4500001400000000 4006 0000 0a000001 {destination}"));
    let sum: u32 = packet[14..].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    let checksum = !((sum & 0xffff) as u16 + (sum >> 16) as u16);
    packet[24..26].copy_from_slice(&checksum.to_be_bytes());
    packet
}

#[test]
fn longest_prefix() {
    let mut rig = Rig::new(&FORWARD);
    let table = rig.switch.table_id("Route.routes").expect("a table");
    let lpm = |value: &str, prefix_len| vec![KeyMatch::Lpm { value: bytes(value), prefix_len }];
    for (prefix, length, port) in [("0a000000", 8, 1u8), ("0a010000", 16, 2), ("0a010203", 32, 3), ("00000000", 0, 4)] {
        rig.add("Route.routes", lpm(prefix, length), "Route.forward", &[&[1], &[2], &[port]]);
    }
    let port = |rig: &mut Rig, destination: &str| rig.send(9, &ipv4(destination))[0].0;
    assert_eq!(port(&mut rig, "0a020304"), 1);
    assert_eq!(port(&mut rig, "0a010304"), 2);
    assert_eq!(port(&mut rig, "0a010203"), 3);
    assert_eq!(port(&mut rig, "0b010203"), 4);
    rig.switch.table_delete(table, &lpm("0a010000", 16), 0).expect("the entry is there");
    assert_eq!(port(&mut rig, "0a010304"), 1);
    // Bits behind the prefix do not count.
    assert!(matches!(
        rig.switch.table_insert(table, rig.entry("Route.routes", lpm("0aff0000", 8), "Route.drop", &[]), 0),
        Err(ControlError::Exists(_))
    ));
    assert!(matches!(
        rig.switch.table_insert(table, rig.entry("Route.routes", lpm("0aff0000", 33), "Route.drop", &[]), 0),
        Err(ControlError::Invalid(_))
    ));
}

#[test]
fn direct_meters() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.metered").expect("a table");
    let key = vec![KeyMatch::Lpm { value: vec![0x10, 0], prefix_len: 8 }];
    rig.add("Act.metered", key.clone(), "Act.limited", &[&[1]]);
    let color = |rig: &mut Rig| marked(&rig.send(1, &request(3, 9, 0x1001, 0, 0))[0].1).request[1];
    assert_eq!(color(&mut rig), 0, "without rates everything is green");
    let config = MeterConfig { cir: 16_000_000, cburst: 32, pir: 32_000_000, pburst: 64, eburst: 0 };
    rig.switch.direct_meter_write(table, Some((&key, 0)), Some(config), 0).expect("rates are right");
    assert_eq!(rig.switch.direct_meter_read(table, Some((&key, 0))), Ok(Some(config)));
    // Two packets of 16 bytes fit the committed burst, two more the peak one.
    let colors: Vec<u8> = (0..5).map(|_| color(&mut rig)).collect();
    assert_eq!(colors, [0, 0, 1, 1, 2]);
    // A microsecond brings 16 committed bytes and 32 peak ones.
    rig.now_ns += 1_000;
    let colors: Vec<u8> = (0..3).map(|_| color(&mut rig)).collect();
    assert_eq!(colors, [0, 1, 2]);
    let wrong = MeterConfig { pir: 1, ..config };
    assert!(rig.switch.direct_meter_write(table, Some((&key, 0)), Some(wrong), 0).is_err());
    assert!(rig.switch.direct_meter_write(table, None, Some(config), 0).is_err());
    rig.switch.direct_meter_write(table, None, None, 0).expect("a default action has no meter to take back");
}

#[test]
fn action_selectors() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.chosen").expect("a table");
    let profile = rig.switch.action_profile_id("Act.choices").expect("a profile");
    for member in [1u32, 2, 3] {
        let call = rig.call("Act.chosen", "Act.to", &[&[member as u8]]);
        rig.switch.member_insert(profile, ProfileMember { id: member, call }).expect("there is room");
    }
    let members =
        |ids: &[u32]| ids.iter().map(|m| GroupMember { member: *m, weight: 1, watch_port: Some(*m as u16) }).collect();
    let group = ProfileGroup { id: 7, max_size: 4, members: members(&[1, 2, 3]) };
    rig.switch.group_insert(profile, group.clone()).expect("members are there");
    assert_eq!(rig.switch.groups(profile), Ok(vec![group.clone()]));
    let entry = |rig: &Rig, action| {
        let mut entry = rig.entry("Act.chosen", vec![exact(&[1])], "Act.drop", &[]);
        entry.action = action;
        entry
    };
    let call = rig.entry("Act.chosen", vec![exact(&[1])], "Act.drop", &[]);
    assert!(matches!(rig.switch.table_insert(table, call, 0), Err(ControlError::WrongActionKind { .. })));
    let unknown = entry(&rig, ActionSpec::Group(8));
    assert!(matches!(rig.switch.table_insert(table, unknown, 0), Err(ControlError::NotFound(_))));
    let grouped = entry(&rig, ActionSpec::Group(7));
    rig.switch.table_insert(table, grouped, 0).expect("the group is there");
    // The hash is the identity of b: members are chosen in turn.
    let ports = |rig: &mut Rig| -> Vec<u16> { (0..4).map(|b| rig.send(1, &request(4, 0, 1, b, 0))[0].0).collect() };
    assert_eq!(ports(&mut rig), [1, 2, 3, 1]);
    rig.switch.set_port_up(2, false);
    assert_eq!(ports(&mut rig), [1, 3, 1, 3]);
    rig.switch.set_port_up(2, true);
    assert!(matches!(rig.switch.member_delete(profile, 1), Err(ControlError::InUse(_))));
    assert!(matches!(rig.switch.group_delete(profile, 7), Err(ControlError::InUse(_))));
    let other = entry(&rig, ActionSpec::Member(2));
    rig.switch.table_modify(table, other, 0).expect("the entry is there");
    assert_eq!(ports(&mut rig), [2, 2, 2, 2]);
    let call = rig.call("Act.chosen", "Act.to", &[&[9]]);
    rig.switch.member_modify(profile, ProfileMember { id: 2, call }).expect("the member is there");
    assert_eq!(ports(&mut rig), [9, 9, 9, 9]);
    let weighted = [(4u8, 1), (5, 3)].map(|(port, weight)| WeightedAction {
        call: rig.call("Act.chosen", "Act.to", &[&[port]]),
        weight,
        watch_port: None,
    });
    let mut set = ActionSet { actions: weighted.to_vec(), selection: Selection::Selector };
    let one_shot = entry(&rig, ActionSpec::OneShot(set.clone()));
    rig.switch.table_modify(table, one_shot, 0).expect("the actions are right");
    assert_eq!(ports(&mut rig), [4, 5, 5, 5]);
    set.selection = Selection::Random;
    let one_shot = entry(&rig, ActionSpec::OneShot(set));
    rig.switch.table_modify(table, one_shot, 0).expect("the actions are right");
    let chosen: Vec<u16> = (0..100).flat_map(|_| ports(&mut rig)).collect();
    let share_of_5 = chosen.iter().filter(|port| **port == 5).count() as f64 / chosen.len() as f64;
    assert!((0.6..0.9).contains(&share_of_5), "three of four, whatever the hash: {share_of_5}");
    rig.switch.group_delete(profile, 7).expect("nobody uses it");
    rig.switch.member_delete(profile, 1).expect("nobody uses it");
    assert_eq!(rig.switch.members(profile).map(|m| m.len()), Ok(2));
}

#[test]
fn idle_entries_are_reported_after_each_idle_time() {
    let mut rig = Rig::new(&FEATURES);
    let table = rig.switch.table_id("Act.exactly").expect("a table");
    let mut entry = rig.entry("Act.exactly", vec![exact(&[1]), exact(&[1])], "Act.counted", &[&[1]]);
    entry.idle_timeout_ns = 1_000;
    rig.switch.table_insert(table, entry, 0).expect("there is room");
    assert!(rig.switch.take_idle_timeouts(999).is_empty());
    assert_eq!(rig.switch.take_idle_timeouts(1_000).len(), 1);
    assert!(rig.switch.take_idle_timeouts(1_999).is_empty());
    assert_eq!(rig.switch.take_idle_timeouts(2_000).len(), 1);
    assert_eq!(rig.switch.take_idle_timeouts(5_000).len(), 1, "late, and only once");
    rig.now_ns = 5_500;
    rig.send(1, &request(1, 1, 1, 0, 0));
    assert!(rig.switch.take_idle_timeouts(6_000).is_empty());
    rig.now_ns = 6_000;
    rig.send(1, &request(1, 1, 1, 0, 0));
    assert!(rig.switch.take_idle_timeouts(6_500).is_empty());
    let idle = rig.switch.take_idle_timeouts(7_000);
    assert_eq!(idle[0].key, [exact(&[0, 1]), exact(&[1])]);
}
