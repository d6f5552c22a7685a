//! Numbers as the switch computes them.
//!
//! BMv2's expressions are about unbounded integers; results are cut to a field's width at the end. Lowering proves for
//! each expression how much of that is needed. [`Num`] computes modulo 2^64 or 2^128, which is exact for the lowest bits
//! of sums, products, bitwise operations and left shifts whatever their true size; operations that look at the whole
//! value (right shift, division, comparison, saturation) get operands that are proved to fit the word. Everything else
//! goes the slow way through [`Big`](super::big::Big).

use super::big::Big;
use super::cond::Cond;
use super::refs::HeaderRef;
use super::word::Word;
use crate::layout::Layout;
use crate::phv::{FieldLoc, limbs, sign_extend};
use crate::state::RegisterArray;

/// What an expression can read.
pub(crate) struct Env<'a> {
    pub phv: &'a [u64],
    /// The action's parameters.
    pub data: &'a [u64],
    pub layout: &'a Layout,
    pub registers: &'a [RegisterArray],
}

pub(crate) type N64 = Num<u64>;
pub(crate) type N128 = Num<u128>;

/// A number modulo 2^64 (`W = u64`) or 2^128 (`W = u128`).
#[derive(Debug)]
pub(crate) enum Num<W: Word> {
    Const(W),
    /// A field of one slot.
    Field(u32),
    /// A signed field of one slot.
    Signed {
        slot: u32,
        width: u32,
    },
    /// A field of several slots.
    Wide(FieldLoc),
    /// A field of a header found at run time.
    Dynamic(Box<(HeaderRef, FieldLoc)>),
    /// An action parameter: first limb and number of limbs.
    Local {
        limb: u32,
        limbs: u32,
    },
    Register(Box<RegisterCell>),
    /// Elements in use of a stack, plus a constant.
    StackCount {
        next: u32,
        plus: i64,
    },
    Add(Box<(Self, Self)>),
    Sub(Box<(Self, Self)>),
    Mul(Box<(Self, Self)>),
    And(Box<(Self, Self)>),
    Or(Box<(Self, Self)>),
    Xor(Box<(Self, Self)>),
    /// Operands are unsigned and exact.
    Div(Box<(Self, Self)>),
    /// Operands are unsigned and exact.
    Rem(Box<(Self, Self)>),
    Not(Box<Self>),
    AddConst(Box<Self>, W),
    AndConst(Box<Self>, W),
    ShlConst(Box<Self>, u32),
    /// The operand is unsigned and exact.
    ShrConst(Box<Self>, u32),
    Shl(Box<(Self, N64)>),
    /// The operand is unsigned and exact.
    Shr(Box<(Self, N64)>),
    /// The operand is signed and exact.
    Sar(Box<(Self, N64)>),
    /// The lowest bits as two's complement.
    SignExtend(Box<Self>, u32),
    /// The operand is unsigned and exact.
    Min(Box<Self>, W),
    /// The operand is signed and exact; from first to second constant.
    Clamp(Box<(Self, W, W)>),
    FromBool(Box<Cond>),
    Select(Box<(Cond, Self, Self)>),
    Other(Box<W::Other>),
}

/// A register cell as an operand.
#[derive(Debug)]
pub(crate) struct RegisterCell {
    pub array: u32,
    pub index: N64,
}

impl RegisterCell {
    /// The cell's limbs; none if the index is behind the end.
    pub fn limbs<'a>(&self, env: &Env<'a>) -> &'a [u64] {
        let index = self.index.eval(env);
        env.registers[self.array as usize].cell(index)
    }
}

/// A 128-bit number that is computed in another way.
#[derive(Debug)]
pub(crate) enum Wider {
    /// From 64 bits that are exact as an unsigned number.
    Unsigned(N64),
    /// From 64 bits that are exact as a signed number.
    Signed(N64),
    /// The lowest bits of a big number.
    Big(Big),
}

impl Wider {
    pub fn eval(&self, env: &Env) -> u128 {
        match self {
            Wider::Unsigned(n) => u128::from(n.eval(env)),
            Wider::Signed(n) => n.eval(env) as i64 as i128 as u128,
            Wider::Big(big) => {
                let mut out = [0; 2];
                crate::phv::big_to_limbs(&big.eval(env), 128, &mut out);
                u128::load(&out)
            }
        }
    }
}

impl<W: Word> Num<W> {
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

/// A field of a header that was found at run time.
pub(crate) fn at_header(layout: &Layout, header: u32, relative: &FieldLoc) -> FieldLoc {
    FieldLoc { slot: layout.headers[header as usize].base + relative.slot, ..*relative }
}

/// The lowest bits of a field, sign-extended if it is signed.
pub(crate) fn load_field<W: Word>(phv: &[u64], loc: &FieldLoc) -> W {
    let bits = loc.bits(phv);
    if bits == 0 {
        return W::from_u64(0);
    }
    let start = loc.data();
    let value = W::load(&phv[start..start + limbs(bits)]);
    if loc.signed && bits < W::BITS {
        let shift = u64::from(W::BITS - bits);
        value.shl(shift).sar(shift)
    } else {
        value
    }
}
