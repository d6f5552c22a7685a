//! Every construct that the generator knows is generated, and often enough to be met in a short run.

use fuzz_rounds::random::Random;
use p4_fuzz::generate::{Features, program};

/// The programs that are looked at.
const PROGRAMS: u64 = 800;

/// All constructs that the generator notes.
const CONSTRUCTS: [&str; 141] = [
    "!",
    "!=",
    "% by a power of two",
    "&",
    "&&",
    "*",
    "* of int<>",
    "+",
    "++",
    "++ of int<>",
    "-",
    "/ by a power of two",
    "<",
    "<<",
    "<< of int<>",
    "<=",
    "==",
    ">",
    ">=",
    ">>",
    ">> of int<>",
    "^",
    "action call",
    "action with arguments in a table",
    "advance",
    "application of a control",
    "application of a parser",
    "apply",
    "apply().hit",
    "apply().miss",
    "assignment",
    "assignment in a parser",
    "block",
    "bool comparison",
    "break",
    "cast",
    "cast bit<1> to bool",
    "cast bool to bit<1>",
    "cast of a serializable enumeration",
    "cast to a serializable enumeration",
    "comparison of int<>",
    "const default action",
    "const entries",
    "constructor parameter",
    "continue",
    "count",
    "counter",
    "egress",
    "element of any index",
    "element of any index as l-value",
    "else",
    "entries with priorities",
    "enumeration comparison",
    "exact key",
    "exit",
    "extract",
    "extract with a length",
    "for",
    "for in a range",
    "function call",
    "function call in an expression",
    "function with a header as result",
    "hash",
    "header argument",
    "header assignment",
    "header comparison",
    "header of a list",
    "header of an expression",
    "header parameter",
    "header stack",
    "header union",
    "if",
    "in argument",
    "inout argument",
    "isValid",
    "isValid of a union",
    "local of headers",
    "lookahead",
    "lookahead of a header",
    "loop of a parser",
    "lpm key",
    "mark_to_drop",
    "next of a stack",
    "operator assignment",
    "optional key",
    "out argument",
    "parser within a sub-parser",
    "pop_front",
    "push_front",
    "range key",
    "register",
    "register read",
    "register write",
    "reject",
    "return",
    "return of a value",
    "select",
    "select mask",
    "select range",
    "select without default",
    "serializable enumeration comparison",
    "setInvalid",
    "setValid",
    "shadowing",
    "shift by the width or more",
    "slice",
    "slice as l-value",
    "slice of int<>",
    "stack assignment",
    "stack element assignment",
    "stack of a list",
    "stack parameter",
    "stack with all elements",
    "structure comparison",
    "structure expression",
    "sub-control",
    "sub-control of everything",
    "sub-parser",
    "switch over a number",
    "switch over action_run",
    "switch over an enumeration",
    "ternary",
    "ternary key",
    "unary -",
    "union assignment",
    "union member assignment",
    "union parameter",
    "update_checksum",
    "value set",
    "varbit",
    "varbit comparison",
    "verify",
    "verify_checksum",
    "{#}",
    "|",
    "|+|",
    "|+| of int<>",
    "|-|",
    "|-| of int<>",
    "||",
    "~",
];

fn generated(seed: u64) -> Features {
    let mut all = Features::new();
    for round in 0..PROGRAMS {
        for (feature, count) in program(Random::of_round(seed, round)).features {
            *all.entry(feature).or_default() += count;
        }
    }
    all
}

#[test]
fn each_construct_is_generated() {
    for seed in [1, 2] {
        let generated = generated(seed);
        let missing: Vec<_> = CONSTRUCTS.iter().filter(|name| !generated.contains_key(*name)).collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?} in none of {PROGRAMS} programs");
        let new: Vec<_> = generated.keys().filter(|name| !CONSTRUCTS.contains(name)).collect();
        assert!(new.is_empty(), "not in the list: {new:?}");
    }
}

/// A construct that is noted is in the text, but for what is discarded with a call that finds nothing to write to.
#[test]
fn what_is_noted_is_there() {
    let words = [
        ("exit", "exit;"),
        ("verify", "verify("),
        ("|+|", "|+|"),
        ("lpm key", ": lpm"),
        ("range key", ": range"),
        ("entries with priorities", "const priority ="),
        ("switch over action_run", ".action_run)"),
        ("apply().hit", ".apply().hit)"),
        ("for in a range", " in "),
        ("mark_to_drop", "mark_to_drop(std)"),
        ("structure expression", "(Pair){"),
        ("reject", "reject;"),
        ("application of a control", ".apply("),
        ("application of a parser", ".apply(packet, "),
        ("constructor parameter", ")("),
        ("header union", "header_union "),
        ("varbit", "varbit<"),
        ("extract with a length", ", (bit<32>)("),
        ("next of a stack", ".next"),
        ("push_front", ".push_front("),
        ("register read", ".read("),
        ("register write", ".write("),
        ("hash", "hash("),
        ("verify_checksum", "verify_checksum("),
        ("update_checksum", "update_checksum("),
        ("lookahead", "packet.lookahead<"),
        ("advance", "packet.advance("),
        ("value set", "value_set<"),
        ("optional key", ": optional"),
    ];
    let all: Vec<_> = (0..PROGRAMS).map(|round| program(Random::of_round(3, round))).collect();
    for (name, text) in words {
        let noted: Vec<_> = all.iter().filter(|made| made.features.contains_key(name)).collect();
        let there = noted.iter().filter(|made| made.source.contains(text)).count();
        assert!(there > 0 && there * 10 >= noted.len() * 9, "{name}: in {there} of {} programs", noted.len());
    }
}
