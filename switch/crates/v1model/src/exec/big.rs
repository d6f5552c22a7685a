//! Evaluating numbers of any size: the slow way, which allocates.

use num_bigint::BigInt;
use num_traits::Zero;

use super::env::{Env, at_header};
use crate::code::expr::Big;
use crate::phv::{limbs_to_big, load_big, two_comp_mod};

/// Left shifts beyond this many bits give zero: no field is so wide, so the lowest bits are zero in any case.
const MAX_SHIFT: u64 = 1 << 16;

impl Big {
    pub fn eval(&self, env: &Env) -> BigInt {
        match self {
            Big::Const(value) => value.clone(),
            Big::Unsigned64(n) => BigInt::from(n.eval(env)),
            Big::Signed64(n) => BigInt::from(n.eval(env) as i64),
            Big::Unsigned128(n) => BigInt::from(n.eval(env)),
            Big::Signed128(n) => BigInt::from(n.eval(env) as i128),
            Big::Field(loc) => load_big(env.phv, loc),
            Big::Dynamic(dynamic) => match dynamic.0.resolve(env) {
                None => BigInt::zero(),
                Some(header) => load_big(env.phv, &at_header(env.layout, header, &dynamic.1)),
            },
            Big::Local { limb, limbs } => {
                let start = *limb as usize;
                limbs_to_big(env.data.get(start..start + *limbs as usize).unwrap_or(&[]))
            }
            Big::Register(cell) => limbs_to_big(cell.limbs(env)),
            Big::Add(p) => p.0.eval(env) + p.1.eval(env),
            Big::Sub(p) => p.0.eval(env) - p.1.eval(env),
            Big::Mul(p) => p.0.eval(env) * p.1.eval(env),
            Big::Div(p) => p.0.eval(env).checked_div(&p.1.eval(env)).unwrap_or_default(),
            Big::Rem(p) => {
                let divisor = p.1.eval(env);
                if divisor.is_zero() { divisor } else { p.0.eval(env) % divisor }
            }
            Big::And(p) => p.0.eval(env) & p.1.eval(env),
            Big::Or(p) => p.0.eval(env) | p.1.eval(env),
            Big::Xor(p) => p.0.eval(env) ^ p.1.eval(env),
            Big::Not(a) => !a.eval(env),
            Big::Shl(p) => {
                let amount = p.1.eval(env);
                if amount > MAX_SHIFT { BigInt::zero() } else { p.0.eval(env) << amount }
            }
            Big::Shr(p) => p.0.eval(env) >> p.1.eval(env).min(MAX_SHIFT * 2),
            Big::TwoCompMod(a, width) => two_comp_mod(a.eval(env), *width),
            Big::Clamp(p) => p.0.eval(env).clamp(p.1.clone(), p.2.clone()),
            Big::Select(p) => {
                if p.0.eval(env) {
                    p.1.eval(env)
                } else {
                    p.2.eval(env)
                }
            }
        }
    }
}
