//! Values of type `int` that are not known at compile time: `(bit<8>)((int)x + 1)`.
//!
//! No target has numbers without a width. But the type to which such a calculation is cast has a width. The lower bits
//! of sums, products and bit operations modulo 2^N do not depend on the bits above. So the checker brings the width
//! inwards, down to the casts to `int`.

use super::Checker;
use crate::eval;
use crate::typed::{BinaryOp, Expr, ExprKind, Span, Type, UnaryOp, Value};

impl Checker<'_> {
    /// Is it an `int` that only exists while the program runs?
    pub(super) fn is_running_integer(&self, expr: &Expr) -> bool {
        matches!(expr.ty, Type::Integer) && !eval::is_known(&self.program, expr)
    }

    /// The lowest bits of such a value, as `to` (`bit<N>` or `int<N>`); a message where that cannot be.
    pub(super) fn narrow_integer(&mut self, expr: Expr, to: &Type) -> Expr {
        let span = expr.span;
        let base = self.program.representation(to);
        match self.narrowed(&expr, &base) {
            Some(value) => self.cast_unchecked(value, to.clone(), false),
            None => {
                self.error(span, "this needs numbers of any size while the program runs")
                    .help("cast to bit<W> or int<W> earlier");
                self.wrong(span)
            }
        }
    }

    fn narrowed(&mut self, expr: &Expr, to: &Type) -> Option<Expr> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Literal(Value::Int(number)) => ExprKind::Literal(Value::Int(eval::wrap(number, to))),
            ExprKind::Cast(inner) => return Some(self.resized((**inner).clone(), to, span)),
            ExprKind::Unary(op @ (UnaryOp::Negate | UnaryOp::BitNot), inner) => {
                ExprKind::Unary(*op, Box::new(self.narrowed(inner, to)?))
            }
            ExprKind::Binary(
                op @ (BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor),
                left,
                right,
            ) => {
                let left = Box::new(self.narrowed(left, to)?);
                let right = Box::new(self.narrowed(right, to)?);
                ExprKind::Binary(*op, left, right)
            }
            ExprKind::Ternary { condition, yes, no } => ExprKind::Ternary {
                condition: condition.clone(),
                yes: Box::new(self.narrowed(yes, to)?),
                no: Box::new(self.narrowed(no, to)?),
            },
            _ => return None,
        };
        let ty = to.clone();
        Some(eval::fold(&self.program, Expr { kind, ty, span }))
    }

    /// A `bit<W>` or `int<W>` extended or cut by its own sign first, then with the other sign.
    fn resized(&mut self, value: Expr, to: &Type, span: Span) -> Expr {
        let from = self.program.representation(&value.ty);
        let value = self.cast_unchecked(value, from.clone(), false);
        let middle = match (&from, to) {
            (Type::Bit(_), Type::Int(width)) => Type::Bit(*width),
            (Type::Int(_), Type::Bit(width)) => Type::Int(*width),
            _ => to.clone(),
        };
        let value = self.cast_unchecked(value, middle, false);
        let mut value = self.cast_unchecked(value, to.clone(), false);
        value.span = span;
        value
    }
}
