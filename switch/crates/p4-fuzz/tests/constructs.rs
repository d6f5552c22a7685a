//! Every construct that the generator knows is generated, and often enough to be met in a short run.

use fuzz_rounds::random::Random;
use p4_fuzz::generate::{Features, program};

/// The programs that are looked at.
const PROGRAMS: u64 = 400;

/// All constructs that the generator notes.
const CONSTRUCTS: [&str; 93] = [
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
    "comparison of int<>",
    "const default action",
    "const entries",
    "continue",
    "else",
    "entries with priorities",
    "enumeration comparison",
    "exact key",
    "exit",
    "extract",
    "for",
    "for in a range",
    "function call",
    "function call in an expression",
    "header assignment",
    "header comparison",
    "header of a list",
    "header stack",
    "if",
    "in argument",
    "inout argument",
    "isValid",
    "lpm key",
    "mark_to_drop",
    "operator assignment",
    "out argument",
    "range key",
    "reject",
    "return",
    "return of a value",
    "select",
    "select mask",
    "select range",
    "select without default",
    "setInvalid",
    "setValid",
    "shadowing",
    "shift by the width or more",
    "slice",
    "slice as l-value",
    "slice of int<>",
    "stack element assignment",
    "structure comparison",
    "structure expression",
    "switch over a number",
    "switch over action_run",
    "switch over an enumeration",
    "ternary",
    "ternary key",
    "unary -",
    "verify",
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
    ];
    let all: Vec<_> = (0..PROGRAMS).map(|round| program(Random::of_round(3, round))).collect();
    for (name, text) in words {
        let noted: Vec<_> = all.iter().filter(|made| made.features.contains_key(name)).collect();
        let there = noted.iter().filter(|made| made.source.contains(text)).count();
        assert!(there > 0 && there * 10 >= noted.len() * 9, "{name}: in {there} of {} programs", noted.len());
    }
}
