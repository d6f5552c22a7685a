//! Primitives and the actions made of them.

use super::expr::{Names, hexstr};
use super::{add_source, object};
use num_bigint::BigInt;
use p4_ir::expr::Expr;
use p4_ir::ops::{AnyStack, CloneKind, ExternArg, Label, Op, Stmt};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;

/// Ids of field lists and learn lists begin at 1: the switch takes 0 for "none".
pub const FIRST_LIST_ID: u32 = 1;

/// `actions`.
pub fn actions(names: &Names) -> Value {
    let actions = names.program.actions.iter().enumerate();
    actions
        .map(|(id, action)| {
            let params: Vec<Value> =
                action.params.iter().map(|(name, bits)| json!({"name": name, "bitwidth": bits})).collect();
            let mut object = object! {
                "name": action.name.as_str(),
                "id": id,
                "runtime_data": params,
                "primitives": body(names, &action.body),
            };
            add_source(&mut object, &action.source);
            Value::Object(object)
        })
        .collect()
}

/// The primitives of an action; labels become positions.
fn body(names: &Names, stmts: &[Stmt]) -> Vec<Value> {
    let mut positions: HashMap<Label, usize> = HashMap::new();
    let mut position = 0;
    for stmt in stmts {
        match stmt.op {
            Op::Label(label) => {
                positions.insert(label, position);
            }
            _ => position += 1,
        }
    }
    let offset = |label: &Label| {
        let position = positions.get(label).copied().unwrap_or(position);
        hexstr(&BigInt::from(position), 32)
    };
    let mut primitives = Vec::with_capacity(position);
    for stmt in stmts {
        let (op, parameters) = match &stmt.op {
            Op::Label(_) => continue,
            Op::Jump(label) => ("_jump".into(), vec![offset(label)]),
            Op::JumpUnless(condition, label) => ("_jump_if_zero".into(), vec![names.param(condition), offset(label)]),
            other => primitive_parts(names, other),
        };
        primitives.push(primitive_object(&op, parameters, stmt));
    }
    primitives
}

/// One primitive that is not a jump.
pub fn primitive(names: &Names, stmt: &Stmt) -> Value {
    let (op, parameters) = primitive_parts(names, &stmt.op);
    primitive_object(&op, parameters, stmt)
}

fn primitive_object(op: &str, parameters: Vec<Value>, stmt: &Stmt) -> Value {
    let mut object = object! {"op": op, "parameters": parameters};
    add_source(&mut object, &stmt.source);
    Value::Object(object)
}

fn named(kind: &str, name: &str) -> Value {
    json!({"type": kind, "value": name})
}

fn list_id(index: u32) -> Value {
    hexstr(&BigInt::from(index + FIRST_LIST_ID), 32)
}

/// Name and parameters of a primitive.
fn primitive_parts(names: &Names, op: &Op) -> (Cow<'static, str>, Vec<Value>) {
    match op {
        Op::ExternMethod { kind, method, object, args } => {
            let mut parameters = vec![named("extern", object)];
            parameters.extend(args.iter().map(|arg| extern_arg(names, arg)));
            (format!("_{kind}_{method}").into(), parameters)
        }
        Op::ExternFunction(name, args) => {
            let parameters = args.iter().map(|arg| extern_arg(names, arg));
            (name.clone().into(), parameters.collect())
        }
        known => {
            let (name, parameters) = known_primitive(names, known);
            (name.into(), parameters)
        }
    }
}

fn extern_arg(names: &Names, arg: &ExternArg) -> Value {
    match arg {
        ExternArg::Value(value) => names.param(value),
        ExternArg::Field(field) => names.field(*field),
        ExternArg::Header(header) => names.header_value(*header),
        ExternArg::Text(text) => named("string", text),
    }
}

/// Name and parameters of a primitive of v1model.
fn known_primitive(names: &Names, op: &Op) -> (&'static str, Vec<Value>) {
    let param = |e: &Expr| names.param(e);
    match op {
        Op::ExternMethod { .. } | Op::ExternFunction(..) => ("no_op", vec![]),
        Op::Assign(dst, value) => ("assign", vec![names.field(*dst), param(value)]),
        Op::AssignVarbit(dst, src) => ("assign_VL", vec![names.field(*dst), names.field(*src)]),
        Op::AssignHeader(dst, src) => ("assign_header", vec![names.header_value(*dst), names.header_value(*src)]),
        Op::AssignUnion(dst, src) => ("assign_union", vec![names.union_value(*dst), names.union_value(*src)]),
        Op::AssignStack(dst, src) => {
            let name = match dst {
                AnyStack::Headers(_) => "assign_header_stack",
                AnyStack::Unions(_) => "assign_union_stack",
            };
            (name, vec![names.stack_value(*dst), names.stack_value(*src)])
        }
        Op::SetValid(header) => ("add_header", vec![names.header_value(*header)]),
        Op::SetInvalid(header) => ("remove_header", vec![names.header_value(*header)]),
        Op::PushFront(stack, count) => ("push", vec![names.stack_value(*stack), hexstr(&BigInt::from(*count), 8)]),
        Op::PopFront(stack, count) => ("pop", vec![names.stack_value(*stack), hexstr(&BigInt::from(*count), 8)]),
        Op::RegisterRead { dst, register, index } => {
            ("register_read", vec![names.field(*dst), named("register_array", register), param(index)])
        }
        Op::RegisterWrite { register, index, value } => {
            ("register_write", vec![named("register_array", register), param(index), param(value)])
        }
        Op::Random { dst, low, high } => ("modify_field_rng_uniform", vec![names.field(*dst), param(low), param(high)]),
        Op::Hash { dst, base, calculation, max } => (
            "modify_field_with_hash_based_offset",
            vec![
                names.field(*dst),
                param(base),
                named("calculation", &names.program.calculations[calculation.index()].name),
                param(max),
            ],
        ),
        Op::Count { counter, index } => ("count", vec![named("counter_array", counter), param(index)]),
        Op::ExecuteMeter { meter, index, dst } => {
            ("execute_meter", vec![named("meter_array", meter), param(index), names.field(*dst)])
        }
        Op::MarkToDrop => (
            "mark_to_drop",
            names.program.storage.standard_metadata.map(|header| names.header_value(header)).into_iter().collect(),
        ),
        Op::Digest { receiver, list } => ("generate_digest", vec![param(receiver), list_id(list.0)]),
        Op::Clone { kind, session, fields } => (
            match kind {
                CloneKind::IngressToEgress => "clone_ingress_pkt_to_egress",
                CloneKind::EgressToEgress => "clone_egress_pkt_to_egress",
            },
            vec![param(session), list_id(fields.0)],
        ),
        Op::Resubmit(fields) => ("resubmit", vec![list_id(fields.0)]),
        Op::Recirculate(fields) => ("recirculate", vec![list_id(fields.0)]),
        Op::Truncate(length) => ("truncate", vec![param(length)]),
        Op::LogMessage(text, values) => (
            "log_msg",
            vec![
                named("string", text),
                json!({
                    "type": "parameters_vector",
                    "value": values.iter().map(param).collect::<Vec<_>>(),
                }),
            ],
        ),
        Op::Assert(condition) => ("assert", vec![param(condition)]),
        Op::Assume(condition) => ("assume", vec![param(condition)]),
        Op::Exit => ("exit", vec![]),
        Op::Label(_) | Op::Jump(_) | Op::JumpUnless(..) => ("no_op", vec![]),
        Op::Extract { .. } | Op::Advance(_) | Op::Verify(..) => ("no_op", vec![]),
    }
}
