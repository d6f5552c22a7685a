//! A short run of the fuzzer, always the same, and runs with faults that it must find.

use std::time::Duration;

use fuzz_targets::semantics::{Statistics, Tamper, run, run_unreduced};
use fuzz_targets::{Find, Limits};
use serde_json::{Value, json};

/// However slow the machine: the rounds are to be the same.
const LONG: Duration = Duration::from_secs(3600);

fn search(seed: u64, rounds: u64, tamper: Tamper<'_>) -> (Result<u64, Find>, Statistics) {
    let mut statistics = Statistics::default();
    let result = run(seed, &Limits { rounds: 0..rounds, time: LONG }, &mut statistics, tamper);
    (result, statistics)
}

#[test]
fn nothing_is_found() {
    for seed in [1, 2, 3] {
        let (result, statistics) = search(seed, 150, &|_| {});
        match result {
            Ok(rounds) => assert_eq!(rounds, 150),
            Err(find) => panic!("seed {seed}, round {}: {}\n{}", find.round, find.what, find.input),
        }
        // Most packets are really compared.
        assert!(statistics.sent > 1_000 && statistics.dropped > 50, "{statistics:?}");
        assert!(statistics.undefined * 10 < statistics.sent, "{statistics:?}");
    }
}

#[test]
fn rounds_repeat() {
    assert_eq!(fuzz_targets::semantics::program(5, 17), fuzz_targets::semantics::program(5, 17));
    assert_ne!(fuzz_targets::semantics::program(5, 17), fuzz_targets::semantics::program(5, 18));
    assert_ne!(fuzz_targets::semantics::program(5, 17), fuzz_targets::semantics::program(6, 17));
}

/// Calls `change` for every object of the compiled program.
fn each_object(value: &mut Value, change: &dyn Fn(&mut serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|part| each_object(part, change));
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| each_object(part, change)),
        _ => {}
    }
}

/// An operator of expressions is another one.
fn other_operator(program: &mut Value, from: &str, to: &str) {
    each_object(program, &|object| {
        if object.contains_key("left") && object.get("op").is_some_and(|op| op == from) {
            object.insert("op".to_owned(), json!(to));
        }
    });
}

fn must_find(fault: &str, tamper: Tamper<'_>) -> Find {
    let limits = Limits { rounds: 0..400, time: LONG };
    match run_unreduced(1, &limits, &mut Statistics::default(), tamper) {
        Ok(_) => panic!("{fault} is not found"),
        Err(find) => {
            assert!(find.what.starts_with("different results"), "{fault}: {}", find.what);
            assert!(find.input.contains("main;"), "{fault}: no program:\n{}", find.input);
            find
        }
    }
}

#[test]
fn a_find_is_reduced() {
    let tamper: Tamper<'_> = &|program| other_operator(program, "+", "-");
    let whole = must_find("- for +", tamper);
    let (result, _) = search(1, 400, tamper);
    let reduced = result.expect_err("it is found");
    assert_eq!((reduced.round, &reduced.what), (whole.round, &whole.what));
    let (least, _) = reduced.input.split_once("/* Reduced from:").expect("it says from which program");
    assert!(least.contains("main;") && least.contains('+'), "no program:\n{least}");
    assert!(least.len() * 2 < whole.input.len(), "{least}");
}

#[test]
fn wrong_operators_are_found() {
    for (from, to) in
        [("+", "-"), ("*", "+"), ("&", "|"), ("^", "|"), ("<<", ">>"), ("==", "!="), ("<", "<="), ("and", "or")]
    {
        must_find(&format!("{to} for {from}"), &|program| other_operator(program, from, to));
    }
}

#[test]
fn numbers_that_lose_their_sign_are_found() {
    must_find("a header's field without sign", &|program| {
        each_object(program, &|object| {
            if let Some(Value::Array(fields)) = object.get_mut("fields") {
                for field in fields {
                    if let Value::Array(field) = field {
                        field.truncate(2);
                    }
                }
            }
        });
    });
}

#[test]
fn wrong_tables_are_found() {
    must_find("a table without entries", &|program| {
        each_object(program, &|object| {
            if let Some(Value::Array(entries)) = object.get_mut("entries") {
                entries.clear();
            }
        });
    });
    must_find("hit and miss exchanged", &|program| {
        each_object(program, &|object| {
            if let Some(Value::Object(next)) = object.get_mut("next_tables")
                && let (Some(hit), Some(miss)) = (next.get("__HIT__").cloned(), next.get("__MISS__").cloned())
            {
                next.insert("__HIT__".to_owned(), miss);
                next.insert("__MISS__".to_owned(), hit);
            }
        });
    });
}

#[test]
fn wrong_control_flow_is_found() {
    must_find("a branch that is always taken", &|program| {
        each_object(program, &|object| {
            if let (true, Some(next)) = (object.contains_key("false_next"), object.get("true_next").cloned()) {
                object.insert("false_next".to_owned(), next);
            }
        });
    });
    must_find("a parser without its first case", &|program| {
        each_object(program, &|object| {
            if let Some(Value::Array(transitions)) = object.get_mut("transitions")
                && transitions.len() > 2
            {
                transitions.remove(0);
            }
        });
    });
    must_find("an action without its last step", &|program| {
        if let Some(actions) = program["actions"].as_array_mut() {
            for action in actions {
                if let Some(primitives) = action["primitives"].as_array_mut() {
                    primitives.pop();
                }
            }
        }
    });
}

#[test]
fn wrong_ways_are_found() {
    must_find("lists of fields without fields", &|program| {
        for list in program["field_lists"].as_array_mut().into_iter().flatten() {
            list["elements"] = json!([]);
        }
    });
    must_find("digests that are not sent", &|program| {
        for list in program["learn_lists"].as_array_mut().into_iter().flatten() {
            list["elements"] = json!([]);
        }
    });
}
