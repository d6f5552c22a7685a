//! A few seconds of each target, so that every test run has some.

use std::time::Duration;

use fuzz_targets::{Limits, grpc, json, packets};

fn programs() -> Vec<(String, String)> {
    let all = [
        ("features.p4", include_str!("../../v1model/tests/programs/features.p4")),
        ("forward.p4", include_str!("../../v1model/tests/programs/forward.p4")),
        ("headers.p4", include_str!("../../v1model/tests/programs/headers.p4")),
    ];
    let json =
        |(name, text): (&str, &str)| (name.to_owned(), p4c_driver::compile::json(name, text).expect("it compiles"));
    all.map(json).to_vec()
}

fn limits() -> Limits {
    Limits { rounds: 0..400, time: Duration::from_secs(4) }
}

#[test]
fn damaged_programs() {
    if let Err(find) = json::run(&programs(), 11, &limits()) {
        panic!("round {}: {}\n{}", find.round, find.what, find.input);
    }
}

#[test]
fn arbitrary_packets() {
    if let Err(find) = packets::run(&programs(), 11, &limits()) {
        panic!("round {}: {}", find.round, find.what);
    }
}

#[test]
fn requests() {
    let program = include_str!("../../../../tests/p4runtime/testbed.p4");
    let config = grpc::Config::compile("testbed.p4", program).expect("compiles");
    if let Err(find) = grpc::run(&config, 11, &limits()) {
        panic!("round {}: {}\n{}", find.round, find.what, find.input);
    }
}
