//! Expressions, evaluated from left to right.

use crate::reference::arithmetic::slice;
use crate::reference::{Machine, Result, Stop, Value, unsupported};
use p4_types::typed::{BinaryOp, Expr, ExprKind, TableId, Type, Value as Literal};

impl Machine<'_> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, &expr.ty),
            ExprKind::Var(variable) => Ok(self.get(*variable).clone()),
            ExprKind::Field { base, field } => Ok(self.evaluate(base)?.part(*field)?.clone()),
            // A stack with a name is no value: its element is read when the index is known, whatever that has changed (as in p4c).
            ExprKind::Index { base, index } if has_name(base) => {
                let index = self.index(index)?;
                Ok(self.evaluate(base)?.element(index)?.clone())
            }
            ExprKind::Index { base, index } => {
                let base = self.evaluate(base)?;
                Ok(base.element(self.index(index)?)?.clone())
            }
            ExprKind::StackLast(base) => {
                let base = self.evaluate(base)?;
                match &base {
                    Value::Stack { next, .. } if *next > 0 => Ok(base.element(next - 1)?.clone()),
                    _ => Err(crate::reference::Interrupt::Reject(self.error("StackOutOfBounds")?)),
                }
            }
            ExprKind::StackLastIndex(base) => match self.evaluate(base)? {
                Value::Stack { next, .. } if next > 0 => Ok(Value::Bits(next as u128 - 1)),
                _ => Ok(Value::Undefined),
            },
            ExprKind::Slice { base, high, low } => Ok(Value::Bits(slice(self.evaluate(base)?.bits()?, *high, *low))),
            ExprKind::PlusSlice { base, low, width } => {
                let bits = self.evaluate(base)?.bits()?;
                let low = self.low_bit(low, &base.ty, *width)?;
                Ok(Value::Bits(slice(bits, low + width - 1, low)))
            }
            ExprKind::Unary(op, operand) => {
                let value = self.evaluate(operand)?;
                self.unary(*op, &value, &operand.ty)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let decided = *op == BinaryOp::Or;
                // The right operand is not evaluated if the left one decides.
                if self.evaluate(left)?.truth()? == decided {
                    return Ok(Value::Bool(decided));
                }
                Ok(Value::Bool(self.evaluate(right)?.truth()?))
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.evaluate(left)?, self.evaluate(right)?);
                self.binary(*op, (&a, &left.ty), (&b, &right.ty))
            }
            ExprKind::Ternary { condition, yes, no } => {
                let chosen = if self.evaluate(condition)?.truth()? { yes } else { no };
                self.evaluate(chosen)
            }
            ExprKind::Cast(base) => {
                let value = self.evaluate(base)?;
                self.cast(value, &base.ty, &expr.ty)
            }
            ExprKind::Struct(parts) | ExprKind::List(parts) => {
                let values = parts.iter().map(|part| self.evaluate(part)).collect::<Result<_>>()?;
                Ok(match self.program.strip_new_types(&expr.ty) {
                    Type::Header(_) => Value::Header { valid: true, fields: values },
                    Type::Stack(..) => Value::Stack { elements: values, next: 0 },
                    _ => Value::Struct(values),
                })
            }
            ExprKind::Invalid => Ok(Value::uninitialized(self.program, &expr.ty)),
            ExprKind::Call(call) => match self.call(call)? {
                Some(value) => Ok(value),
                None => Err(Stop::Undefined("the result of a function without one").into()),
            },
            ExprKind::TableHit(table) => Ok(Value::Bool(self.hits(*table)?)),
            ExprKind::TableMiss(table) => Ok(Value::Bool(!self.hits(*table)?)),
            ExprKind::StackNext(_) | ExprKind::Object(_) | ExprKind::Invalidated => unsupported("this expression"),
        }
    }

    /// The lowest bit of a slice, which must lie within the number.
    pub(super) fn low_bit(&mut self, low: &Expr, ty: &Type, width: u32) -> Result<u32> {
        let low = self.evaluate(low)?.bits()?;
        if low + u128::from(width) > u128::from(self.format(ty)?.width) {
            return Err(Stop::Undefined("a slice beyond the number").into());
        }
        Ok(low as u32)
    }

    fn literal(&self, literal: &Literal, ty: &Type) -> Result<Value> {
        Ok(match literal {
            Literal::Bool(truth) => Value::Bool(*truth),
            Literal::Int(number) => match self.program.representation(ty) {
                Type::Integer => Value::Number(number.clone()),
                _ => Value::Bits(crate::reference::operators::known(number, self.format(ty)?.width)?),
            },
            Literal::Error(id) => Value::Symbol(id.0),
            Literal::Enum(member) => Value::Symbol(*member),
            Literal::String(_) | Literal::MatchKind(_) => return unsupported("strings and match kinds"),
        })
    }

    fn hits(&mut self, table: TableId) -> Result<bool> {
        Ok(self.apply_table(table)?.hit)
    }
}

/// Is it a variable or a part of one?
fn has_name(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_) => true,
        ExprKind::Field { base, .. } => has_name(base),
        _ => false,
    }
}
