//! Every command with every form of an argument. The answers are those of BMv2's `runtime_CLI.py` and its server (1.15.5, by their
//! source), or, where docs/command-lines.md names a difference, our own.

#![allow(clippy::unwrap_used)] // a failing test may panic

mod switch;

use switch::Switch;

const PROGRAM: &str = "#include <core.p4>
#include <v1model.p4>
header data_t { bit<8> who; bit<7> pad; bit<9> nine; bit<16> kind; bit<32> address; bit<48> mac; bit<128> wide; }
struct headers_t { data_t data; }
struct meta_t { bit<16> which; bit<8> color; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) kinds;
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.kind) { kinds: more; default: accept; }
    }
    state more { transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    register<bit<12>>(4) cells;
    counter(4, CounterType.packets_and_bytes) counts;
    meter(4, MeterType.packets) speeds;
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<8>>(MeterType.bytes) paces;
    action label(bit<8> n) { hdr.data.who = n; std.egress_spec = 1; }
    action values(bit<9> nine, bit<32> address, bit<48> mac, bit<128> wide) {
        hdr.data.nine = nine; hdr.data.address = address; hdr.data.mac = mac; hdr.data.wide = wide; std.egress_spec = 1;
    }
    action paced(bit<8> n) { paces.read(meta.color); hdr.data.who = n; }
    table whoami { actions = { label; NoAction; } default_action = NoAction(); }
    table fixed { actions = { label; } const default_action = label(9); }
    table nine { key = { hdr.data.nine : exact; } actions = { label; NoAction; } counters = hits; }
    table address { key = { hdr.data.address : exact; } actions = { label; NoAction; } }
    table mac { key = { hdr.data.mac : exact; } actions = { label; NoAction; } }
    table wide { key = { hdr.data.wide : exact; } actions = { label; NoAction; } support_timeout = true; }
    table valid { key = { hdr.data.isValid() : exact; } actions = { label; NoAction; } }
    table prefix { key = { hdr.data.address : lpm; } actions = { label; NoAction; } }
    table masked { key = { hdr.data.nine : ternary; } actions = { label; NoAction; } }
    table between { key = { hdr.data.nine : range; } actions = { label; NoAction; } }
    table assigned { key = { hdr.data.kind : exact; } actions = { values; } }
    table metered { key = { hdr.data.kind : exact; } actions = { paced; } meters = paces; }
    action_profile(8) members;
    table member { key = { hdr.data.kind : exact; } actions = { label; NoAction; } implementation = members; }
    action_selector(HashAlgorithm.crc16, 8, 16) choice;
    table balance {
        key = { hdr.data.kind : exact; meta.which : selector; }
        actions = { label; NoAction; }
        implementation = choice;
    }
    action_profile(8) shared;
    table one { key = { hdr.data.kind : exact; } actions = { label; NoAction; } implementation = shared; }
    table two { key = { hdr.data.nine : exact; } actions = { NoAction; label; } implementation = shared; }
    apply {
        bit<2> color;
        bit<12> cell;
        cells.read(cell, 0); counts.count(0); speeds.execute_meter(0, color);
        fixed.apply(); whoami.apply(); nine.apply(); address.apply(); mac.apply(); wide.apply(); valid.apply(); prefix.apply();
        masked.apply(); between.apply(); assigned.apply(); metered.apply(); member.apply(); balance.apply(); one.apply(); two.apply();
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
";

/// With one of everything that has a handle.
fn filled() -> Switch {
    let mut switch = Switch::new(PROGRAM);
    for line in [
        "table_add nine label 1 => 1",
        "table_add wide label 1 => 1",
        "table_add metered paced 1 => 1",
        "act_prof_create_member members label 1",
        "act_prof_create_member choice label 1",
        "act_prof_create_group choice",
        "act_prof_add_member_to_group choice 0 0",
        "act_prof_create_group choice",
        "table_indirect_add member 7 => 0",
        "mc_mgrp_create 1",
        "mc_node_create 0 1",
        "mirroring_add 0 1",
    ] {
        let answer = switch.run(line);
        assert!(!answer.contains("Invalid") && !answer.contains("Error"), "{line}: {answer}");
    }
    switch
}

/// The first byte of a packet afterwards, if it comes out.
fn label(switch: &mut Switch) -> Option<u8> {
    switch.simulator.send(0, &[0; 31], 1_000).first().map(|sent| sent.data[0])
}

/// The last line.
fn end(answer: &str) -> &str {
    answer.lines().last().unwrap_or("")
}

#[test]
fn a_table_without_key_takes_the_entry_that_command_files_give_it() {
    let mut switch = Switch::new(PROGRAM);
    assert_eq!(label(&mut switch), Some(9));
    for (line, answer) in [
        ("table_add whoami label => 7", "Entry has been added with handle 0"),
        ("table_add whoami label => 8", "Invalid table operation (DUPLICATE_ENTRY)"),
        ("table_num_entries whoami", "1"),
        ("table_add whoami label 1 => 7", "Error: Table whoami needs 0 key fields"),
        ("table_add whoami label =>", "Error: Action I.label needs 1 parameters"),
        ("table_add whoami NoAction", "Error: Insufficient number of args"),
        ("table_add fixed label => 7", "Invalid table operation (NO_TABLE_KEY)"),
    ] {
        assert_eq!(end(&switch.run(line)), answer, "{line}");
    }
    assert_eq!(label(&mut switch), Some(7), "the entry is hit");
    assert_eq!(switch.run("table_dump_entry whoami 0"), "Dumping entry 0x0\nMatch key:\nAction entry: I.label - 07\n");
    switch.run("table_modify whoami label 0 5");
    assert_eq!(label(&mut switch), Some(5));
    switch.run("table_set_default whoami label 3");
    assert_eq!(label(&mut switch), Some(5), "the entry comes before the default");
    switch.run("table_delete whoami 0");
    assert_eq!(label(&mut switch), Some(3));
    assert_eq!(end(&switch.run("table_add whoami label => 6")), "Entry has been added with handle 1");
    assert_eq!(label(&mut switch), Some(6));
    switch.run("table_clear whoami");
    assert_eq!(label(&mut switch), Some(3));
}

/// The meaning of the form in which an integer is written.
#[derive(Clone, Copy)]
enum Is {
    Zero,
    /// No number of anything that there is.
    Beyond,
    NoInteger,
}

const INTEGERS: [(&str, Is); 16] = [
    ("0", Is::Zero),
    ("+0", Is::Zero),
    ("-0", Is::Zero),
    ("00", Is::Zero),
    ("0_0", Is::Zero),
    ("-1", Is::Beyond),
    ("-99999999999999999999", Is::Beyond),
    ("70000", Is::Beyond),
    ("4294967296", Is::Beyond),
    ("99999999999999999999", Is::Beyond),
    ("0x0", Is::NoInteger),
    ("0b0", Is::NoInteger),
    ("1.0", Is::NoInteger),
    ("x", Is::NoInteger),
    ("_0", Is::NoInteger),
    ("0__0", Is::NoInteger),
];

/// A command with a hole; its refusals of a number that is beyond, and of a word that is no integer.
const HOLES: [(&str, &str, &str); 34] = [
    ("table_delete nine {}", "Invalid table operation (INVALID_HANDLE)", "Bad format for entry handle"),
    ("table_modify nine label {} 1", "Invalid table operation (INVALID_HANDLE)", "Bad format for entry handle"),
    ("table_dump_entry nine {}", "Invalid table operation (INVALID_HANDLE)", "Bad format for entry handle"),
    ("table_set_timeout wide {} 100", "Invalid table operation (INVALID_HANDLE)", "Bad format for entry handle"),
    ("table_set_timeout wide 0 {}", "", "Bad format for timeout"),
    ("table_indirect_delete member {}", "Invalid table operation (INVALID_HANDLE)", "Bad format for entry handle"),
    ("table_indirect_add member 5 => {}", "Invalid table operation (INVALID_MBR_HANDLE)", "Bad format for handle"),
    (
        "table_indirect_add_with_group balance 5 => {}",
        "Invalid table operation (INVALID_GRP_HANDLE)",
        "Bad format for handle",
    ),
    ("table_indirect_set_default member {}", "Invalid table operation (INVALID_MBR_HANDLE)", "Bad format for handle"),
    (
        "table_indirect_set_default_with_group balance {}",
        "Invalid table operation (INVALID_GRP_HANDLE)",
        "Bad format for handle",
    ),
    (
        "act_prof_modify_member members label {} 2",
        "Invalid table operation (INVALID_MBR_HANDLE)",
        "Bad format for member handle",
    ),
    ("act_prof_dump_member members {}", "Invalid table operation (INVALID_MBR_HANDLE)", "Bad format for member handle"),
    ("act_prof_dump_group choice {}", "Invalid table operation (INVALID_GRP_HANDLE)", "Bad format for group handle"),
    (
        "act_prof_remove_member_from_group choice 0 {}",
        "Invalid table operation (INVALID_GRP_HANDLE)",
        "Bad format for group handle",
    ),
    (
        "act_prof_add_member_to_group choice {} 1",
        "Invalid table operation (INVALID_MBR_HANDLE)",
        "Bad format for member handle",
    ),
    (
        "act_prof_remove_member_from_group choice {} 0",
        "Invalid table operation (INVALID_MBR_HANDLE)",
        "Bad format for member handle",
    ),
    ("table_dump_member member {}", "Invalid table operation (INVALID_MBR_HANDLE)", "Bad format for member handle"),
    ("table_dump_group balance {}", "Invalid table operation (INVALID_GRP_HANDLE)", "Bad format for group handle"),
    ("counter_read counts {}", "Invalid counter operation (INVALID_INDEX)", "Bad format for index"),
    ("counter_write counts {} 1 1", "Invalid counter operation (INVALID_INDEX)", "Bad format for index"),
    ("counter_read hits {}", "Invalid table operation (INVALID_HANDLE)", "Bad format for index"),
    ("register_read cells {}", "Invalid register operation (INVALID_INDEX)", "Bad format for index"),
    ("register_write cells {} 1", "Invalid register operation (INVALID_INDEX)", "Bad format for index"),
    ("meter_set_rates speeds {} 0.1:1 0.2:2", "Invalid meter operation (INVALID_INDEX)", "Bad format for index"),
    ("meter_get_rates speeds {}", "Invalid meter operation (INVALID_INDEX)", "Bad format for index"),
    ("meter_set_rates paces {} 0.1:1 0.2:2", "Invalid table operation (INVALID_HANDLE)", "Bad format for index"),
    (
        "mirroring_get {}",
        "Invalid mirroring operation (SESSION_NOT_FOUND)",
        "Bad format for mirror_id, expected integer",
    ),
    (
        "mirroring_delete {}",
        "Invalid mirroring operation (SESSION_NOT_FOUND)",
        "Bad format for mirror_id, expected integer",
    ),
    ("mc_node_associate 1 {}", "Invalid PRE operation (INVALID_L1_HANDLE)", "Bad format for node handle"),
    ("mc_node_update {} 3", "Invalid PRE operation (INVALID_L1_HANDLE)", "Bad format for node handle"),
    ("mc_node_destroy {}", "Invalid PRE operation (INVALID_L1_HANDLE)", "Bad format for node handle"),
    (
        "mirroring_add {} 1",
        "Error: clone sessions are numbered 0 to 32767",
        "Bad format for mirror_id, expected integer",
    ),
    ("mirroring_add 3 {}", "Error: egress_port must be 0 to 65535", "Bad format for egress_port, expected integer"),
    ("mc_node_create {} 2", "Error: rid must be 0 to 65535", "Bad format for rid"),
];

#[test]
fn integers_are_pythons() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for (hole, beyond, no_integer) in HOLES {
        for (form, is) in INTEGERS {
            let line = hole.replace("{}", form);
            let answer = filled().run(&line);
            let refused = answer.contains("Invalid ") || answer.contains("Error: ");
            let is_right = match is {
                Is::Zero => !refused,
                // An argument without a range takes every integer.
                Is::Beyond if beyond.is_empty() => !refused,
                Is::Beyond => end(&answer).starts_with(beyond),
                Is::NoInteger => end(&answer) == format!("Error: {no_integer}"),
            };
            tried += 1;
            if !is_right {
                wrong.push(format!("{line}: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Key and parameter forms: the line, and the end of its answer.
const VALUES: &[(&str, &str)] = &[
    // Numbers of any base, as Python reads them.
    ("table_add nine label 5 => 1", "EXACT-00:05"),
    ("table_add nine label 0x1ff => 1", "EXACT-01:ff"),
    ("table_add nine label 0X1FF => 1", "EXACT-01:ff"),
    ("table_add nine label 0b101 => 1", "EXACT-00:05"),
    ("table_add nine label 0o17 => 1", "EXACT-00:0f"),
    ("table_add nine label +5 => 1", "EXACT-00:05"),
    ("table_add nine label 1_0 => 1", "EXACT-00:0a"),
    ("table_add nine label 0 => 0", "EXACT-00:00"),
    // Numbers that have no room in the field, but in its bytes.
    ("table_add nine label 0x3ff => 1", "EXACT-03:ff"),
    ("table_add nine label 0xffff => 1", "EXACT-ff:ff"),
    ("table_add nine label 0x10000 => 1", "Invalid match key: Error while parsing 0x10000 - Parameter is too large"),
    ("table_add nine label 1 => 256", "Invalid runtime data: Error while parsing 256 - Parameter is too large"),
    ("table_add nine label -1 => 1", "Invalid match key: Error while parsing -1 - Parameter is negative"),
    ("table_add nine label 1 => -1", "Invalid runtime data: Error while parsing -1 - Parameter is negative"),
    (
        "table_add nine label 010 => 1",
        "Invalid match key: Error while parsing 010 - Invalid input, could not cast to integer, try in hex with 0x prefix",
    ),
    (
        "table_add nine label _1 => 1",
        "Invalid match key: Error while parsing _1 - Invalid input, could not cast to integer, try in hex with 0x prefix",
    ),
    (
        "table_add nine label ff => 1",
        "Invalid match key: Error while parsing ff - Invalid input, could not cast to integer, try in hex with 0x prefix",
    ),
    (
        "table_add nine label 1.0 => 1",
        "Invalid match key: Error while parsing 1.0 - Invalid input, could not cast to integer, try in hex with 0x prefix",
    ),
    (
        "table_add nine label 10.0.0.1 => 1",
        "Invalid match key: Error while parsing 10.0.0.1 - Invalid input, could not cast to integer, try in hex with 0x prefix",
    ),
    // Addresses.
    ("table_add address label 10.0.0.1 => 1", "EXACT-0a:00:00:01"),
    ("table_add address label 010.000.000.001 => 1", "EXACT-0a:00:00:01"),
    ("table_add address label 0x0a000001 => 1", "EXACT-0a:00:00:01"),
    ("table_add address label 167772161 => 1", "EXACT-0a:00:00:01"),
    ("table_add address label 10.0.1 => 1", "Invalid match key: Error while parsing 10.0.1 - Invalid IPv4 address"),
    (
        "table_add address label 10.0.0.256 => 1",
        "Invalid match key: Error while parsing 10.0.0.256 - Invalid IPv4 address",
    ),
    ("table_add address label 10.0.0.x => 1", "Invalid match key: Error while parsing 10.0.0.x - Invalid IPv4 address"),
    ("table_add mac label 00:aa:bb:0:0:1 => 1", "EXACT-00:aa:bb:00:00:01"),
    ("table_add mac label 0x00aabb000001 => 1", "EXACT-00:aa:bb:00:00:01"),
    (
        "table_add mac label 00:aa:bb:00:01 => 1",
        "Invalid match key: Error while parsing 00:aa:bb:00:01 - Invalid MAC address",
    ),
    (
        "table_add mac label 00:aa:bb:00:00:1ff => 1",
        "Invalid match key: Error while parsing 00:aa:bb:00:00:1ff - Invalid MAC address",
    ),
    ("table_add wide label ::1 => 1", "EXACT-00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01"),
    ("table_add wide label ::ffff:10.0.0.1 => 1", "EXACT-00:00:00:00:00:00:00:00:00:00:ff:ff:0a:00:00:01"),
    ("table_add wide label 1 => 1", "EXACT-00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:01"),
    ("table_add wide label 1::2::3 => 1", "Invalid match key: Error while parsing 1::2::3 - Invalid IPv6 address"),
    (
        "table_add wide label 0x1ffffffffffffffffffffffffffffffff => 1",
        "Invalid match key: Error while parsing 0x1ffffffffffffffffffffffffffffffff - Parameter is too large",
    ),
    ("table_add valid label 1 => 1", "EXACT-01"),
    ("table_add valid label 2 => 1", "EXACT-02"),
    // Prefixes.
    ("table_add prefix label 10.0.0.0/8 => 1", "LPM-0a:00:00:00/8"),
    ("table_add prefix label 0x0a000000/08 => 1", "LPM-0a:00:00:00/8"),
    ("table_add prefix label 0/0 => 1", "LPM-00:00:00:00/0"),
    ("table_add prefix label 10.0.0.0/33 => 1", "Invalid table operation (BAD_MATCH_KEY)"),
    ("table_add prefix label 10.0.0.0/-1 => 1", "Invalid table operation (BAD_MATCH_KEY)"),
    ("table_add prefix label 10.0.0.0/x => 1", "Invalid match key: Invalid LPM length x"),
    (
        "table_add prefix label 10.0.0.0 => 1",
        "Invalid match key: Invalid LPM value 10.0.0.0, use '/' to separate prefix and length",
    ),
    (
        "table_add prefix label 10.0.0.0/8/8 => 1",
        "Invalid match key: Invalid LPM value 10.0.0.0/8/8, use '/' to separate prefix and length",
    ),
    // Masks and ranges, with priorities.
    ("table_add masked label 1&&&0x1ff => 1 10", "TERNARY-00:01 &&& 01:ff"),
    ("table_add masked label 0x3ff&&&0x3ff => 1 0", "TERNARY-03:ff &&& 03:ff"),
    ("table_add masked label 1&&&1 => 1 010", "TERNARY-00:01 &&& 00:01"),
    ("table_add masked label 1&&&1 => 1 -1", "Error: Priorities are 0 to 2147483646, the most urgent first, not -1"),
    (
        "table_add masked label 1&&&1 => 1 0x1",
        "Error: Table is ternary, but could not extract a valid priority from args",
    ),
    ("table_add masked label 1&&&1 => 1", "Error: Action I.label needs 1 parameters"),
    (
        "table_add masked label 1 => 1 1",
        "Invalid match key: Invalid ternary value 1, use '&&&' to separate key and mask",
    ),
    (
        "table_add masked label 1&&&2&&&3 => 1 1",
        "Invalid match key: Invalid ternary value 1&&&2&&&3, use '&&&' to separate key and mask",
    ),
    ("table_add between label 1->5 => 1 1", "RANGE-00:01 -> 00:05"),
    ("table_add between label 0->0x1ff => 1 1", "RANGE-00:00 -> 01:ff"),
    ("table_add between label 0->0xffff => 1 1", "RANGE-00:00 -> ff:ff"),
    ("table_add between label 5->1 => 1 1", "Invalid match key: start is less than end in expression 5->1"),
    (
        "table_add between label 5 => 1 1",
        "Invalid match key: Invalid range value 5, use '->' to separate range start and range end",
    ),
    // The arrow.
    ("table_add nine label 1 1", "Error: Action I.label needs 1 parameters"),
    ("table_add nine NoAction 1 anything", "Entry has been added with handle 0"),
    ("table_add nine NoAction 1", "Error: Table nine needs 1 key fields"),
    ("table_add nine label => 1", "Error: Table nine needs 1 key fields"),
    ("table_add nine label 1 2 => 1", "Error: Table nine needs 1 key fields"),
    ("table_add nine label 1 => 1 2", "Error: Action I.label needs 1 parameters"),
    ("table_add nine none 1 => 1", "Error: Table nine has no action none"),
    ("table_add none label 1 => 1", "Error: Invalid table name (none)"),
    ("table_add masked label 5", "Error: Insufficient number of args"),
    ("table_set_default nine label 1 2", "Error: Action label needs 1 parameters"),
    ("table_set_default nine label -1", "Invalid runtime data: Error while parsing -1 - Parameter is negative"),
    ("act_prof_create_member members none 1", "Error: Action profile 'members' has no action 'none'"),
    (
        "act_prof_create_member members label 300",
        "Invalid runtime data: Error while parsing 300 - Parameter is too large",
    ),
    ("act_prof_create_member shared label 3", "Member has been created with handle 0"),
    // Tables of another kind.
    ("table_add member label 1 => 1", "Invalid table operation (WRONG_TABLE_TYPE)"),
    ("table_set_default member label 1", "Invalid table operation (WRONG_TABLE_TYPE)"),
    ("table_reset_default member", "Invalid table operation (WRONG_TABLE_TYPE)"),
    ("table_delete member 0", "Invalid table operation (WRONG_TABLE_TYPE)"),
    ("table_indirect_add nine 1 => 0", "Error: Cannot run this command on non-indirect table"),
    ("table_indirect_delete nine 0", "Error: Cannot run this command on non-indirect table"),
    ("table_indirect_set_default nine 0", "Error: Cannot run this command on non-indirect table"),
    ("table_indirect_reset_default nine", "Invalid table operation (WRONG_TABLE_TYPE)"),
    (
        "table_indirect_add_with_group member 1 => 0",
        "Error: Cannot run this command on non-indirect table, or on indirect table with no selector",
    ),
    (
        "table_indirect_set_default_with_group member 0",
        "Error: Cannot run this command on non-indirect table, or on indirect table with no selector",
    ),
    ("table_indirect_add member 1 => 0 0", "Error: Invalid arguments, could not find handle"),
    ("act_prof_create_group members", "Error: Cannot run this command on an action profile without selector"),
    ("act_prof_delete_group members 0", "Error: Cannot run this command on an action profile without selector"),
    (
        "act_prof_add_member_to_group members 0 0",
        "Error: Cannot run this command on an action profile without selector",
    ),
    (
        "act_prof_remove_member_from_group members 0 0",
        "Error: Cannot run this command on an action profile without selector",
    ),
    ("table_indirect_create_member one label 1", "Error: Legacy command does not work with shared action profiles"),
    ("table_dump_member one 0", "Invalid table operation (INVALID_MBR_HANDLE)"),
    ("table_set_timeout nine 0 100", "Error: Table nine does not support entry timeouts"),
    // Arrays.
    ("register_write cells 0 0x1234", ""),
    ("register_write cells 0 x", "Error: Bad format for value, must be an integer"),
    ("counter_write counts 0 -1 1", "Error: packets must be 0 to 18446744073709551615, not -1"),
    ("counter_write counts 0 1 x", "Error: Bad format for bytes, expected integer"),
    ("meter_set_rates speeds 0 0.1:1", "Error: Invalid number of rates, expected 2 but got 1"),
    ("meter_set_rates speeds 0 1e-1:1 .2:2", ""),
    ("meter_set_rates speeds 0 0.1:1 0.2:x", "Error: Error while parsing rates"),
    ("meter_set_rates speeds 0 0.1 0.2:2", "Error: Error while parsing rates"),
    ("meter_set_rates speeds 0 0.2:1 0.1:2", "Invalid meter operation (INVALID_INFO_RATE_VALUE)"),
    ("meter_array_set_rates speeds 0.1:1 0.2:2", ""),
    // Value sets, groups, queues, ports.
    ("pvs_add kinds 0xffff", ""),
    ("pvs_add kinds 0x10000", "Error: Input is too large, it should fit within 16 bits"),
    ("pvs_add kinds -1", "Error: Parameter is negative"),
    ("pvs_add kinds x", "Error: Invalid input, could not cast to integer, try in hex with 0x prefix"),
    ("mc_mgrp_create x", "Error: Bad format for multicast group id"),
    ("mc_mgrp_create 65536", "Error: multicast group id must be 0 to 65535, not 65536"),
    ("mc_node_create 1 -1", "Error: '-1' is not a valid port number"),
    ("mc_node_create 1 2 2", "Error: Found duplicate port number '2'"),
    ("mc_node_destroy -5", "Invalid PRE operation (INVALID_L1_HANDLE)"),
    ("mc_node_create 1 02 |", "node was created with handle 0"),
    ("set_queue_depth x", "Error: Bad format for nb_pkts, expected integer"),
    ("set_queue_depth -1", "Error: nb_pkts must be 0 to 4294967295, not -1"),
    ("set_queue_rate 0x10", "Error: Bad format for rate_pps, expected integer"),
    ("set_queue_rate 010 1 x", "Error: Bad format for priority, expected integer"),
    ("set_queue_rate 010 1 0", "SetQueue(QueueChange { setting: RatePps(10), port: Some(1), priority: Some(0) })"),
    ("port_add veth0 x", "Error: Bad format for port_num, must be an integer"),
    ("port_remove -1", "Error: port_num must be 0 to 65535, not -1"),
    ("get_time_elapsed whatever", "0"),
];

#[test]
fn keys_parameters_and_tables() {
    let mut wrong = Vec::new();
    for (line, expected) in VALUES {
        let answer = Switch::new(PROGRAM).run(line);
        let is_key = expected.starts_with("EXACT-")
            || expected.starts_with("LPM-")
            || expected.starts_with("TERNARY-")
            || expected.starts_with("RANGE-");
        let is_right = if is_key {
            answer.lines().any(|told| told == format!("{:20} {expected}", "match key:"))
                && end(&answer) == "Entry has been added with handle 0"
        } else {
            // Behind BMv2's own line there may be the reason.
            end(&answer) == *expected || answer.lines().rev().nth(1) == Some(*expected)
        };
        if !is_right {
            wrong.push(format!("{line}: {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), VALUES.len(), wrong.join("\n"));
}

#[test]
fn bits_without_room_in_a_field_do_not_count() {
    let mut switch = Switch::new(PROGRAM);
    switch.run("table_add nine label 0xfe00 => 4");
    assert_eq!(end(&switch.run("table_add nine label 0 => 5")), "Invalid table operation (DUPLICATE_ENTRY)");
    assert_eq!(label(&mut switch), Some(4));
    switch.run("table_delete nine 0");
    switch.run("table_add between label 0xfe00->0xffff => 6 1");
    assert_eq!(label(&mut switch), Some(6));
    assert_eq!(
        end(&switch.run("table_add assigned values 0 => 0xfe01 1.2.3.4 6 ::7")),
        "Entry has been added with handle 0"
    );
    let sent = switch.simulator.send(0, &[0; 31], 1_000);
    assert_eq!(sent[0].data[1..3], [0, 1]);
    switch.run("register_write cells 1 -1");
    assert_eq!(switch.run("register_read cells 1"), "cells[1]= 4095\n");
    switch.run("register_write cells 1 0x12345");
    assert_eq!(switch.run("register_read cells 1"), "cells[1]= 837\n");
}

#[test]
fn how_many_words() {
    let mut wrong = Vec::new();
    // Command, words that it takes, whether more are an error.
    let exact = [
        ("show_tables", 0),
        ("show_actions", 0),
        ("reset_state", 0),
        ("show_pvs", 0),
        ("table_show_actions", 1),
        ("table_info", 1),
        ("table_reset_default", 1),
        ("table_num_entries", 1),
        ("table_clear", 1),
        ("table_set_timeout", 3),
        ("table_delete", 2),
        ("table_dump", 1),
        ("table_dump_entry", 2),
        ("act_prof_delete_member", 2),
        ("act_prof_create_group", 1),
        ("act_prof_delete_group", 2),
        ("act_prof_add_member_to_group", 3),
        ("act_prof_remove_member_from_group", 3),
        ("act_prof_dump", 1),
        ("act_prof_dump_member", 2),
        ("act_prof_dump_group", 2),
        ("table_indirect_delete", 2),
        ("table_indirect_set_default", 2),
        ("table_indirect_set_default_with_group", 2),
        ("table_indirect_reset_default", 1),
        ("counter_read", 2),
        ("counter_write", 4),
        ("counter_reset", 1),
        ("register_write", 3),
        ("register_reset", 1),
        ("meter_get_rates", 2),
        ("mc_mgrp_create", 1),
        ("mc_mgrp_destroy", 1),
        ("mc_node_associate", 2),
        ("mc_node_dissociate", 2),
        ("mc_node_destroy", 1),
        ("mirroring_add", 2),
        ("mirroring_add_mc", 2),
        ("mirroring_delete", 1),
        ("mirroring_get", 1),
        ("pvs_add", 2),
        ("pvs_remove", 2),
        ("pvs_get", 1),
        ("pvs_clear", 1),
        ("port_remove", 1),
        ("show_ports", 0),
        ("set_crc16_parameters", 6),
        ("set_crc32_parameters", 6),
    ];
    for (command, count) in exact {
        for given in [count + 1, count + 2].into_iter().chain(0..count) {
            let answer = Switch::new(PROGRAM).run(&format!("{command}{}", " w".repeat(given)));
            if answer != format!("Error: Wrong number of args, expected {count} but got {given}\n") {
                wrong.push(format!("{command}, {given}: {answer}"));
            }
        }
    }
    let at_least = [
        ("table_add", 3),
        ("table_modify", 3),
        ("table_set_default", 2),
        ("act_prof_create_member", 2),
        ("act_prof_modify_member", 3),
        ("table_indirect_add", 2),
        ("table_indirect_add_with_group", 2),
        ("table_indirect_create_member", 1),
        ("table_dump_entry_from_key", 1),
        ("register_read", 1),
        ("meter_array_set_rates", 1),
        ("meter_set_rates", 2),
        ("mc_node_create", 1),
        ("mc_node_update", 2),
        ("set_queue_depth", 1),
        ("set_queue_rate", 1),
        ("port_add", 2),
    ];
    for (command, count) in at_least {
        for given in 0..count {
            let answer = Switch::new(PROGRAM).run(&format!("{command}{}", " w".repeat(given)));
            if answer != "Error: Insufficient number of args\n" {
                wrong.push(format!("{command}, {given}: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_mirroring_session_follows_its_group() {
    let mut switch = Switch::new(PROGRAM);
    let session = |switch: &Switch| {
        let sessions = switch.simulator.switch.clone_sessions();
        sessions
            .iter()
            .find(|session| session.id == 5)
            .map(|session| session.replicas.iter().map(|r| r.port).collect::<Vec<_>>())
    };
    assert_eq!(switch.run("mirroring_add_mc 5 7"), "");
    assert_eq!(switch.run("mirroring_get 5"), "MirroringSessionConfig(port=None, mgid=7)\n");
    assert_eq!(session(&switch), Some(vec![]), "the group comes later");
    for line in ["mc_mgrp_create 7", "mc_node_create 0 3 4", "mc_node_associate 7 0"] {
        switch.run(line);
    }
    assert_eq!(session(&switch), Some(vec![3, 4]));
    switch.run("mc_node_update 0 9");
    assert_eq!(session(&switch), Some(vec![9]));
    switch.run("mc_node_create 0 9 1");
    switch.run("mc_node_associate 7 1");
    switch.run("mc_node_dissociate 7 0");
    assert_eq!(session(&switch), Some(vec![1, 9]), "another node has port 9 as well");
    switch.run("mirroring_add 5 2");
    switch.run("mc_node_update 1 1");
    assert_eq!(session(&switch), Some(vec![2]), "it has a port now");
    switch.run("mirroring_add_mc 5 7");
    switch.run("mc_mgrp_destroy 7");
    assert_eq!(session(&switch), Some(vec![]));
}
