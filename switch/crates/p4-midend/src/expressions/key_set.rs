//! Sets of values in table entries and select cases.

use crate::lowerer::Lowerer;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use p4_ir::expr::{Expr, ExprKind};
use p4_syntax::Kind;
use p4_types::typed::{self, KeySet};

/// 2^bits − 1.
pub fn ones(bits: u32) -> BigInt {
    (BigInt::one() << bits) - 1
}

/// A known set of values of `bits` bits.
#[derive(Clone, Debug)]
pub enum KnownSet {
    /// Everything.
    Any,
    /// One value.
    Value(BigInt),
    /// Value and mask.
    Mask(BigInt, BigInt),
    /// Lower and upper bound, both included.
    Range(BigInt, BigInt),
}

impl Lowerer<'_> {
    /// A known number or truth value as bits.
    pub fn known_bits(&mut self, expr: &typed::Expr, bits: u32) -> BigInt {
        let value = self.scalar(expr);
        match known(&value) {
            Some(number) => crate::expressions::constant_folding::wrap(number, p4_ir::expr::Ty::bit(bits)),
            None => {
                self.error_of(Kind::Invalid, expr.span, "this value must be known at compile time");
                BigInt::zero()
            }
        }
    }

    /// The set as numbers of `bits` bits.
    pub fn known_set(&mut self, set: &KeySet, bits: u32) -> KnownSet {
        match set {
            KeySet::Any | KeySet::ValueSet(_) => KnownSet::Any,
            KeySet::Value(value) => KnownSet::Value(self.known_bits(value, bits)),
            KeySet::Mask(value, mask) => KnownSet::Mask(self.known_bits(value, bits), self.known_bits(mask, bits)),
            KeySet::Range(low, high) => KnownSet::Range(self.known_bits(low, bits), self.known_bits(high, bits)),
        }
    }
}

/// The number that a constant expression is; booleans are 0 and 1.
pub fn known(expr: &Expr) -> Option<BigInt> {
    match &expr.kind {
        ExprKind::Const(number) => Some(number.clone()),
        ExprKind::Bool(value) => Some(BigInt::from(u8::from(*value))),
        _ => None,
    }
}

/// The fewest value/mask pairs that cover a range: aligned blocks from the lower end.
pub fn range_masks(low: &BigInt, high: &BigInt, bits: u32) -> Vec<(BigInt, BigInt)> {
    let mut masks = vec![];
    let mut start = low.clone();
    while &start <= high {
        let mut size =
            if start.is_zero() { bits } else { u32::try_from(start.trailing_zeros().unwrap_or(0)).unwrap_or(bits) };
        while size > 0 && &start + ones(size) > *high {
            size -= 1;
        }
        masks.push((start.clone(), ones(bits) ^ ones(size)));
        start += BigInt::one() << size;
    }
    masks
}
