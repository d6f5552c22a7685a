//! P4Info and the entries of the program as files of every format, and the options that the command line refuses.

#![allow(clippy::unwrap_used)] // a failing test may panic

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A v1model program with these declarations in its ingress, and this in its body.
fn program(locals: &str, body: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
struct headers_t {{ }}
struct metadata_t {{ bit<12> x; bit<8> y; }}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
    state start {{ transition accept; }}
}}
control V(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
{locals}
    apply {{ {body} }}
}}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

/// Compiles in a directory of the test's own, with options that name files there by `@`.
fn compile(name: &str, text: &str, options: &[&str]) -> (Output, PathBuf) {
    let directory = std::env::temp_dir().join(format!("p4c-p4runtime-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let source = directory.join("program.p4");
    std::fs::write(&source, text).unwrap();
    let here = format!("{}/", directory.display());
    let output = Command::new(env!("CARGO_BIN_EXE_p4c-bm2-ss"))
        .args(options.iter().map(|option| option.replace('@', &here)))
        .arg(&source)
        .output()
        .unwrap();
    (output, directory)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

const TABLES: &str = "    action set(bit<12> value) { meta.x = value; }
    table t {
        key = { meta.x: ternary; meta.y: exact; sm.ingress_port: range; sm.packet_length: lpm; meta.y: optional @name(\"o\"); }
        actions = { set; NoAction; }
        const entries = {
            (0x234 &&& 0xff0, 1, 1..2, 0x100 &&& 0xffffff00, 7): set(0x123);
            (_, 2, _, _, _): NoAction();
        }
    }
    table u {
        key = { meta.x: ternary; }
        actions = { set; }
        largest_priority_wins = false;
        entries = { priority = 20: 1: set(1); const priority = 10: 2: set(2); }
    }";

#[test]
fn entries_are_one_write_request() {
    let options = ["--p4runtime-entries-files", "@e.json,@e.txtpb,@e.bin"];
    let (output, directory) = compile("entries", &program(TABLES, "t.apply(); u.apply();"), &options);
    assert!(output.status.success(), "{}", stderr(&output));
    let entries = read_json(&directory.join("e.json"));
    let entry = |index: usize| &entries["updates"][index]["entity"]["tableEntry"];
    assert_eq!(entries["updates"].as_array().unwrap().len(), 4);
    assert_eq!(entries["updates"][0]["type"], "INSERT");
    assert_eq!(
        entry(0)["match"],
        json!([
            {"fieldId": 1, "ternary": {"value": "AjA=", "mask": "D/A="}},
            {"fieldId": 2, "exact": {"value": "AQ=="}},
            {"fieldId": 3, "range": {"low": "AAE=", "high": "AAI="}},
            {"fieldId": 4, "lpm": {"value": "AAABAA==", "prefixLen": 24}},
            {"fieldId": 5, "optional": {"value": "Bw=="}},
        ])
    );
    assert_eq!(entry(0)["action"]["action"]["params"], json!([{"paramId": 1, "value": "ASM="}]));
    assert_eq!(entry(1)["match"], json!([{"fieldId": 2, "exact": {"value": "Ag=="}}]));
    let order = |index: usize| (entry(index)["priority"].as_i64(), entry(index)["isConst"].as_bool());
    assert_eq!([order(0), order(1)], [(Some(2), Some(true)), (Some(1), Some(true))]);
    assert_eq!([order(2), order(3)], [(Some(10), Some(true)), (Some(20), None)]);
    let text = std::fs::read_to_string(directory.join("e.txtpb")).unwrap();
    assert!(
        text.starts_with("# proto-file: p4/v1/p4runtime.proto\n# proto-message: p4.v1.WriteRequest\n\nupdates {\n")
    );
    assert_eq!(text.matches("table_entry {").count(), 4);
    assert!(std::fs::read(directory.join("e.bin")).unwrap().len() > 100);
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn p4info_in_the_format_that_is_asked_for() {
    let text = program(TABLES, "t.apply(); u.apply();");
    let options = ["--p4runtime-files", "@a.txt,@a.json,@a.bin"];
    let (output, directory) = compile("formats", &text, &options);
    assert!(output.status.success(), "{}", stderr(&output));
    let info = read_json(&directory.join("a.json"));
    assert_eq!(info["pkgInfo"]["arch"], "v1model");
    assert_eq!(info["tables"][0]["matchFields"][0]["matchType"], "TERNARY");
    assert_eq!(info["tables"][0]["size"], "1024");
    let file = |name: &str| std::fs::read(directory.join(name)).unwrap();
    assert!(file("a.txt").starts_with(b"# proto-file: p4/config/v1/p4info.proto\n"));
    for (format, same) in [("binary", "a.bin"), ("json", "a.json"), ("text", "a.txt")] {
        let one = ["--p4runtime-file", "@one", "--p4runtime-format", format];
        assert!(compile("formats", &text, &one).0.status.success());
        assert_eq!(file("one"), file(same), "{format}");
    }
    // As with p4c, binary is what one gets without being asked.
    assert!(compile("formats", &text, &["--p4runtime-file", "@one"]).0.status.success());
    assert_eq!(file("one"), file("a.bin"));
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn what_a_property_makes_is_visible_by_the_name_it_has_there() {
    let locals = "table t {
            key = { meta.x: exact; }
            actions = { NoAction; }
            @name(\"t_counter\") counters = direct_counter(CounterType.packets_and_bytes);
            @brief(\"shared\") @name(\"t_profile\") implementation = action_profile(16);
        }";
    let (output, directory) = compile("in-place", &program(locals, "t.apply();"), &["--p4runtime-files", "@a.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("belongs to no table"), "{}", stderr(&output));
    let info = read_json(&directory.join("a.json"));
    let table = &info["tables"][0];
    let (counter, profile) = (&info["directCounters"][0], &info["actionProfiles"][0]);
    assert_eq!(counter["preamble"]["name"], "t_counter");
    assert_eq!(counter["spec"]["unit"], "BOTH");
    assert_eq!(counter["directTableId"], table["preamble"]["id"]);
    assert_eq!(table["directResourceIds"][0], counter["preamble"]["id"]);
    assert_eq!(
        (&profile["preamble"]["name"], &profile["preamble"]["doc"]["brief"]),
        (&json!("t_profile"), &json!("shared"))
    );
    assert_eq!(table["implementationId"], profile["preamble"]["id"]);
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn the_compilers_own_files_come_before_those_of_given_folders() {
    let (_, directory) = compile("include", "", &[]);
    std::fs::write(directory.join("core.p4"), "#error not this one").unwrap();
    let (output, _) = compile("include", &program("", ""), &["-I", "@"]);
    std::fs::remove_dir_all(directory.clone()).unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn names_without_a_format_are_refused_before_anything_is_written() {
    for option in ["--p4runtime-files", "--p4runtime-entries-files"] {
        let (output, directory) = compile("ending", &program("", ""), &["-o", "@a.json", option, "@a.bin,@b.xml"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("b.xml' does not say its format"), "{}", stderr(&output));
        assert!(!directory.join("a.json").exists() && !directory.join("a.bin").exists());
        std::fs::remove_dir_all(directory).unwrap();
    }
    let (output, directory) =
        compile("format", &program("", ""), &["--p4runtime-file", "@a", "--p4runtime-format", "xml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("binary, json, text"), "{}", stderr(&output));
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn wrong_ids_are_shown_where_they_stand() {
    let table = "table t { actions = { a; b; } }";
    let twice = format!("@id(5) action a() {{ }}\n  @id(5) action b() {{ }}\n{table}");
    let kind = format!("action a() {{ }} action b() {{ }}\n  @id(0x01000007) {table}");
    for (locals, place, message) in [
        (twice, "(11): [--Werror=duplicate] error: @id(", "already taken"),
        (kind, "(11): [--Werror=invalid] error: @id(", "wrong byte"),
    ] {
        let (output, directory) = compile("ids", &program(&locals, "t.apply();"), &["--p4runtime-files", "@a.txtpb"]);
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(text.contains(place) && text.contains(message), "{text}");
        std::fs::remove_dir_all(directory).unwrap();
    }
}

#[test]
fn wrong_arguments_of_the_package_are_named_readably() {
    let text = program("", "").replace("V1Switch(P()", "V1Switch(V()");
    let (output, directory) = compile("package", &text, &[]);
    assert_eq!(output.status.code(), Some(1));
    let message = "argument for parameter 'p' of type 'Parser<H, M>' cannot be 'control V'";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn the_switch_takes_an_empty_parameter_vector_as_p4c_writes_it() {
    let (output, directory) = compile("log", &program("", "log_msg(\"hello\");"), &["-o", "@a.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut program = read_json(&directory.join("a.json"));
    let vector = &mut program["actions"][0]["primitives"][0]["parameters"][1];
    assert_eq!(*vector, json!({"type": "parameters_vector", "value": []}));
    vector["value"] = json!({});
    assert!(v1model::Program::from_json(&program.to_string()).is_ok());
    std::fs::remove_dir_all(directory).unwrap();
}
