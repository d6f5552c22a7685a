//! The slow way: numbers of any size.

use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};

use super::cond::Cond;
use super::num::{Env, N64, N128, RegisterCell, at_header};
use super::refs::HeaderRef;
use crate::phv::{FieldLoc, limbs_to_big, load_big};

/// Left shifts beyond this many bits give zero: no field is so wide, so the lowest bits are zero in any case.
const MAX_SHIFT: u64 = 1 << 16;

/// A number of any size. Evaluation allocates.
#[derive(Debug)]
pub(crate) enum Big {
    Const(BigInt),
    Unsigned64(N64),
    Signed64(N64),
    Unsigned128(N128),
    Signed128(N128),
    Field(FieldLoc),
    Dynamic(Box<(HeaderRef, FieldLoc)>),
    Local { limb: u32, limbs: u32 },
    Register(Box<RegisterCell>),
    Add(Box<(Big, Big)>),
    Sub(Box<(Big, Big)>),
    Mul(Box<(Big, Big)>),
    Div(Box<(Big, Big)>),
    Rem(Box<(Big, Big)>),
    And(Box<(Big, Big)>),
    Or(Box<(Big, Big)>),
    Xor(Box<(Big, Big)>),
    Not(Box<Big>),
    Shl(Box<(Big, N64)>),
    Shr(Box<(Big, N64)>),
    TwoCompMod(Box<Big>, u32),
    Clamp(Box<(Big, BigInt, BigInt)>),
    Select(Box<(Cond, Big, Big)>),
}

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

/// The lowest `width` (at least 1) bits as two's complement.
pub(crate) fn two_comp_mod(value: BigInt, width: u32) -> BigInt {
    let modulus = BigInt::from(1) << width;
    let mut value = value % &modulus;
    if value.sign() == Sign::Minus {
        value += &modulus;
    }
    if value.bit(u64::from(width) - 1) { value - modulus } else { value }
}

/// The lowest 64 bits, two's complement.
pub(crate) fn low64(value: &BigInt) -> u64 {
    match value.to_i64() {
        Some(small) => small as u64,
        None => {
            let mut out = [0];
            crate::phv::big_to_limbs(value, 64, &mut out);
            out[0]
        }
    }
}
