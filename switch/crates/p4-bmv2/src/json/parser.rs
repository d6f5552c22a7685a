//! Parsers and value sets.

use super::expr::{Names, bytes, hex, ones};
use super::{add_source, object, ops};
use num_bigint::BigInt;
use p4_ir::Program;
use p4_ir::expr::Expr;
use p4_ir::ops::{ExtractTarget, Op, Stmt};
use p4_ir::parser::{Case, Matcher, Target, Transition};
use serde_json::{Value, json};

/// `parsers`: the one parser of a v1model program.
pub fn parsers(names: &Names) -> Value {
    let parser = &names.program.parser;
    let states: Vec<Value> = parser
        .states
        .iter()
        .enumerate()
        .map(|(id, state)| {
            let (keys, transitions) = match &state.transition {
                Transition::Direct(target) => (vec![], vec![default_transition(names, *target)]),
                Transition::Select { keys, cases } => {
                    let widths: Vec<u32> = keys.iter().map(|key| key.ty.width()).collect();
                    (keys.iter().map(|key| select_key(names, key)).collect(), transitions(names, cases, &widths))
                }
            };
            json!({
                "name": state.name,
                "id": id,
                "parser_ops": state.ops.iter().map(|stmt| operation(names, stmt)).collect::<Vec<_>>(),
                "transitions": transitions,
                "transition_key": keys,
            })
        })
        .collect();
    let start = parser.states.first().map(|state| state.name.as_str());
    let mut object = object! {
        "name": "parser",
        "id": 0,
        "init_state": start,
        "parse_states": states,
    };
    add_source(&mut object, &parser.source);
    json!([object])
}

/// A part of the transition key. Booleans are compared as the bits they are kept in.
fn select_key(names: &Names, key: &Expr) -> Value {
    names.data_expr(key)
}

fn operation(names: &Names, stmt: &Stmt) -> Value {
    let simple = |op: &str, parameters: Vec<Value>| json!({"op": op, "parameters": parameters});
    match &stmt.op {
        Op::Extract { target, varbit_bits } => {
            let target = extract_target(names, *target);
            match varbit_bits {
                None => simple("extract", vec![target]),
                Some(bits) => {
                    let bits = json!({"type": "expression", "value": names.expr(bits)});
                    simple("extract_VL", vec![target, bits])
                }
            }
        }
        Op::Advance(bits) => simple("advance", vec![names.param(bits)]),
        Op::Verify(condition, error) => simple("verify", vec![names.expr(condition), names.expr(error)]),
        Op::Assign(dst, value) => simple("set", vec![names.field(*dst), names.param(value)]),
        _ => simple("primitive", vec![ops::primitive(names, stmt)]),
    }
}

fn extract_target(names: &Names, target: ExtractTarget) -> Value {
    let storage = &names.program.storage;
    match target {
        ExtractTarget::Header(header) => {
            json!({"type": "regular", "value": names.header(header)})
        }
        ExtractTarget::StackNext(stack) => {
            json!({"type": "stack", "value": storage.stacks[stack.index()].name})
        }
        ExtractTarget::UnionStackNext(stack, member) => {
            let stack = &storage.union_stacks[stack.index()];
            let union_type = &storage.union_types[stack.union_type.index()];
            let member = &union_type.members[member as usize].0;
            json!({"type": "union_stack", "value": [stack.name, member]})
        }
    }
}

fn target_name(names: &Names, target: Target) -> Value {
    match target {
        Target::State(state) => json!(names.program.parser.states[state.index()].name),
        Target::Accept | Target::Reject => Value::Null,
    }
}

fn default_transition(names: &Names, target: Target) -> Value {
    json!({
        "type": "default",
        "value": null,
        "mask": null,
        "next_state": target_name(names, target),
    })
}

/// The cases up to the first that takes everything: BMv2 takes the default last wherever it stands.
fn transitions(names: &Names, cases: &[Case], widths: &[u32]) -> Vec<Value> {
    let takes_all = |value: &Value| value["type"] == "default";
    let mut list = vec![];
    for case in cases {
        list.push(transition(names, case, widths));
        if list.last().is_some_and(takes_all) {
            break;
        }
    }
    list
}

/// One case; all keys are joined to one number, each on whole bytes.
fn transition(names: &Names, case: &Case, widths: &[u32]) -> Value {
    match &case.matcher {
        Matcher::Any => default_transition(names, case.target),
        Matcher::ValueSet(set) => json!({
            "type": "parse_vset",
            "value": names.program.value_sets[set.index()].name,
            "mask": null,
            "next_state": target_name(names, case.target),
        }),
        Matcher::Masked(parts) => {
            let mut value = BigInt::ZERO;
            let mut mask = BigInt::ZERO;
            let mut total = 0;
            let mut exact = true;
            for ((part, part_mask), width) in parts.iter().zip(widths) {
                let shift = bytes(*width) * 8;
                value = (value << shift) + (part & part_mask);
                mask = (mask << shift) + part_mask;
                exact &= *part_mask == ones(*width);
                total += bytes(*width);
            }
            if mask == BigInt::ZERO {
                return default_transition(names, case.target);
            }
            json!({
                "type": "hexstr",
                "value": hex(&value, total),
                "mask": if exact { Value::Null } else { json!(hex(&mask, total)) },
                "next_state": target_name(names, case.target),
            })
        }
    }
}

/// `parse_vsets`.
pub fn value_sets(program: &Program) -> Value {
    let sets = program.value_sets.iter().enumerate();
    sets.map(|(id, set)| {
        json!({
            "name": set.name,
            "id": id,
            "compressed_bitwidth": set.bits,
            "max_size": set.size,
        })
    })
    .collect()
}
