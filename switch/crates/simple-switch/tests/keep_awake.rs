//! `p4switch keep-awake`: busy on every processor, in nobody's way, gone with the process that started it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

fn start() -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_p4switch"))
        .arg("keep-awake")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut ready = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut ready).expect("a line");
    assert_eq!(ready.trim(), r#"{"event":"ready"}"#);
    child
}

#[test]
fn a_thread_on_every_processor_below_all_others() {
    const SCHED_IDLE: &str = "5";
    let mut child = start();
    let mut processors = Vec::new();
    for thread in fs::read_dir(format!("/proc/{}/task", child.id())).expect("its threads") {
        let folder = thread.expect("a thread").path();
        if !fs::read_to_string(folder.join("comm")).expect("its name").starts_with("awake-") {
            continue;
        }
        let stat = fs::read_to_string(folder.join("stat")).expect("its state");
        let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
        assert_eq!((fields[0], fields[38]), ("R", SCHED_IDLE), "{stat}");
        let status = fs::read_to_string(folder.join("status")).expect("its status");
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
        processors.push(allowed.trim().to_owned());
    }
    processors.sort_unstable();
    processors.dedup();
    assert_eq!(processors.len(), std::thread::available_parallelism().expect("a number").get());
    drop(child.stdin.take());
    assert!(child.wait().expect("ends").success());
}

#[test]
fn ends_with_its_standard_input() {
    let mut child = start();
    assert!(child.try_wait().expect("its state").is_none());
    drop(child.stdin.take());
    assert!(child.wait().expect("ends").success());
}
