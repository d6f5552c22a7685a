//! Packet tests on the real BMv2, where it is on PATH; and the message where it is not.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../v1model/tests/programs")
}

fn p4test(path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_p4test"));
    command.arg("--switch").arg("bmv2").args(arguments).env("PATH", path);
    command.output().expect("it runs")
}

/// The embedded compiler, which the build of the workspace puts beside `p4test`.
fn compiler() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join("simple_switch_grpc").is_file());
    let compiler = Path::new(env!("CARGO_BIN_EXE_p4test")).with_file_name("p4c-bm2-ss");
    assert!(found && compiler.is_file(), "needs BMv2's simple_switch_grpc on PATH, and {}", compiler.display());
    compiler
}

#[test]
#[ignore = "needs BMv2 (simple_switch_grpc) on PATH"]
fn packets_tables_and_what_cannot_be_done() {
    let compiler = compiler();
    let folder = tempfile::tempdir().expect("a folder");
    let test = folder.path().join("test.stf");
    let path = std::env::var("PATH").expect("PATH");
    let program = programs().join("forward.p4");
    let arguments = [
        "--compiler",
        compiler.to_str().expect("a path"),
        program.to_str().expect("a path"),
        test.to_str().expect("a path"),
    ];
    let original = programs().join("forward.stf");
    std::fs::copy(&original, &test).expect("copied");
    let output = p4test(&path, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    // A wrong expectation: the same test with the first expected packet changed.
    let text = std::fs::read_to_string(&original).expect("it can be read");
    let line = text.lines().find(|line| line.starts_with("expect") && line.split_whitespace().count() > 2);
    let words: Vec<&str> = line.expect("an expected packet").split_whitespace().collect();
    let digits = words[2..].concat();
    let first = if digits.starts_with('0') { "1" } else { "0" };
    let wrong = format!("expect {} {first}{}", words[1], &digits[1..]);
    std::fs::write(&test, text.replacen(line.expect("it"), &wrong, 1)).expect("written");
    let output = p4test(&path, &arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("differs from byte 0") && error.contains("expected") && error.contains("received"),
        "{error}"
    );
}

#[test]
fn without_bmv2_it_is_said() {
    let source = std::fs::read_to_string(programs().join("forward.p4")).expect("it can be read");
    let test = programs().join("forward.stf");
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("forward.json");
    std::fs::write(&json, p4c_driver::compile::json("forward.p4", &source).expect("it compiles")).expect("written");
    let arguments = [json.to_str().expect("a path"), test.to_str().expect("a path")];
    let output = p4test("/nowhere", &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a P4Info"), "{output:?}");
    std::fs::write(folder.path().join("forward.p4info.txtpb"), "").expect("written");
    let output = p4test("/nowhere", &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no simple_switch_grpc on PATH"), "{output:?}");
}
