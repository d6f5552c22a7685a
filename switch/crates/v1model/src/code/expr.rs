//! Expressions as the switch computes them. `exec` evaluates them.
//!
//! BMv2's expressions are about unbounded integers; results are cut to a field's width at the end. Lowering proves for
//! each expression how much of that is needed. [`Num`] computes modulo 2^64 or 2^128. This is exact for the lowest bits
//! of sums, products, bitwise operations and left shifts, whatever their true size. Other operations need the whole
//! value (right shift, division, comparison, saturation): their operands are proved to fit the word. [`Big`] evaluates
//! all other expressions, more slowly.

use std::fmt::Debug;

use num_bigint::BigInt;

use super::word::Arithmetic;
use crate::phv::FieldLoc;

/// A machine word that expressions are evaluated in.
pub(crate) trait Word: Arithmetic {
    /// Where a value comes from that this word's own arithmetic cannot compute exactly.
    type Other: Debug;
}

impl Word for u64 {
    type Other = N128;
}

impl Word for u128 {
    type Other = Wider;
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

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A truth value.
#[derive(Debug)]
pub(crate) enum Cond {
    Const(bool),
    And(Box<(Cond, Cond)>),
    Or(Box<(Cond, Cond)>),
    Not(Box<Cond>),
    Differ(Box<(Cond, Cond)>),
    Select(Box<(Cond, Cond, Cond)>),
    /// A slot has (not) this value.
    SlotEq(u32, u64),
    SlotNe(u32, u64),
    /// Both sides exact as unsigned 64-bit numbers.
    Unsigned64(CmpOp, Box<(N64, N64)>),
    /// Both sides exact as signed 64-bit numbers.
    Signed64(CmpOp, Box<(N64, N64)>),
    Unsigned128(CmpOp, Box<(N128, N128)>),
    Signed128(CmpOp, Box<(N128, N128)>),
    Big(CmpOp, Box<(Big, Big)>),
    Valid(HeaderRef),
    ValidUnion(UnionRef),
    HeadersEqual(Box<(HeaderRef, HeaderRef)>),
    UnionsEqual(Box<(UnionRef, UnionRef)>),
}

/// A header.
#[derive(Debug)]
pub(crate) enum HeaderRef {
    Static(u32),
    StackAt(u32, Box<N64>),
    StackLast(u32),
    Member(Box<UnionRef>, u32),
}

/// A header union.
#[derive(Debug)]
pub(crate) enum UnionRef {
    Static(u32),
    StackAt(u32, Box<N64>),
    StackLast(u32),
}
