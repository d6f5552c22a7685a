//! P4's arithmetic on known numbers.

use super::ones;
use crate::typed::{BinaryOp, Type, Value};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Shifts of `int` to the left by more than this are refused: the number would fill the memory.
const MAX_SHIFT: u32 = 1 << 16;

/// The number that is left when `number` is stored in a `bit<W>` or `int<W>`; other types change nothing.
pub fn wrap(number: &BigInt, ty: &Type) -> BigInt {
    match ty {
        Type::Bit(width) => number & ones(*width),
        Type::Int(width) if *width == 0 => BigInt::zero(),
        Type::Int(width) => {
            let low = number & ones(*width);
            let sign = BigInt::one() << (*width - 1);
            if low >= sign { low - (sign << 1) } else { low }
        }
        _ => number.clone(),
    }
}

/// Is `number` a value of the type?
pub fn fits(number: &BigInt, ty: &Type) -> bool {
    wrap(number, ty) == *number
}

/// Smallest and largest value.
fn bounds(ty: &Type) -> Option<(BigInt, BigInt)> {
    match ty {
        Type::Bit(width) => Some((BigInt::zero(), ones(*width))),
        Type::Int(width) if *width > 0 => {
            let half = BigInt::one() << (*width - 1);
            Some((-half.clone(), half - 1))
        }
        _ => None,
    }
}

/// The result of an operator; `None` where it has none (division by zero, a shift that is too wide).
///
/// `left` and `right` are the operands' types, `ty` that of the result, all without names around them.
pub(super) fn binary(op: BinaryOp, a: &BigInt, b: &BigInt, left: &Type, right: &Type, ty: &Type) -> Option<Value> {
    let number = match op {
        BinaryOp::Less => return Some(Value::Bool(a < b)),
        BinaryOp::LessEqual => return Some(Value::Bool(a <= b)),
        BinaryOp::Greater => return Some(Value::Bool(a > b)),
        BinaryOp::GreaterEqual => return Some(Value::Bool(a >= b)),
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::SaturatingAdd | BinaryOp::SaturatingSub => {
            let exact = if op == BinaryOp::SaturatingAdd { a + b } else { a - b };
            let (low, high) = bounds(ty)?;
            exact.max(low).min(high)
        }
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::Mod if b.is_zero() => return None,
        BinaryOp::Div => a / b,
        BinaryOp::Mod => a % b,
        BinaryOp::ShiftLeft => a << shift_amount(b, ty)?,
        BinaryOp::ShiftRight => {
            let amount = b.to_u32().unwrap_or(u32::MAX).min(MAX_SHIFT * 32);
            if b.is_negative() {
                return None;
            }
            a >> amount
        }
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Concat => {
            let (Type::Bit(_) | Type::Int(_), Type::Bit(width) | Type::Int(width)) = (left, right) else {
                return None;
            };
            (a << *width) | (b & ones(*width))
        }
        _ => return None,
    };
    Some(Value::Int(wrap(&number, ty)))
}

/// How far to shift left: no further than the result is wide.
fn shift_amount(amount: &BigInt, ty: &Type) -> Option<u32> {
    if amount.is_negative() {
        return None;
    }
    match ty {
        Type::Bit(width) | Type::Int(width) => Some(amount.to_u32().unwrap_or(u32::MAX).min(*width)),
        _ => amount.to_u32().filter(|amount| *amount <= MAX_SHIFT),
    }
}
