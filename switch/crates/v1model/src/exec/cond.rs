//! Evaluating truth values.

use super::env::Env;
use crate::code::expr::{CmpOp, Cond};

fn compare<T: Ord>(op: CmpOp, a: &T, b: &T) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
    }
}

impl Cond {
    pub fn eval(&self, env: &Env) -> bool {
        match self {
            Cond::Const(value) => *value,
            Cond::SlotEq(slot, value) => env.phv[*slot as usize] == *value,
            Cond::SlotNe(slot, value) => env.phv[*slot as usize] != *value,
            Cond::And(p) => p.0.eval(env) && p.1.eval(env),
            Cond::Or(p) => p.0.eval(env) || p.1.eval(env),
            Cond::Not(a) => !a.eval(env),
            Cond::Differ(p) => p.0.eval(env) != p.1.eval(env),
            Cond::Select(p) => {
                if p.0.eval(env) {
                    p.1.eval(env)
                } else {
                    p.2.eval(env)
                }
            }
            Cond::Unsigned64(op, p) => compare(*op, &p.0.eval(env), &p.1.eval(env)),
            Cond::Signed64(op, p) => compare(*op, &(p.0.eval(env) as i64), &(p.1.eval(env) as i64)),
            Cond::Unsigned128(op, p) => compare(*op, &p.0.eval(env), &p.1.eval(env)),
            Cond::Signed128(op, p) => compare(*op, &(p.0.eval(env) as i128), &(p.1.eval(env) as i128)),
            Cond::Big(op, p) => compare(*op, &p.0.eval(env), &p.1.eval(env)),
            Cond::Valid(header) => header.resolve(env).is_some_and(|h| env.layout.is_valid(env.phv, h)),
            Cond::ValidUnion(union) => {
                union.resolve(env).is_some_and(|u| env.layout.valid_member(env.phv, u).is_some())
            }
            Cond::HeadersEqual(p) => match (p.0.resolve(env), p.1.resolve(env)) {
                (Some(a), Some(b)) => env.layout.headers_equal(env.phv, a, b),
                _ => false,
            },
            Cond::UnionsEqual(p) => match (p.0.resolve(env), p.1.resolve(env)) {
                (Some(a), Some(b)) => unions_equal(env, a, b),
                _ => false,
            },
        }
    }
}

fn unions_equal(env: &Env, a: u32, b: u32) -> bool {
    match (env.layout.valid_member(env.phv, a), env.layout.valid_member(env.phv, b)) {
        (Some(i), Some(j)) if i == j => {
            let (left, right) = (&env.layout.unions[a as usize], &env.layout.unions[b as usize]);
            env.layout.headers_equal(env.phv, left.headers[i], right.headers[j])
        }
        _ => false,
    }
}
