//! Lowering of expressions: see [`expr`](crate::code::expr) for the idea.

use num_bigint::{BigInt, Sign};
use num_traits::{One, ToPrimitive, Zero};

use super::ast::{BinOp, Bool, Data, HeaderExpr, UnionExpr};
use super::range::range;
use crate::code::expr::{Big, CmpOp, Cond, HeaderRef, N64, N128, Num, RegisterCell, UnionRef, Wider, Word};
use crate::code::word::Arithmetic;
use crate::phv::{limbs, low64, mask64};

/// A word that numbers can be lowered to.
pub(crate) trait Target: Word {
    fn from_big(value: &BigInt) -> Self;
    /// A shorter way that is exact for this expression, if there is one.
    fn shorter(data: &Data) -> Option<Num<Self>>;
    /// The next wider way, for an operation whose operands do not fit this word.
    fn wider(data: &Data) -> Num<Self>;
}

impl Target for u64 {
    fn from_big(value: &BigInt) -> Self {
        low64(value)
    }

    fn shorter(_: &Data) -> Option<N64> {
        None
    }

    fn wider(data: &Data) -> N64 {
        Num::Other(Box::new(structural::<u128>(data)))
    }
}

impl Target for u128 {
    fn from_big(value: &BigInt) -> Self {
        let mut out = [0; 2];
        crate::phv::big_to_limbs(value, 128, &mut out);
        Self::load(&out)
    }

    fn shorter(data: &Data) -> Option<N128> {
        if matches!(data, Data::Const(_)) {
            return None;
        }
        let range = range(data);
        if range.fits_unsigned(64) {
            Some(Num::Other(Box::new(Wider::Unsigned(low(data)))))
        } else if range.fits_signed(64) {
            Some(Num::Other(Box::new(Wider::Signed(low(data)))))
        } else {
            None
        }
    }

    fn wider(data: &Data) -> N128 {
        Num::Other(Box::new(Wider::Big(big_structural(data))))
    }
}

/// A number whose lowest bits are those of `data`.
pub(crate) fn low<W: Target>(data: &Data) -> Num<W> {
    W::shorter(data).unwrap_or_else(|| structural(data))
}

fn structural<W: Target>(data: &Data) -> Num<W> {
    match data {
        Data::Const(value) => Num::Const(W::from_big(value)),
        Data::Field(loc) => match (loc.narrow(), loc.signed) {
            (true, false) => Num::Field(loc.slot),
            (true, true) => Num::Signed { slot: loc.slot, width: loc.width },
            (false, _) => Num::Wide(*loc),
        },
        Data::DynField(header, loc) => Num::Dynamic(Box::new((header_ref(header), *loc))),
        Data::Local { limb, width } => Num::Local { limb: *limb, limbs: limbs(*width) as u32 },
        Data::Register { array, index, .. } => {
            Num::Register(Box::new(RegisterCell { array: *array, index: low(index) }))
        }
        Data::StackCount { next, plus, .. } => Num::StackCount { next: *next, plus: *plus },
        Data::Bin(op, a, b) => binary(data, *op, a, b),
        Data::Not(a) => Num::Not(Box::new(low(a))),
        Data::TwoCompMod(a, width) => {
            if *width >= W::BITS || range(a).fits_signed(*width) {
                low(a)
            } else {
                Num::SignExtend(Box::new(low(a)), *width)
            }
        }
        Data::USatCast(a, width) => {
            let inner = range(a);
            if inner.fits_unsigned(*width) {
                low(a)
            } else if inner.fits_unsigned(W::BITS) {
                Num::Min(Box::new(low(a)), W::from_big(&ones(*width)))
            } else if inner.fits_signed(W::BITS) && *width < W::BITS {
                Num::Clamp(Box::new((low(a), W::from_u64(0), W::from_big(&ones(*width)))))
            } else {
                W::wider(data)
            }
        }
        Data::SatCast(a, width) => {
            let inner = range(a);
            if inner.fits_signed(*width) {
                low(a)
            } else if inner.fits_signed(W::BITS) && *width <= W::BITS {
                let (least, most) = signed_bounds(*width);
                Num::Clamp(Box::new((low(a), W::from_big(&least), W::from_big(&most))))
            } else {
                W::wider(data)
            }
        }
        Data::FromBool(cond) => Num::FromBool(Box::new(lower_bool(cond))),
        Data::Ternary(cond, a, b) => Num::Select(Box::new((lower_bool(cond), low(a), low(b)))),
    }
}

fn binary<W: Target>(data: &Data, op: BinOp, a: &Data, b: &Data) -> Num<W> {
    let pair = || Box::new((low(a), low(b)));
    match op {
        BinOp::Add => match b {
            Data::Const(value) => Num::AddConst(Box::new(low(a)), W::from_big(value)),
            _ => Num::Add(pair()),
        },
        BinOp::Sub => match b {
            Data::Const(value) => Num::AddConst(Box::new(low(a)), W::from_big(&-value)),
            _ => Num::Sub(pair()),
        },
        BinOp::Mul => Num::Mul(pair()),
        BinOp::And => match (a, b) {
            (other, Data::Const(mask)) | (Data::Const(mask), other) => {
                if low_ones(mask).is_some_and(|bits| range(other).fits_unsigned(bits)) {
                    low(other)
                } else {
                    Num::AndConst(Box::new(low(other)), W::from_big(mask))
                }
            }
            _ => Num::And(pair()),
        },
        BinOp::Or => Num::Or(pair()),
        BinOp::Xor => Num::Xor(pair()),
        BinOp::Shl => match shift_constant(b) {
            Some(amount) => Num::ShlConst(Box::new(low(a)), amount),
            None => Num::Shl(Box::new((low(a), amount(b)))),
        },
        BinOp::Shr => {
            let left = range(a);
            if left.fits_unsigned(W::BITS) {
                match shift_constant(b) {
                    Some(amount) => Num::ShrConst(Box::new(low(a)), amount),
                    None => Num::Shr(Box::new((low(a), amount(b)))),
                }
            } else if left.fits_signed(W::BITS) {
                Num::Sar(Box::new((low(a), amount(b))))
            } else {
                W::wider(data)
            }
        }
        BinOp::Div | BinOp::Mod => {
            if range(a).fits_unsigned(W::BITS) && range(b).fits_unsigned(W::BITS) {
                if op == BinOp::Div { Num::Div(pair()) } else { Num::Rem(pair()) }
            } else {
                W::wider(data)
            }
        }
    }
}

/// An index, a shift amount, a port…: exact if it fits 64 bits, else the largest number.
pub(crate) fn amount(data: &Data) -> N64 {
    let known = range(data);
    if known.fits_unsigned(64) {
        low(data)
    } else {
        let limited = Data::USatCast(Box::new(data.clone()), 64);
        low(&limited)
    }
}

fn shift_constant(data: &Data) -> Option<u32> {
    match data {
        Data::Const(value) => Some(value.to_u32().unwrap_or(u32::MAX)),
        _ => None,
    }
}

/// `Some(n)` if the number is 2^n − 1.
fn low_ones(mask: &BigInt) -> Option<u32> {
    if mask.sign() != Sign::Plus || !(mask & (mask + 1u32)).is_zero() {
        return None;
    }
    u32::try_from(mask.bits()).ok()
}

fn ones(width: u32) -> BigInt {
    (BigInt::one() << width) - 1
}

fn signed_bounds(width: u32) -> (BigInt, BigInt) {
    let half = BigInt::one() << (width.max(1) - 1);
    (-&half, half - 1)
}

/// A number of any size, by the shortest way.
pub(crate) fn big(data: &Data) -> Big {
    if let Data::Const(value) = data {
        return Big::Const(value.clone());
    }
    let known = range(data);
    if known.fits_unsigned(64) {
        Big::Unsigned64(low(data))
    } else if known.fits_signed(64) {
        Big::Signed64(low(data))
    } else if known.fits_unsigned(128) {
        Big::Unsigned128(low(data))
    } else if known.fits_signed(128) {
        Big::Signed128(low(data))
    } else {
        big_structural(data)
    }
}

fn big_structural(data: &Data) -> Big {
    match data {
        Data::Const(value) => Big::Const(value.clone()),
        Data::Field(loc) => Big::Field(*loc),
        Data::DynField(header, loc) => Big::Dynamic(Box::new((header_ref(header), *loc))),
        Data::Local { limb, width } => Big::Local { limb: *limb, limbs: limbs(*width) as u32 },
        Data::Register { array, index, .. } => {
            Big::Register(Box::new(RegisterCell { array: *array, index: amount(index) }))
        }
        Data::StackCount { .. } | Data::FromBool(_) => Big::Signed64(low(data)),
        Data::Not(a) => Big::Not(Box::new(big(a))),
        Data::TwoCompMod(a, width) => Big::TwoCompMod(Box::new(big(a)), *width),
        Data::USatCast(a, width) => Big::Clamp(Box::new((big(a), BigInt::zero(), ones(*width)))),
        Data::SatCast(a, width) => {
            let (least, most) = signed_bounds(*width);
            Big::Clamp(Box::new((big(a), least, most)))
        }
        Data::Ternary(cond, a, b) => Big::Select(Box::new((lower_bool(cond), big(a), big(b)))),
        Data::Bin(op, a, b) => {
            let pair = || Box::new((big(a), big(b)));
            match op {
                BinOp::Add => Big::Add(pair()),
                BinOp::Sub => Big::Sub(pair()),
                BinOp::Mul => Big::Mul(pair()),
                BinOp::Div => Big::Div(pair()),
                BinOp::Mod => Big::Rem(pair()),
                BinOp::And => Big::And(pair()),
                BinOp::Or => Big::Or(pair()),
                BinOp::Xor => Big::Xor(pair()),
                BinOp::Shl => Big::Shl(Box::new((big(a), amount(b)))),
                BinOp::Shr => Big::Shr(Box::new((big(a), amount(b)))),
            }
        }
    }
}

/// A truth value.
pub(crate) fn lower_bool(cond: &Bool) -> Cond {
    match cond {
        Bool::Const(value) => Cond::Const(*value),
        Bool::And(a, b) => Cond::And(Box::new((lower_bool(a), lower_bool(b)))),
        Bool::Or(a, b) => Cond::Or(Box::new((lower_bool(a), lower_bool(b)))),
        Bool::Not(a) => Cond::Not(Box::new(lower_bool(a))),
        Bool::Differ(a, b) => Cond::Differ(Box::new((lower_bool(a), lower_bool(b)))),
        Bool::Ternary(c, a, b) => Cond::Select(Box::new((lower_bool(c), lower_bool(a), lower_bool(b)))),
        Bool::Cmp(op, a, b) => compare(*op, a, b),
        Bool::FromData(a) => match &**a {
            Data::FromBool(inner) => lower_bool(inner),
            other => compare(CmpOp::Ne, other, &Data::Const(BigInt::zero())),
        },
        Bool::Valid(header) => Cond::Valid(header_ref(header)),
        Bool::ValidUnion(union) => Cond::ValidUnion(union_ref(union)),
        Bool::HeadersEqual(a, b) => Cond::HeadersEqual(Box::new((header_ref(a), header_ref(b)))),
        Bool::UnionsEqual(a, b) => Cond::UnionsEqual(Box::new((union_ref(a), union_ref(b)))),
    }
}

fn compare(op: CmpOp, a: &Data, b: &Data) -> Cond {
    // A field against a constant, as conditions mostly are.
    if let (Data::Field(loc), Data::Const(value), CmpOp::Eq | CmpOp::Ne) = (a, b, op)
        && loc.narrow()
        && !loc.signed
    {
        return match (value.to_u64().filter(|v| *v <= mask64(loc.width)), op) {
            (Some(value), CmpOp::Eq) => Cond::SlotEq(loc.slot, value),
            (Some(value), _) => Cond::SlotNe(loc.slot, value),
            (None, _) => Cond::Const(op == CmpOp::Ne),
        };
    }
    let (left, right) = (range(a), range(b));
    if left.fits_unsigned(64) && right.fits_unsigned(64) {
        Cond::Unsigned64(op, Box::new((low(a), low(b))))
    } else if left.fits_signed(64) && right.fits_signed(64) {
        Cond::Signed64(op, Box::new((low(a), low(b))))
    } else if left.fits_unsigned(128) && right.fits_unsigned(128) {
        Cond::Unsigned128(op, Box::new((low(a), low(b))))
    } else if left.fits_signed(128) && right.fits_signed(128) {
        Cond::Signed128(op, Box::new((low(a), low(b))))
    } else {
        Cond::Big(op, Box::new((big(a), big(b))))
    }
}

pub(crate) fn header_ref(header: &HeaderExpr) -> HeaderRef {
    match header {
        HeaderExpr::Static(index) => HeaderRef::Static(*index),
        HeaderExpr::StackAt(stack, index) => HeaderRef::StackAt(*stack, Box::new(amount(index))),
        HeaderExpr::StackLast(stack) => HeaderRef::StackLast(*stack),
        HeaderExpr::Member(union, member) => HeaderRef::Member(Box::new(union_ref(union)), *member),
    }
}

pub(crate) fn union_ref(union: &UnionExpr) -> UnionRef {
    match union {
        UnionExpr::Static(index) => UnionRef::Static(*index),
        UnionExpr::StackAt(stack, index) => UnionRef::StackAt(*stack, Box::new(amount(index))),
        UnionExpr::StackLast(stack) => UnionRef::StackLast(*stack),
    }
}

/// The expression without an outermost cut to at least `width` bits: storing to a field of that width cuts anyway.
pub(crate) fn strip_cut(data: &Data, width: u32) -> &Data {
    match data {
        Data::Bin(BinOp::And, a, b) => match (&**a, &**b) {
            (inner, Data::Const(mask)) | (Data::Const(mask), inner)
                if low_ones(mask).is_some_and(|bits| bits >= width) =>
            {
                strip_cut(inner, width)
            }
            _ => data,
        },
        Data::TwoCompMod(inner, bits) if *bits >= width => strip_cut(inner, width),
        _ => data,
    }
}
