//! A few seconds of mutated programs, so that every test run has some; see `fuzz_p4_source` for more.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use fuzz_targets::p4_source::{Mutator, STACK_BYTES, compile_or_refuse};

const TIME: Duration = Duration::from_secs(4);
const SEED: u64 = 11;

#[test]
fn mutated_programs_are_compiled_or_refused() {
    let programs = [
        include_str!("../../../../tests/p4runtime/testbed.p4").to_owned(),
        include_str!("../../../../tests/p4runtime/extras.p4").to_owned(),
    ];
    let work = move || {
        let mut mutator = Mutator::new(&programs, SEED);
        let end = Instant::now() + TIME;
        while Instant::now() < end {
            let program = mutator.next_program();
            let compiled = std::panic::catch_unwind(|| compile_or_refuse(&program));
            assert!(compiled.is_ok(), "a panic (its message is above) from this program:\n{program}");
        }
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap();
}
