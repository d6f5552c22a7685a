//! Bounds of what an expression can evaluate to: the proof that machine words suffice.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::ast::{BinOp, Data};

/// Shifts by more than this are not bounded any more.
const MAX_SHIFT: u64 = 4_096;

/// Smallest and largest value; nothing if no bounds are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range(Option<(BigInt, BigInt)>);

impl Range {
    fn new(low: BigInt, high: BigInt) -> Self {
        Self(Some((low, high)))
    }

    fn unsigned(bits: u32) -> Self {
        Self::new(BigInt::zero(), (BigInt::one() << bits) - 1)
    }

    fn signed(bits: u32) -> Self {
        let half = BigInt::one() << (bits.max(1) - 1);
        Self::new(-&half, half - 1)
    }

    fn join(self, other: Self) -> Self {
        match (self.0, other.0) {
            (Some((a, b)), Some((c, d))) => Self::new(a.min(c), b.max(d)),
            _ => Self(None),
        }
    }

    /// Always fits an unsigned number of so many bits.
    pub fn fits_unsigned(&self, bits: u32) -> bool {
        self.0.as_ref().is_some_and(|(low, high)| !low.is_negative() && high.bits() <= u64::from(bits))
    }

    /// Always fits a two's complement number of so many bits.
    pub fn fits_signed(&self, bits: u32) -> bool {
        let Some((low, high)) = &self.0 else {
            return false;
        };
        let limit = u64::from(bits) - 1;
        // -2^n has n+1 bits but fits: -x-1 has the bits that matter.
        let low_bits = if low.is_negative() { (-low - 1u32).bits() } else { low.bits() };
        let high_bits = if high.is_negative() { (-high - 1u32).bits() } else { high.bits() };
        low_bits <= limit && high_bits <= limit
    }

    fn is_non_negative(&self) -> bool {
        self.0.as_ref().is_some_and(|(low, _)| !low.is_negative())
    }

    /// A range that holds both and is closed under bitwise operations.
    fn bitwise(&self, other: &Self) -> Self {
        let (Some((a, b)), Some((c, d))) = (&self.0, &other.0) else {
            return Self(None);
        };
        let bits = [a, b, c, d].iter().map(|v| v.bits()).max().unwrap_or(0);
        let bits = u32::try_from(bits).unwrap_or(u32::MAX - 1);
        if self.is_non_negative() && other.is_non_negative() { Self::unsigned(bits) } else { Self::signed(bits + 1) }
    }
}

/// The range of a number.
pub(crate) fn range(data: &Data) -> Range {
    match data {
        Data::Const(value) => Range::new(value.clone(), value.clone()),
        Data::Field(loc) | Data::DynField(_, loc) => {
            if loc.signed && loc.width > 0 {
                Range::signed(loc.width)
            } else {
                Range::unsigned(loc.width)
            }
        }
        Data::Local { width, .. } | Data::Register { width, .. } => Range::unsigned(*width),
        Data::Bin(op, a, b) => binary(*op, a, b),
        Data::Not(a) => match range(a).0 {
            Some((low, high)) => Range::new(-high - 1, -low - 1),
            None => Range(None),
        },
        Data::TwoCompMod(a, width) => {
            let inner = range(a);
            if inner.fits_signed(*width) { inner } else { Range::signed(*width) }
        }
        Data::SatCast(_, width) => Range::signed(*width),
        Data::USatCast(_, width) => Range::unsigned(*width),
        Data::FromBool(_) => Range::unsigned(1),
        Data::Ternary(_, a, b) => range(a).join(range(b)),
        Data::StackCount { size, plus, .. } => Range::new(BigInt::from(*plus), BigInt::from(*size) + plus),
    }
}

fn binary(op: BinOp, a: &Data, b: &Data) -> Range {
    let (left, right) = (range(a), range(b));
    match op {
        BinOp::And => match (&left.0, &right.0) {
            _ if left.is_non_negative() && right.is_non_negative() => match (left.0, right.0) {
                (Some((_, x)), Some((_, y))) => Range::new(BigInt::zero(), x.min(y)),
                _ => Range(None),
            },
            (_, Some((_, high))) if right.is_non_negative() => Range::new(BigInt::zero(), high.clone()),
            (Some((_, high)), _) if left.is_non_negative() => Range::new(BigInt::zero(), high.clone()),
            _ => left.bitwise(&right),
        },
        BinOp::Or | BinOp::Xor => left.bitwise(&right),
        _ => {
            let (Some(l), Some(r)) = (&left.0, &right.0) else {
                return Range(None);
            };
            bounded(op, l, r)
        }
    }
}

fn bounded(op: BinOp, (a, b): &(BigInt, BigInt), (c, d): &(BigInt, BigInt)) -> Range {
    let of = |values: [BigInt; 4]| {
        let [w, x, y, z] = values;
        let (low, high) = ((&w).min(&x).min(&y).min(&z).clone(), w.max(x).max(y).max(z));
        Range::new(low, high)
    };
    match op {
        BinOp::Add => Range::new(a + c, b + d),
        BinOp::Sub => Range::new(a - d, b - c),
        BinOp::Mul => of([a * c, a * d, b * c, b * d]),
        BinOp::Shl => match (c.to_u64(), d.to_u64()) {
            (Some(least), Some(most)) if most <= MAX_SHIFT => of([a << least, a << most, b << least, b << most]),
            _ => Range(None),
        },
        BinOp::Shr => match c.to_u64() {
            Some(least) => {
                let least = least.min(MAX_SHIFT);
                let (x, y): (BigInt, BigInt) = (a >> least, b >> least);
                Range::new(
                    if a.is_negative() { x } else { BigInt::zero() },
                    if b.is_negative() { BigInt::from(-1) } else { y },
                )
            }
            None => Range(None),
        },
        BinOp::Div => {
            let most = a.abs().max(b.abs());
            Range::new(if a.is_negative() || c.is_negative() { -&most } else { BigInt::zero() }, most)
        }
        BinOp::Mod => {
            let most = c.abs().max(d.abs());
            Range::new(if a.is_negative() { -&most } else { BigInt::zero() }, most)
        }
        BinOp::And | BinOp::Or | BinOp::Xor => Range(None),
    }
}
