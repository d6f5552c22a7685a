//! Whole compilations of small programs: the form of the JSON and P4Info.

#![allow(clippy::unwrap_used)] // a failing test may panic

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A v1model program round the given declarations and bodies.
fn program(parts: &Parts) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header ethernet_t {{ bit<48> dst; bit<48> src; bit<16> kind; }}
header tag_t {{ bit<8> a; bit<8> b; }}
struct headers_t {{ ethernet_t ethernet; tag_t tag; tag_t[3] tags; }}
struct metadata_t {{ bit<8> x; bit<8> y; bit<32> z; bool flag; @field_list(1) bit<16> kept; }}
{declarations}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta,
         inout standard_metadata_t standard_metadata) {{
    state start {{ packet.extract(hdr.ethernet); transition accept; }}
}}
control V(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout metadata_t meta,
          inout standard_metadata_t standard_metadata) {{
    {locals}
    apply {{ {ingress} }}
}}
control E(inout headers_t hdr, inout metadata_t meta,
          inout standard_metadata_t standard_metadata) {{ apply {{ {egress} }} }}
control C(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ {deparser} }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
",
        declarations = parts.declarations,
        locals = parts.locals,
        ingress = parts.ingress,
        egress = parts.egress,
        deparser = parts.deparser,
    )
}

/// The parts that differ between programs.
#[derive(Default)]
struct Parts {
    declarations: &'static str,
    locals: &'static str,
    ingress: &'static str,
    egress: &'static str,
    deparser: &'static str,
}

/// A directory of this test's own.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("p4c-test-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn run(name: &str, parts: &Parts) -> (Output, PathBuf) {
    let directory = directory(name);
    let source = directory.join("program.p4");
    std::fs::write(&source, program(parts)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_p4c-bm2-ss"))
        .args(["--std", "p4-16", "--arch", "v1model", "-o"])
        .arg(directory.join("program.json"))
        .arg("--p4runtime-files")
        .arg(directory.join("program.p4info.txtpb"))
        .arg(&source)
        .output()
        .unwrap();
    (output, directory)
}

/// JSON and P4Info of a program that must compile.
fn compile(name: &str, parts: &Parts) -> (Value, String) {
    let (output, directory) = run(name, parts);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{messages}");
    let json = std::fs::read_to_string(directory.join("program.json")).unwrap();
    let p4info = std::fs::read_to_string(directory.join("program.p4info.txtpb")).unwrap();
    std::fs::remove_dir_all(directory).unwrap();
    (serde_json::from_str(&json).unwrap(), p4info)
}

/// The messages of a program that must not compile.
fn refused(name: &str, parts: &Parts) -> String {
    let (output, directory) = run(name, parts);
    std::fs::remove_dir_all(directory).unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().map(|list| list.iter().filter_map(|item| item["name"].as_str()).collect()).unwrap_or_default()
}

#[test]
fn an_empty_program_has_all_parts() {
    let (json, p4info) = compile("empty", &Parts::default());
    assert_eq!(json["pipelines"][0]["name"], "ingress");
    assert_eq!(json["pipelines"][0]["init_table"], Value::Null);
    assert_eq!(json["parsers"][0]["init_state"], "start");
    assert_eq!(json["header_stacks"][0]["name"], "tags");
    assert!(p4info.contains("arch: \"v1model\""));
}

#[test]
fn tables_of_nested_controls_carry_the_path() {
    let parts = Parts {
        declarations: "control Inner(inout headers_t hdr) {
            action set(bit<8> value) { hdr.tag.a = value; }
            table t { key = { hdr.ethernet.dst: exact; } actions = { set; NoAction; } }
            apply { t.apply(); } }",
        locals: "Inner() left; Inner() right;",
        ingress: "left.apply(hdr); right.apply(hdr);",
        ..Parts::default()
    };
    let (json, p4info) = compile("nested", &parts);
    assert_eq!(names(&json["pipelines"][0]["tables"]), ["I.right.t", "I.left.t"]);
    assert!(p4info.contains("name: \"I.left.t\"\n    alias: \"left.t\""));
    assert!(p4info.contains("name: \"I.right.set\""));
}

#[test]
fn code_without_tables_becomes_one_action() {
    let parts = Parts {
        ingress: "if (meta.x > 3) { meta.y = meta.x; } else { meta.y = 1; exit; } meta.z = 7;",
        ..Parts::default()
    };
    let (json, _) = compile("one_action", &parts);
    let pipeline = &json["pipelines"][0];
    assert_eq!(pipeline["tables"].as_array().map(Vec::len), Some(1));
    assert_eq!(pipeline["conditionals"].as_array().map(Vec::len), Some(0));
    let action = pipeline["tables"][0]["action_ids"][0].as_u64().unwrap() as usize;
    let ops: Vec<&str> =
        json["actions"][action]["primitives"].as_array().unwrap().iter().filter_map(|p| p["op"].as_str()).collect();
    assert_eq!(ops, ["_jump_if_zero", "assign", "_jump", "assign", "exit", "_jump", "assign"]);
}

#[test]
fn hit_and_miss_select_what_follows() {
    let parts = Parts {
        locals: "table t { key = { meta.x: exact; } actions = { NoAction; } }
                 table u { key = { meta.y: exact; } actions = { NoAction; } }",
        ingress: "if (!t.apply().hit) { u.apply(); }",
        ..Parts::default()
    };
    let (json, _) = compile("hit", &parts);
    let tables = json["pipelines"][0]["tables"].as_array().unwrap();
    let t = tables.iter().find(|t| t["name"] == "I.t").unwrap();
    assert_eq!(t["next_tables"]["__MISS__"], "I.u");
    assert_eq!(t["next_tables"]["__HIT__"], Value::Null);
}

#[test]
fn a_table_may_be_applied_at_several_places() {
    let parts = Parts {
        locals: "table t { key = { meta.x: exact; } actions = { NoAction; } }
                 table u { key = { meta.y: exact; } actions = { NoAction; } }",
        ingress: "if (meta.flag) { t.apply(); u.apply(); } else { t.apply(); meta.z = 1; }",
        ..Parts::default()
    };
    let (json, _) = compile("several", &parts);
    let tables = names(&json["pipelines"][0]["tables"]);
    assert_eq!(tables.iter().filter(|name| **name == "I.t").count(), 1);
    assert_eq!(json["pipelines"][0]["conditionals"].as_array().map(Vec::len), Some(2));
}

#[test]
fn loops_with_known_bounds_are_unrolled() {
    let parts = Parts { ingress: "for (bit<8> i = 0; i < 4; i = i + 1) { meta.x = meta.x + i; }", ..Parts::default() };
    let (json, _) = compile("loop", &parts);
    let primitives = json["actions"][0]["primitives"].as_array().unwrap();
    // Adding 0 is nothing.
    assert_eq!(primitives.len(), 3);
}

#[test]
fn division_by_repeated_application_makes_no_copies() {
    let parts = Parts {
        declarations: "control Step(inout bit<8> q, inout bit<32> r, in bit<32> d) {
            apply { r = r << 1; if (r >= d) { r = r - d; q = q | 1; } } }
            control Two(inout bit<8> q, inout bit<32> r, in bit<32> d) { Step() s;
            apply { s.apply(q, r, d); s.apply(q, r, d); } }",
        locals: "Two() two;",
        ingress: "two.apply(meta.x, meta.z, 32w5);",
        ..Parts::default()
    };
    let (json, _) = compile("division", &parts);
    let primitives = json["actions"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives.len(), 8);
}

#[test]
fn overlapping_arguments_are_copied() {
    let parts = Parts {
        declarations: "void swap(inout bit<8> a, in bit<8> b) { a = a + 1; a = a + b; }",
        ingress: "swap(meta.x, meta.x);",
        ..Parts::default()
    };
    let (json, _) = compile("overlap", &parts);
    let primitives = json["actions"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives.len(), 3);
    assert_eq!(primitives[0]["parameters"][1]["value"][1], "userMetadata.x");
}

#[test]
fn a_stack_is_indexed_at_run_time() {
    let parts = Parts { ingress: "meta.y = hdr.tags[meta.x].a; hdr.tags[meta.x].b = 3;", ..Parts::default() };
    let (json, _) = compile("index", &parts);
    let primitives = json["actions"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives[0]["parameters"][1]["value"]["value"]["op"], "?");
}

#[test]
fn metadata_in_field_lists_survive_clones() {
    let parts = Parts { ingress: "clone_preserving_field_list(CloneType.I2E, 32w100, 1);", ..Parts::default() };
    let (json, _) = compile("clone", &parts);
    assert_eq!(json["field_lists"][0]["id"], 1);
    assert_eq!(json["field_lists"][0]["name"], "field_list1");
    assert_eq!(json["field_lists"][0]["elements"][0]["value"], serde_json::json!(["scalars", "userMetadata.kept"]));
    assert_eq!(json["actions"][0]["primitives"][0]["op"], "clone_ingress_pkt_to_egress");
}

#[test]
fn the_deparser_cannot_decide() {
    let parts = Parts { deparser: "if (hdr.ethernet.kind == 1) { packet.emit(hdr.tag); }", ..Parts::default() };
    let message = refused("deparser", &parts);
    assert!(message.contains("BMv2 cannot decide anything in the deparser"), "{message}");
}

#[test]
fn clones_belong_to_their_pipeline() {
    let parts = Parts { egress: "clone(CloneType.I2E, 32w1);", ..Parts::default() };
    assert!(refused("clone_wrong", &parts).contains("I2E are made in ingress"));
}

#[test]
fn wrong_options_are_refused_with_a_hint() {
    let output = Command::new(env!("CARGO_BIN_EXE_p4c")).args(["--arch", "psa", "x.p4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--arch v1model"));
}

#[test]
fn tables_applied_in_several_places_each() {
    let parts = Parts {
        locals: "table t { key = { meta.x: exact; } actions = { NoAction; } }
                 table u { key = { meta.y: exact; } actions = { NoAction; } }",
        ingress: "if (meta.x == 1) { t.apply(); } else { t.apply(); } u.apply(); if (meta.y == 1) { u.apply(); }",
        ..Parts::default()
    };
    let (json, _) = compile("several_places", &parts);
    let tables = names(&json["pipelines"][0]["tables"]);
    assert_eq!(tables.iter().filter(|name| name.starts_with("I.")).count(), 2);
}

#[test]
fn slices_from_a_bit_known_at_run_time_can_be_written() {
    let parts = Parts { ingress: "meta.z[meta.x+:8] = meta.y; meta.y = meta.z[meta.x+:8];", ..Parts::default() };
    compile("plus_slice", &parts);
}

const UNFINISHED: &str = "bit<8> forgotten; bit<8> early; register<bit<8>>(4) store;";

/// Exit code, messages and JSON (if there is any) with these options.
fn with_options(name: &str, options: &[&str]) -> (Option<i32>, String, Option<String>) {
    let directory = directory(name);
    let (source, json) = (directory.join("program.p4"), directory.join("program.json"));
    let parts = Parts { locals: UNFINISHED, ingress: "meta.x = early;", ..Parts::default() };
    std::fs::write(&source, program(&parts)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_p4c-bm2-ss"))
        .args(options)
        .arg("-o")
        .arg(&json)
        .arg(&source)
        .output()
        .unwrap();
    let written = std::fs::read_to_string(&json).ok();
    std::fs::remove_dir_all(&directory).unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).replace(&*directory.to_string_lossy(), "");
    (output.status.code(), messages, written.map(|text| text.replace(&*directory.to_string_lossy(), "")))
}

#[test]
fn warnings_are_chosen_by_options() {
    let unused =
        ["[--Wwarn=unused] warning: 'forgotten' is never used", "[--Wwarn=unused] warning: 'store' is never used"];
    let early = "[--Wwarn=uninitialized-use] warning: 'early' may be read before it has a value";
    let (code, messages, json) = with_options("warn", &[]);
    assert_eq!(code, Some(0));
    assert!(unused.iter().all(|text| messages.contains(text)) && messages.contains(early), "{messages}");
    let (code, messages, same) = with_options("warn_disable", &["--Wdisable"]);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert_eq!(json, same);
    let (_, messages, _) = with_options("warn_disable_unused", &["--Wdisable=unused"]);
    assert!(!messages.contains("never used") && messages.contains(early), "{messages}");
    let (_, messages, _) = with_options("warn_disable_early", &["--Wdisable=uninitialized_use"]);
    assert!(messages.contains(unused[0]) && !messages.contains(early), "{messages}");
    let (code, messages, json) = with_options("warn_error", &["--Werror=unused", "--Wdisable"]);
    assert_eq!((code, json), (Some(1), None));
    assert!(
        messages.contains("[--Werror=unused] error: 'forgotten' is never used") && !messages.contains("before it has"),
        "{messages}"
    );
    for name in ["shadow", "no-such-kind"] {
        let (code, messages, _) = with_options("warn_other", &[&format!("--Werror={name}"), "--Wdisable"]);
        assert_eq!((code, messages.as_str()), (Some(0), ""));
    }
    let (code, messages, _) = with_options("warn_info", &["--Winfo=unused"]);
    assert_eq!(code, Some(0));
    assert!(messages.contains("[--Winfo=unused] info: 'forgotten' is never used"), "{messages}");
    let (code, messages, _) = with_options("warn_less", &["--Wwarn=type-error"]);
    assert_eq!(code, Some(1));
    assert!(messages.starts_with("[--Werror=invalid] error: 'type-error' is always an error"), "{messages}");
}

#[test]
fn without_main_nothing_is_compiled() {
    let directory = directory("no-main");
    let (source, json) = (directory.join("program.p4"), directory.join("program.json"));
    std::fs::write(&source, "#include <v1model.p4>\nconst bit<8> a = 1;\n").unwrap();
    let command = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_p4c-bm2-ss"));
        let output = command.args(words).arg(&source).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let info = directory.join("program.p4info.txtpb");
    let (code, messages) = command(&["-o", json.to_str().unwrap(), "--p4runtime-files", info.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(messages.contains("[--Wwarn=missing] warning: Program does not contain a `main' module"), "{messages}");
    // p4c writes P4Info before it notices.
    assert!(!json.exists() && info.exists());
    assert_eq!(command(&["--Wdisable"]), (Some(1), String::new()));
    assert_eq!(command(&["--check"]).0, Some(0));
    std::fs::remove_dir_all(&directory).unwrap();
}
