//! Evaluating numbers modulo 2^64 or 2^128.

use super::env::{Env, at_header, load_field};
use crate::code::expr::{N128, Num, RegisterCell, Wider, Word};
use crate::code::word::Arithmetic;
use crate::phv::{big_to_limbs, sign_extend};

impl RegisterCell {
    /// The cell's limbs; none if the index is behind the end.
    pub fn limbs<'a>(&self, env: &Env<'a>) -> &'a [u64] {
        let index = self.index.eval(env);
        env.registers[self.array as usize].cell(index)
    }
}

impl Wider {
    pub fn eval(&self, env: &Env) -> u128 {
        match self {
            Wider::Unsigned(n) => u128::from(n.eval(env)),
            Wider::Signed(n) => n.eval(env) as i64 as i128 as u128,
            Wider::Big(big) => {
                let mut out = [0; 2];
                big_to_limbs(&big.eval(env), 128, &mut out);
                u128::load(&out)
            }
        }
    }
}

/// A word with the ways it is computed in besides its own arithmetic.
pub(crate) trait Evaluate: Word {
    fn other(other: &Self::Other, env: &Env) -> Self;
}

impl Evaluate for u64 {
    #[inline]
    fn other(other: &N128, env: &Env) -> Self {
        other.eval(env) as u64
    }
}

impl Evaluate for u128 {
    #[inline]
    fn other(other: &Wider, env: &Env) -> Self {
        other.eval(env)
    }
}

impl<W: Evaluate> Num<W> {
    pub fn eval(&self, env: &Env) -> W {
        match self {
            Num::Const(value) => *value,
            Num::Field(slot) => W::from_u64(env.phv[*slot as usize]),
            Num::AddConst(a, c) => a.eval(env).add(*c),
            Num::AndConst(a, c) => a.eval(env).and(*c),
            Num::ShlConst(a, n) => a.eval(env).shl(u64::from(*n)),
            Num::ShrConst(a, n) => a.eval(env).shr(u64::from(*n)),
            Num::Add(p) => p.0.eval(env).add(p.1.eval(env)),
            Num::Sub(p) => p.0.eval(env).sub(p.1.eval(env)),
            Num::And(p) => p.0.eval(env).and(p.1.eval(env)),
            Num::Or(p) => p.0.eval(env).or(p.1.eval(env)),
            Num::Xor(p) => p.0.eval(env).xor(p.1.eval(env)),
            Num::Mul(p) => p.0.eval(env).mul(p.1.eval(env)),
            Num::Div(p) => p.0.eval(env).div(p.1.eval(env)),
            Num::Rem(p) => p.0.eval(env).rem(p.1.eval(env)),
            Num::Not(a) => a.eval(env).not(),
            Num::Shl(p) => p.0.eval(env).shl(p.1.eval(env)),
            Num::Shr(p) => p.0.eval(env).shr(p.1.eval(env)),
            Num::Sar(p) => p.0.eval(env).sar(p.1.eval(env)),
            Num::Local { limb, limbs } => {
                let start = *limb as usize;
                W::load(env.data.get(start..start + *limbs as usize).unwrap_or(&[]))
            }
            Num::Signed { slot, width } => W::from_i64(sign_extend(env.phv[*slot as usize], *width) as i64),
            Num::Wide(loc) => load_field(env.phv, loc),
            Num::Dynamic(dynamic) => match dynamic.0.resolve(env) {
                None => W::from_u64(0),
                Some(header) => load_field(env.phv, &at_header(env.layout, header, &dynamic.1)),
            },
            Num::Register(cell) => W::load(cell.limbs(env)),
            Num::StackCount { next, plus } => W::from_i64((env.phv[*next as usize] as i64).wrapping_add(*plus)),
            Num::SignExtend(a, width) => {
                let shift = u64::from(W::BITS - width);
                a.eval(env).shl(shift).sar(shift)
            }
            Num::Min(a, max) => {
                let value = a.eval(env);
                if max.lt(value) { *max } else { value }
            }
            Num::Clamp(p) => {
                let value = p.0.eval(env);
                if value.slt(p.1) {
                    p.1
                } else if p.2.slt(value) {
                    p.2
                } else {
                    value
                }
            }
            Num::FromBool(cond) => W::from_u64(u64::from(cond.eval(env))),
            Num::Select(p) => {
                if p.0.eval(env) {
                    p.1.eval(env)
                } else {
                    p.2.eval(env)
                }
            }
            Num::Other(other) => W::other(other, env),
        }
    }
}
