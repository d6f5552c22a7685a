//! The targets' own mutations, without libFuzzer.

use fuzz_targets::guided::{json_loader, mutated_source, p4runtime_messages, parser, preprocessor};

#[test]
fn what_is_no_json_is_left_to_libfuzzer() {
    assert!(json_loader::mutated(b"{", 1).is_empty());
    assert!(!json_loader::mutated(b"{\"headers\": []}", 1).is_empty());
}

#[test]
fn mutated_messages_are_answered() {
    let mut input = Vec::new();
    for seed in 0..60 {
        input = p4runtime_messages::mutated(&input, seed);
        p4runtime_messages::target(&input);
    }
}

#[test]
fn tokens_are_spelled_as_they_were() {
    let program = r##"
#define TWICE(x) x >> x
#define JOIN(a, b) a ## b
const bit<8> a = 8w0b1_0 >> 2 + (4s0x7 > 1 ? TWICE(3) : - 1); // a comment
@name("\"\\\n") tuple<tuple<bit<8>>> JOIN(b, 1) ( in inout_ ) { ... } >>= > >= |+|= &&& . ..
@pragma to the end
"##;
    preprocessor::target(program.as_bytes());
    parser::target(program.as_bytes());
    for seed in 0..200 {
        let mutated = mutated_source(program.as_bytes(), seed);
        preprocessor::target(&mutated);
        parser::target(&mutated);
    }
}

#[test]
fn devices_are_not_read() {
    preprocessor::target(b"#include \"/dev/zero\"\n");
    preprocessor::target(b"#include \"/d\\\nev/zero\"\n");
}
