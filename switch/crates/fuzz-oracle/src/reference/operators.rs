//! Operators on values of a type.

use crate::reference::arithmetic as numbers;
use crate::reference::{Machine, Result, Stop, Value, unsupported};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use p4_types::typed::{BinaryOp, Type, UnaryOp};

/// Width and signedness of a number.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub width: u32,
    pub signed: bool,
}

impl Machine<'_> {
    /// The format of a number's type; of `bool` none.
    pub(super) fn format(&self, ty: &Type) -> Result<Format> {
        match self.program.representation(ty) {
            Type::Bit(width) if width <= 128 => Ok(Format { width, signed: false }),
            Type::Int(width) if width <= 128 => Ok(Format { width, signed: true }),
            other => unsupported(&format!("arithmetic on {other:?}")),
        }
    }

    pub(super) fn unary(&self, op: UnaryOp, value: &Value, ty: &Type) -> Result<Value> {
        if op == UnaryOp::Not {
            return Ok(Value::Bool(!value.truth()?));
        }
        let Format { width, .. } = self.format(ty)?;
        let bits = value.bits()?;
        Ok(Value::Bits(match op {
            UnaryOp::BitNot => numbers::wrap(!bits, width),
            _ => numbers::wrap(bits.wrapping_neg(), width),
        }))
    }

    /// An operator but `&&` and `||`; `ty` and `right_ty` are the operands' types.
    pub(super) fn binary(
        &self,
        op: BinaryOp,
        (left, ty): (&Value, &Type),
        (right, right_ty): (&Value, &Type),
    ) -> Result<Value> {
        match op {
            BinaryOp::Equal => return Ok(Value::Bool(equal(left, right)?)),
            BinaryOp::NotEqual => return Ok(Value::Bool(!equal(left, right)?)),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => return self.shift(op, left, ty, right),
            _ => {}
        }
        let Format { width, signed } = self.format(ty)?;
        let (a, b) = (left.bits()?, right.bits()?);
        let ordering = || {
            if signed { numbers::signed(a, width).cmp(&numbers::signed(b, width)) } else { a.cmp(&b) }
        };
        Ok(match op {
            BinaryOp::Less => Value::Bool(ordering().is_lt()),
            BinaryOp::LessEqual => Value::Bool(ordering().is_le()),
            BinaryOp::Greater => Value::Bool(ordering().is_gt()),
            BinaryOp::GreaterEqual => Value::Bool(ordering().is_ge()),
            BinaryOp::Concat => {
                let low = self.format(right_ty)?.width;
                if width + low > 128 {
                    return unsupported("more than 128 bits");
                }
                // A shift by 128 happens only where there is nothing to the left.
                Value::Bits(a.checked_shl(low).unwrap_or(0) | b)
            }
            BinaryOp::Add => Value::Bits(numbers::wrap(a.wrapping_add(b), width)),
            BinaryOp::Sub => Value::Bits(numbers::wrap(a.wrapping_sub(b), width)),
            BinaryOp::Mul => Value::Bits(numbers::wrap(a.wrapping_mul(b), width)),
            BinaryOp::SaturatingAdd if signed => Value::Bits(numbers::saturating_add_signed(a, b, width)),
            BinaryOp::SaturatingAdd => Value::Bits(numbers::saturating_add(a, b, width)),
            BinaryOp::SaturatingSub if signed => Value::Bits(numbers::saturating_sub_signed(a, b, width)),
            BinaryOp::SaturatingSub => Value::Bits(a.saturating_sub(b)),
            BinaryOp::BitAnd => Value::Bits(a & b),
            BinaryOp::BitOr => Value::Bits(a | b),
            BinaryOp::BitXor => Value::Bits(a ^ b),
            BinaryOp::Div | BinaryOp::Mod if signed => return unsupported("division of signed numbers"),
            BinaryOp::Div => Value::Bits(a.checked_div(b).ok_or(Stop::Undefined("a division by zero"))?),
            BinaryOp::Mod => Value::Bits(a.checked_rem(b).ok_or(Stop::Undefined("a division by zero"))?),
            _ => return unsupported("this operator on numbers"),
        })
    }

    fn shift(&self, op: BinaryOp, left: &Value, ty: &Type, right: &Value) -> Result<Value> {
        let Format { width, signed } = self.format(ty)?;
        let by = match right {
            Value::Number(by) => by.to_u128().unwrap_or(u128::MAX),
            other => other.bits()?,
        };
        let value = left.bits()?;
        Ok(Value::Bits(match op {
            BinaryOp::ShiftLeft => numbers::shift_left(value, by, width),
            _ if signed => numbers::shift_right_signed(value, by, width),
            _ => numbers::shift_right(value, by, width),
        }))
    }

    /// A conversion between types.
    pub(super) fn cast(&self, value: Value, from: &Type, to: &Type) -> Result<Value> {
        let (from, to) = (self.program.representation(from), self.program.representation(to));
        match (&value, &from, &to) {
            (Value::Undefined, _, _) => Ok(Value::Undefined),
            _ if from == to => Ok(value),
            (Value::Bool(truth), Type::Bool, Type::Bit(1)) => Ok(Value::Bits(u128::from(*truth))),
            (Value::Bits(bits), Type::Bit(1), Type::Bool) => Ok(Value::Bool(*bits == 1)),
            (Value::Number(number), Type::Integer, _) => Ok(Value::Bits(known(number, self.format(&to)?.width)?)),
            (Value::Bits(bits), _, _) => {
                let (from, to) = (self.format(&from)?, self.format(&to)?);
                let long = if from.signed { numbers::signed(*bits, from.width) as u128 } else { *bits };
                Ok(Value::Bits(numbers::wrap(long, to.width)))
            }
            _ => unsupported("this conversion"),
        }
    }
}

/// A known number in two's complement.
pub(super) fn known(number: &BigInt, width: u32) -> Result<u128> {
    let modulus = BigInt::from(1) << width;
    let residue = ((number % &modulus) + &modulus) % &modulus;
    residue.to_u128().map_or_else(|| unsupported("more than 128 bits"), Ok)
}

/// `==`, also of structures, headers and stacks. Headers are equal if both are invalid, or both valid with equal fields.
pub(super) fn equal(left: &Value, right: &Value) -> Result<bool> {
    let all = |left: &[Value], right: &[Value]| {
        let mut same = true;
        for (left, right) in left.iter().zip(right) {
            same &= equal(left, right)?;
        }
        Ok(same)
    };
    match (left, right) {
        (Value::Undefined, _) | (_, Value::Undefined) => Err(Stop::Undefined("a comparison").into()),
        (Value::Struct(left), Value::Struct(right)) | (Value::Union(left), Value::Union(right)) => all(left, right),
        (Value::Header { valid: true, fields: left }, Value::Header { valid: true, fields: right }) => all(left, right),
        (Value::Header { valid: left, .. }, Value::Header { valid: right, .. }) => Ok(left == right),
        (Value::Stack { elements: left, .. }, Value::Stack { elements: right, .. }) => all(left, right),
        // They differ, but BMv2's JSON can compare the numbers alone: nothing can be held against it.
        (Value::Varbit { bits: left, width }, Value::Varbit { bits: right, width: other })
            if left == right && width != other =>
        {
            Err(Stop::Undefined("a comparison of equal numbers of different lengths").into())
        }
        (left, right) => Ok(left == right),
    }
}
