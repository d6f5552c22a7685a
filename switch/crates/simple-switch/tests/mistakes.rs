//! Every mistake gives one line and a status, and nothing is left behind.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("p4switch-mistake-{}-{name}", std::process::id()));
    std::fs::write(&path, text).expect("a file for the test");
    path
}

#[track_caller]
fn fails(output: &Output, status: i32, expected: &str) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{message}");
    assert!(message.contains(expected), "{message:?} does not say {expected:?}");
    assert!(!message.contains("panicked"), "{message}");
}

/// Runs a command that is expected to end by itself.
fn run(command: &mut Command) -> Output {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let deadline = Instant::now() + Duration::from_secs(30);
    while child.try_wait().expect("its state").is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    // One that started in spite of the mistake must not run for ever.
    let _ = child.kill();
    child.wait_with_output().expect("its output")
}

fn p4switch(text: &str, name: &str) -> Output {
    let path = file(name, text);
    let output = run(Command::new(env!("CARGO_BIN_EXE_p4switch")).arg("run").arg(&path));
    let _ = std::fs::remove_file(path);
    output
}

fn simple_switch(arguments: &[&str]) -> Output {
    run(Command::new(env!("CARGO_BIN_EXE_simple_switch_grpc")).args(arguments))
}

#[test]
fn descriptions() {
    fails(&p4switch("{", "a"), 2, "EOF");
    fails(&p4switch(r#"{"switches":[{"name":"s1","device_id":1,"ports":[],"color":1}]}"#, "b"), 2, "color");
    let port = |port: &str| format!(r#"{{"switches":[{{"name":"s1","device_id":1,"ports":[{port}]}}]}}"#);
    let bad_rate = port(r#"{"port":1,"interface":"x","egress":{"rate_bps":-5}}"#);
    fails(&p4switch(&bad_rate, "c"), 2, "switches[0].ports[0].egress.rate_bps");
    fails(&p4switch(&port(r#"{"port":1,"peer":{"switch":"s9","port":1}}"#), "d"), 1, "s9");
    let output = run(Command::new(env!("CARGO_BIN_EXE_p4switch")).args(["run", "/nowhere.json"]));
    fails(&output, 2, "/nowhere.json");
}

#[test]
fn missing_interfaces() {
    let missing = r#"{"switches":[{"name":"s1","device_id":1,"ports":[{"port":3,"interface":"nosuch0"}]}]}"#;
    fails(&p4switch(missing, "e"), 1, "switch s1, port 3: there is no interface nosuch0");
    fails(&simple_switch(&["--no-p4", "-i", "1@nosuch0", "--", "--grpc-server-addr", "127.0.0.1:0"]), 1, "nosuch0");
}

#[test]
fn command_lines() {
    fails(&simple_switch(&[]), 2, "--no-p4");
    fails(&simple_switch(&["-i", "veth1", "--no-p4"]), 2, "PORT@INTERFACE");
    fails(&simple_switch(&["--no-p4", "--", "--grpc-server-addr", "nonsense"]), 2, "ADDRESS:PORT");
    fails(&simple_switch(&["--no-p4", "--", "--cpu-port", "0"]), 2, "--cpu-port");
    fails(&simple_switch(&["--no-p4", "--pcap", "/no/such/folder"]), 2, "/no/such/folder");
    fails(&simple_switch(&["--no-p4", "--use-files", "0"]), 2, "--use-files");
    fails(&simple_switch(&["/nowhere.json"]), 2, "/nowhere.json");
    let program = file("f", "{}");
    fails(&simple_switch(&[&program.to_string_lossy()]), 2, &program.to_string_lossy());
    let _ = std::fs::remove_file(program);
}

#[test]
fn address_in_use() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    fails(&simple_switch(&["--no-p4", "--", "--grpc-server-addr", &address]), 1, &address);
}
