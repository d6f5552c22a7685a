//! `--resources`: small programs whose numbers are worked out by hand beside them.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4_resources::{Estimate, estimate};
use p4c_driver::compile::{self, Settings, Verdict};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program whose ingress has these local declarations and statements.
fn program(locals: &str, apply: &str) -> String {
    parts(PARSER, locals, apply, "")
}

const PARSER: &str = "state start { p.extract(h.eth); transition accept; }";

fn parts(parser: &str, locals: &str, apply: &str, egress: &str) -> String {
    format!(
        "#include <v1model.p4>
header eth_t {{ bit<48> dst; bit<48> src; bit<16> kind; }}
header tag_t {{ bit<16> id; bit<16> kind; }}
header ip_t {{ bit<160> all; }}
struct H {{ eth_t eth; tag_t[2] tags; ip_t ip; }}
struct M {{ bit<16> a; bit<16> b; bit<16> c; bit<16> d; bit<32> i; bit<32> v; }}
register<bit<32>>(64) shared;
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{ {parser} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
{locals}
apply {{ {apply} }} }}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ {egress} }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

#[track_caller]
fn of(text: &str) -> Estimate {
    let compilation = compile::text("t.p4", text, &Settings::default());
    match compilation.verdict {
        Verdict::Compiled(program) => estimate(&program),
        other => panic!("{other:?}\n{}", compilation.messages),
    }
}

#[test]
fn tables_are_measured() {
    let found = of(&program(
        "action set(bit<9> port, bit<48> mac) { s.egress_spec = port; h.eth.dst = mac; }
action mark(bit<16> a) { m.a = a; }
action_profile(20) members;
table all { key = { h.eth.dst: exact; s.ingress_port: exact; } actions = { set; mark; NoAction; } size = 100; }
table some { key = { h.eth.src: ternary; h.eth.kind: exact; } actions = { mark; NoAction; }
    const entries = { (1 &&& 3, 5): mark(1); (2 &&& 3, 5): mark(2); } }
table shared_data { key = { m.b: lpm; } actions = { set; NoAction; } implementation = members; size = 500; }
table fixed { actions = { mark; } default_action = mark(7); }
table never_applied { key = { m.c: exact; } actions = { NoAction; } }",
        "all.apply(); some.apply(); shared_data.apply(); fixed.apply();",
    ));
    let row = |table: &p4_resources::Table| {
        let numbers = (table.key_bits, table.entries, table.action_data_bits, table.action_data_entries);
        (table.name.as_str().to_owned(), table.kind, numbers, table.source.as_str().to_owned())
    };
    // 48 + 9 bits; 48 + 16 bits, and as many entries as there are; 16 bits; 9 + 48 bits of data, or 16.
    let expected = [
        ("I.all", "exact", (57, 100, 57, 100), "t.p4:14"),
        ("I.some", "ternary", (64, 2, 16, 2), "t.p4:15"),
        ("I.shared_data", "lpm", (16, 500, 57, 20), "t.p4:17"),
        ("I.fixed", "none", (0, 0, 16, 0), "t.p4:18"),
    ];
    let expected = expected.map(|(name, kind, numbers, place)| (name.to_owned(), kind, numbers, place.to_owned()));
    assert_eq!(found.tables.iter().map(row).collect::<Vec<_>>(), expected);
    let totals: Vec<_> = found
        .by_match
        .iter()
        .map(|total| (total.kind, total.tables, total.match_memory_bits, total.action_data_memory_bits))
        .collect();
    assert_eq!(totals, [("none", 1, 0, 0), ("exact", 1, 5700, 5700), ("lpm", 1, 8000, 1140), ("ternary", 1, 128, 32)]);
}

/// The chain of ingress as `table (needs)`.
#[track_caller]
fn chain(locals: &str, apply: &str) -> Vec<String> {
    let found = of(&program(locals, apply));
    let shown = |member: &p4_resources::Member| match &member.needs {
        Some(needs) => format!("{} ({} {})", member.table, needs.kind, needs.field),
        None => member.table.clone(),
    };
    assert_eq!((found.chains[0].pipeline, found.chains[1].length), ("ingress", 0));
    found.chains[0].members.iter().map(shown).collect()
}

const TABLES: &str = "
action set_a(bit<16> x) { m.a = x; }
action set_b(bit<16> x) { m.b = x; }
action set_d() { m.d = m.c; }
action drop() { mark_to_drop(s); }
table t1 { key = { h.eth.dst: exact; } actions = { set_a; NoAction; } }
table t2 { key = { m.a: exact; } actions = { set_b; NoAction; } }
table t3 { key = { h.eth.dst: exact; } actions = { set_d; NoAction; } }
table t4 { key = { h.eth.src: exact; } actions = { drop; NoAction; } }
";

#[test]
fn chains_go_through_keys_actions_conditions_and_statements() {
    assert_eq!(
        chain(TABLES, "t1.apply(); t2.apply(); m.c = m.b + 1; t3.apply(); if (m.d == 7) { t4.apply(); }"),
        ["I.t1", "I.t2 (match userMetadata.a)", "I.t3 (action userMetadata.c)", "I.t4 (condition userMetadata.d)"]
    );
    // A value written under a condition depends on the condition.
    let through_condition = "t1.apply(); if (m.a == 1) { m.c = 5; } else { m.c = 6; } t3.apply();";
    assert_eq!(chain(TABLES, through_condition), ["I.t1", "I.t3 (action userMetadata.c)"]);
    // Also within what becomes one action.
    let nested = "t1.apply(); m.b = 1; if (m.a == 1) { if (m.b == 1) { m.c = 5; } } t3.apply();";
    assert_eq!(chain(TABLES, nested), ["I.t1", "I.t3 (action userMetadata.c)"]);
}

#[test]
fn what_is_overwritten_or_apart_is_no_chain() {
    assert_eq!(chain(TABLES, "t1.apply(); m.a = 0; t2.apply();"), ["I.t1"]);
    assert_eq!(chain(TABLES, "t1.apply(); t4.apply();"), ["I.t1"]);
    // A later table means nothing to an earlier one; of two chains as long, the one declared first counts.
    assert_eq!(chain(TABLES, "t2.apply(); t1.apply();"), ["I.t1"]);
    assert_eq!(chain(TABLES, "if (h.eth.kind == 1) { t1.apply(); } else { t2.apply(); }"), ["I.t1"]);
    // On one of two ways it is not overwritten.
    let on_one = "t1.apply(); if (h.eth.kind == 1) { m.a = 0; } t2.apply();";
    assert_eq!(chain(TABLES, on_one), ["I.t1", "I.t2 (match userMetadata.a)"]);
}

#[test]
fn a_table_beside_another_ones_result_is_no_chain_but_a_value_is() {
    assert_eq!(chain(TABLES, "if (t1.apply().hit) { t4.apply(); }"), ["I.t1"]);
    let value = "if (t4.apply().hit) { m.a = 1; } else { m.a = 2; } t2.apply();";
    assert_eq!(chain(TABLES, value), ["I.t4", "I.t2 (match userMetadata.a)"]);
    // A table under the result of another one needs the values that the other one needs.
    let before = "t1.apply(); if (t2.apply().hit) { t4.apply(); }";
    assert_eq!(chain(TABLES, before).len(), 2);
    let actions = "switch (t1.apply().action_run) { set_a: { m.c = 1; } default: { m.c = 2; } } t3.apply();";
    assert_eq!(chain(TABLES, actions), ["I.t1", "I.t3 (action userMetadata.c)"]);
}

/// Reads, writes, accesses and the lines of these of the first register.
#[track_caller]
fn accesses(locals: &str, apply: &str) -> (usize, usize, usize) {
    let found = of(&program(&format!("register<bit<32>>(8) r;\n{locals}"), apply));
    let register = found.registers.arrays.iter().find(|register| register.name == "I.r").unwrap();
    assert_eq!(register.is_accessed_twice, register.accesses > 1);
    assert_eq!((register.path.len(), register.elements, register.bits), (register.accesses, 8, 32));
    (register.reads, register.writes, register.accesses)
}

#[test]
fn a_read_and_the_next_write_of_an_element_are_one_access() {
    assert_eq!(accesses("", "r.read(m.v, m.i); r.write(m.i, m.v + 1);"), (1, 1, 1));
    assert_eq!(accesses("", "r.read(m.v, 3); m.i = m.v; r.write(3, m.v);"), (1, 1, 1));
    assert_eq!(accesses("", "bit<32> j = m.i; r.read(m.v, j); bit<32> k = m.i; r.write(k, m.v);"), (1, 1, 1));
    assert_eq!(accesses("", "r.read(m.v, m.i); m.i = m.i + 1; r.write(m.i, m.v);"), (1, 1, 2));
    assert_eq!(accesses("", "r.read(m.v, 0); r.write(1, m.v);"), (1, 1, 2));
    assert_eq!(accesses("", "r.write(0, m.v); r.read(m.v, 0);"), (1, 1, 2));
    assert_eq!(accesses("", "r.read(m.v, 0); r.write(0, m.v); r.write(0, 1);"), (1, 2, 2));
}

#[test]
fn accesses_are_counted_on_the_way_with_most() {
    let branches = "if (h.eth.kind == 1) { r.read(m.v, 0); } else { r.read(m.v, 1); r.read(m.v, 2); }";
    assert_eq!(accesses("", branches), (3, 0, 2));
    let actions = "action one() { r.read(m.v, 0); } action two() { r.write(1, 0); }
table t { key = { h.eth.kind: exact; } actions = { one; two; NoAction; } }";
    assert_eq!(accesses(actions, "t.apply();"), (1, 1, 1));
    let entry_data = "action get(bit<32> at) { r.read(m.v, at); } action put(bit<32> at) { r.write(at, m.v); }
table t { key = { h.eth.kind: exact; } actions = { get; NoAction; } }
table u { key = { h.eth.kind: exact; } actions = { put; NoAction; } }";
    assert_eq!(accesses(entry_data, "t.apply(); u.apply();"), (1, 1, 2));
}

#[test]
fn a_pass_goes_through_ingress_and_egress() {
    let found = of(&parts(PARSER, "", "shared.read(m.v, 0);", "shared.write(1, m.v);"));
    let shared = &found.registers.arrays[0];
    assert_eq!((shared.accesses, shared.is_accessed_twice), (2, true));
    assert_eq!(
        (shared.path.as_slice(), shared.source.as_str()),
        (["t.p4:12", "t.p4:13"].map(str::to_owned).as_slice(), "t.p4:7")
    );
    assert_eq!((found.registers.memory_bits, found.registers.operations_on_a_path), (64 * 32, 2));
}

#[test]
fn the_longest_parse_path_fills_stacks() {
    let parser = "
state start { p.extract(h.eth); transition select(h.eth.kind) { 0x8100: tag; 0x800: ip; default: accept; } }
state tag { p.extract(h.tags.next); transition select(h.tags.last.kind) { 0x8100: tag; 0x800: ip; default: accept; } }
state ip { p.extract(h.ip); transition accept; }";
    let found = of(&parts(parser, "", "", "")).parser;
    // 112 + 2 · 32 + 160 bits.
    assert_eq!((found.states, found.headers.len(), found.header_bits), (3, 4, 336));
    let path: Vec<_> = found.longest_path.iter().map(|state| (state.name.as_str(), state.source.as_str())).collect();
    assert_eq!(path, [("start", "t.p4:9"), ("tag", "t.p4:10"), ("tag", "t.p4:10"), ("ip", "t.p4:11")]);
    assert_eq!((found.longest_path_bits, found.most_bits, found.is_bounded), (336, 336, true));
    assert_eq!((found.headers[0].name.as_str(), found.headers[0].source.as_str()), ("eth", "t.p4:2"));
}

#[test]
fn the_longest_path_need_not_have_most_bits_nor_an_end() {
    let parser = "
state start { transition select(p.lookahead<bit<8>>()) { 0: one; default: ip; } }
state one { p.extract(h.eth); transition two; }
state two { transition accept; }
state ip { p.extract(h.ip); transition accept; }";
    let found = of(&parts(parser, "", "", "")).parser;
    assert_eq!((found.longest_path.len(), found.longest_path_bits, found.most_bits), (3, 112, 160));
    let circle = "
state start { p.extract(h.eth); transition again; }
state again { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: again; default: accept; } }";
    let found = of(&parts(circle, "", "", "")).parser;
    assert_eq!((found.longest_path.len(), found.is_bounded), (2, false));
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

#[test]
fn the_commands_print_it_beside_what_they_write() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.p4"), program("", "m.a = 1;")).unwrap();
    let run = |command: &str, args: &[&str]| {
        let done = Command::new(command).args(args).current_dir(folder.path()).output().unwrap();
        (done.status.success(), String::from_utf8(done.stdout).unwrap())
    };
    let (compiler, driver) = (env!("CARGO_BIN_EXE_p4c-bm2-ss"), env!("CARGO_BIN_EXE_p4c"));
    let (passed, text) = run(compiler, &["--resources", "-o", "t.json", "t.p4"]);
    assert!(passed && text.starts_with("t.p4: estimated cost") && folder.path().join("t.json").exists());
    assert_eq!(run(driver, &["t.p4", "--resources=text", "-o", "out"]), (true, text));
    let (passed, text) = run(driver, &["--resources=json", "-o", "out", "t.p4"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(passed && folder.path().join("out/t.json").exists());
    let keys: Vec<_> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["format", "is_estimate", "program", "tables", "by_match", "registers", "parser", "chains"]);
    assert_eq!((&json["format"], &json["is_estimate"]), (&1.into(), &true.into()));
    assert!(!run(compiler, &["--resources=yaml", "t.p4"]).0);
    assert!(!run(compiler, &["--resources", "--check", "t.p4"]).0);
}

#[test]
fn nodectl_has_an_estimate() {
    let path = repository().join("p4src/nodectl.p4");
    let compilation = compile::file(&path, &Settings::default());
    let Verdict::Compiled(program) = compilation.verdict else { panic!("{}", compilation.messages) };
    let found = estimate(&program);
    let names: Vec<_> = found.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["NodectlIngress.ipv4_lpm", "NodectlIngress.equal_cost_ways", "NodectlIngress.port_capacity"]);
    // The port that the route gives is the key of the port's capacity.
    assert_eq!(found.chains[0].members.iter().map(|member| member.table.as_str()).collect::<Vec<_>>(), names);
    // A record is looked for in four slots, and then written.
    let record = found.registers.arrays.iter().find(|register| register.name == "record_port").unwrap();
    assert_eq!((record.elements, record.bits, record.accesses), (16384, 16, 5));
    // Each message's sums of its port are read and written once.
    let sum = found.registers.arrays.iter().find(|register| register.name == "port_sum").unwrap();
    assert_eq!(sum.accesses, 1);
    assert!(found.tables.iter().all(|table| table.source.contains("p4src/")));
    assert!(found.to_string().lines().all(|line| line == line.trim_end()));
}
