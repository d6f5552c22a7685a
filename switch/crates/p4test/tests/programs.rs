//! Runs the packet tests beside the switch's test programs.

use std::path::Path;
use std::sync::Arc;

use p4test::{runner, stf, target};
use v1model::Program;

fn load(source: &Path) -> Arc<Program> {
    let text = std::fs::read_to_string(source).expect("it can be read");
    let json = p4c_driver::compile::json("test.p4", &text).unwrap_or_else(|messages| panic!("{messages}"));
    Arc::new(Program::from_json(&json).expect("the program loads"))
}

#[test]
fn packet_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../v1model/tests/programs");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "stf") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let statements = stf::parse(&text).expect("it is STF");
        let program = load(&path.with_extension("p4"));
        let report = runner::run(&program, &statements);
        assert!(report.failures.is_empty(), "{}:\n{}", path.display(), report.failures.join("\n"));
        assert!(report.passed > 0);
        // Watching a packet does not change its way.
        let traced = runner::run_on(
            &mut target::Embedded::new(&program, Some(v1model::TraceFilter::default())),
            &program,
            &statements,
        );
        assert_eq!(
            (traced.packets, traced.passed, &traced.failures),
            (report.packets, report.passed, &report.failures)
        );
        assert!(!traced.trace.is_empty());
        count += 1;
    }
    assert!(count >= 3);
}

#[test]
fn failures_are_told() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../v1model/tests/programs");
    let program = load(&folder.join("features.p4"));
    let run = |text: &str| runner::run(&program, &stf::parse(text).expect("it is STF")).failures;
    let packet = "packet 1 0000 0000 00000000 0000000000000000\n";
    assert_eq!(run(&format!("{packet}expect 1 00")).len(), 0);
    assert_eq!(run(&format!("{packet}expect 1")).len(), 0);
    assert!(run(&format!("{packet}expect 2\nexpect 1"))[0].contains("line 2: no packet has come out of port 2"));
    assert!(run(&format!("{packet}expect 1\nexpect 1"))[0].contains("line 3: no packet has come out of port 1"));
    let bare = runner::run(&program, &stf::parse(&format!("{packet}expect 1")).expect("it is STF"));
    assert_eq!((bare.packets, bare.passed), (1, 1), "a packet of any bytes is a check too");
    assert!(run(&format!("{packet}no_packet"))[0].contains("line 2"));
    assert!(run(&format!("{packet}expect 1 01"))[0].contains("differs from byte 0"));
    assert!(run(&format!("{packet}expect 1 00\nexpect 2 00"))[0].contains("no packet has come out of port 2"));
    assert!(run(packet)[0].contains("was not expected"));
    assert!(run("add nothing a:1 b()")[0].contains("there is no \"nothing\""));
    assert!(run("add exactly a:1 fly()")[0].contains("action of table Act.exactly"));
    assert!(run("add exactly zzz:1 drop()")[0].contains("no key field \"zzz\""));
    assert!(run("check_register cells(1) == 5")[0].contains("is 0, expected == 5"));
    assert!(run("mc_node_associate 1 0")[0].contains("replication node 0"));
}
