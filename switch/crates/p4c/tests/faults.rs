//! Programs that were compiled wrongly, or not at all, and the right result for each.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4sim::Simulator;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};
use v1model::{Program, SwitchConfig};

/// A program with a header of one byte. The parts are declarations before all else, fields of the headers, and the
/// ingress control's declarations and statements.
fn source(declarations: &str, fields: &str, locals: &str, ingress: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header b_t {{ bit<8> x; }}
header e_t {{ bit<8> v; }}
{declarations}
struct H {{ b_t b; {fields} }}
struct M {{ }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{
    state start {{ p.extract(h.b); transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{ {locals} apply {{ s.egress_spec = 1; {ingress} }} }}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.b); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

/// Runs the compiler on a text, with these options; the files stay in the folder.
fn compile(folder: &tempfile::TempDir, source: &str, options: &[&str], path: Option<PathBuf>) -> Output {
    std::fs::write(folder.path().join("t.p4"), source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_p4c-bm2-ss"));
    command.current_dir(folder.path()).args(options).args(["-o", "t.json", "t.p4"]);
    command.env_remove("P4C_16_INCLUDE_PATH").envs(path.map(|path| ("P4C_16_INCLUDE_PATH", path)));
    command.output().unwrap()
}

/// Compiles without a message, and gives the JSON.
fn json(source: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = compile(&folder, source, options, None);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
    std::fs::read_to_string(folder.path().join("t.json")).unwrap()
}

/// Checks the frame that leaves for each given frame.
fn check(json: &str, cases: &[(&[u8], &[u8])]) {
    let program = Arc::new(Program::from_json(json).unwrap());
    for (given, expected) in cases {
        let mut simulator = Simulator::new(program.clone(), SwitchConfig::default());
        let mut frames = vec![];
        simulator.send_each(0, given, 1_000, |_, data| frames.push(data.to_vec()));
        assert_eq!(frames, [expected.to_vec()], "for {given:02x?}");
    }
}

#[test]
fn the_target_is_known_to_the_program() {
    let which =
        source("#ifdef __TARGET_BMV2__\n#define WHO 0x55\n#else\n#define WHO 0xaa\n#endif", "", "", "h.b.x = WHO;");
    for options in [&[][..], &["-U__TARGET_BMV2__"], &["-D", "__TARGET_BMV2__=0"]] {
        check(&json(&which, options), &[(&[0], &[0x55])]);
    }
}

#[test]
fn macros_of_the_command_line_in_their_order() {
    let program = source(
        "#ifndef N\n#define N 3\n#endif\n#ifdef F\n#define VALUE F(N)\n#else\n#define VALUE N\n#endif",
        "",
        "",
        "h.b.x = VALUE;",
    );
    let cases: [(&[&str], u8); 5] =
        [(&[], 3), (&["-DN=7"], 7), (&["-DN=7", "-UN"], 3), (&["-UN", "-DN=7"], 7), (&["-DN=7", "-DF(x)=(x+1)"], 8)];
    for (options, expected) in cases {
        check(&json(&program, options), &[(&[0], &[expected])]);
    }
}

#[test]
fn the_include_path_of_the_environment_comes_last() {
    let folder = tempfile::tempdir().unwrap();
    for (name, value) in [("first", 1), ("last", 2)] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("n.p4"), format!("#define N {value}\n")).unwrap();
    }
    // Beside the compiler's own files, this one is not found.
    std::fs::write(folder.path().join("last/core.p4"), "#error the wrong core.p4\n").unwrap();
    let program = source("#include <n.p4>", "", "", "h.b.x = N;");
    for (options, expected) in [(&["-I", "first"][..], 1), (&[], 2)] {
        let output = compile(&folder, &program, options, Some(folder.path().join("last")));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        check(&std::fs::read_to_string(folder.path().join("t.json")).unwrap(), &[(&[0], &[expected])]);
    }
    let output = compile(&folder, &program, &[], None);
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot find the include file 'n.p4'"));
}

#[test]
fn strings_over_several_lines_and_spliced_names() {
    let folder = tempfile::tempdir().unwrap();
    let table = "@entry_restriction(\"\n  // a comment\n#ifdef FOO\n  t == 1;\n#else\n  t == IPV4;\n#endif\n \")
        table x { key = { h.b.x: exact @name(\"t\"); } actions = { NoAction; } size = LONG_NAME; }";
    let program = source("#define IPV4 0x0800\n#define LONG_\\\nNAME 5", "", table, "x.apply();");
    let output = compile(&folder, &program, &["--p4runtime-files", "t.txt"], None);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let info = std::fs::read_to_string(folder.path().join("t.txt")).unwrap();
    let expected = r#"annotations: "@entry_restriction(\"\n  // a comment\n\n\n\n  t == 0x0800;\n\n \")""#;
    assert!(info.contains(expected) && info.contains("size: 5\n"), "{info}");
}

#[test]
fn pastes_and_strings_are_made_of_spellings() {
    let macros =
        "#define TBL(N) table t##N { actions = { NoAction; } }\n#define USE(N) t##N.apply()\n#define STR(x) #x";
    let tables = "TBL(01) TBL(0x2) @name(STR(007 0x0A)) @foo(0x0A, 007) table q { actions = { NoAction; } }";
    let folder = tempfile::tempdir().unwrap();
    let program = source(macros, "", tables, "USE(01); USE(0x2); q.apply();");
    let output = compile(&folder, &program, &["--p4runtime-files", "t.txt"], None);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let info = std::fs::read_to_string(folder.path().join("t.txt")).unwrap();
    for expected in ["\"I.t01\"", "\"I.t0x2\"", "\"I.007 0x0A\"", "\"@foo(0x0A , 007)\""] {
        assert!(info.contains(expected), "{expected} in\n{info}");
    }
}

#[test]
fn unknown_keys_of_the_package_are_named() {
    let cases = [
        ("@pkginfo(name=\"n\", colour=\"red\")", "[--Wwarn=unknown] warning: unknown key 'colour' in @pkginfo"),
        ("@platform_property(size=1)", "[--Wwarn=unknown] warning: unknown key 'size' in @platform_property"),
        ("@pkginfo(name=1)", "[--Werror=unsupported] error: the value of 'name' in @pkginfo is not a string"),
        ("@pkginfo(arch=\"x\")", "[--Wwarn=invalid] warning: the compiler sets 'arch' of @pkginfo"),
    ];
    for (annotation, message) in cases {
        let folder = tempfile::tempdir().unwrap();
        let program = source("", "", "", "").replace("V1Switch(", &format!("{annotation} V1Switch("));
        let output = compile(&folder, &program, &["--p4runtime-files", "t.txt"], None);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn long_chains_of_choices() {
    let mut statement = String::from("if (h.b.x == 0) { h.b.x = 200; }");
    for value in 1..200 {
        statement.push_str(&format!(" else if (h.b.x == {value}) {{ h.b.x = {}; }}", 200 - value));
    }
    let choices: String = (0..199).map(|value| format!("h.b.x == {value} ? 8w{} : ", 200 - value)).collect();
    for ingress in [statement, format!("h.b.x = {choices} 9;")] {
        let json = json(&source("", "", "", &ingress), &[]);
        check(&json, &[(&[0], &[200]), (&[7], &[193]), (&[198], &[2])]);
    }
}

#[test]
fn long_chains_of_operators() {
    let sum = format!("h.b.x = h.b.x{};", " + h.b.x".repeat(600));
    let or = format!("if (h.b.x == 1{}) {{ h.b.x = 77; }}", " || h.b.x == 2".repeat(600));
    check(&json(&source("", "", "", &sum), &[]), &[(&[1], &[89])]);
    check(&json(&source("", "", "", &or), &[]), &[(&[1], &[77]), (&[2], &[77]), (&[3], &[3])]);
}

/// Loading took time that doubled with each element of the stack.
/// An expression within an expression for each element was JSON that is nested too deep for a switch.
#[test]
fn elements_of_long_stacks_chosen_at_run_time() {
    let index = "bit<16> i = (bit<16>) h.b.x * 3;";
    let written = "h.s[i].setValid(); h.s[i].v = h.b.x;";
    let read = "h.b.x = h.s[i].v + (h.s[i].isValid() ? 8w1 : 0) + (h.s[i] == h.s[30] ? 8w64 : 0);";
    let program = source("", "e_t[700] s;", "", &format!("{index} {written} {read}"));
    // An element beyond the end is invalid, as the thirtieth element is.
    check(&json(&program, &[]), &[(&[0], &[1]), (&[10], &[75]), (&[233], &[234]), (&[255], &[64])]);
    let short_index = source("", "e_t[700] s;", "", &format!("bit<8> i = h.b.x; {written} h.b.x = h.s[i].v;"));
    check(&json(&short_index, &[]), &[(&[0], &[0]), (&[255], &[255])]);
}

#[test]
fn elements_chosen_at_run_time_load_at_once() {
    let began = Instant::now();
    let read =
        json(&source("", "e_t[32] s;", "", "h.s[h.b.x].setValid(); h.s[h.b.x].v = 5; h.b.x = h.s[h.b.x].v;"), &[]);
    check(&read, &[(&[3], &[5]), (&[31], &[5])]);
    let local = "SS ss;";
    let ingress = "ss.s[h.b.x].setValid(); ss.s[h.b.x].v = 5; h.b.x = ss.s[h.b.x].v; ss.s.push_front(3);";
    check(&json(&source("struct SS { e_t[64] s; }", "", local, ingress), &[]), &[(&[9], &[5])]);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}
