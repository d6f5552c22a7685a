//! Sets of values: in `select`, in table entries.

use super::Checker;
use crate::typed::{Expr, ExprKind, KeySet, Type, Value};
use p4_syntax::ast;

impl<'a> Checker<'a> {
    /// One set for a key of type `ty`.
    pub(super) fn key_set(&mut self, set: &'a ast::Expr, ty: &Type) -> KeySet {
        match &set.kind {
            ast::ExprKind::Any => KeySet::Any,
            ast::ExprKind::Mask(value, mask) => {
                let base = self.set_base(ty, set.span, "&&&");
                KeySet::Mask(self.set_value(value, &base), self.set_value(mask, &base))
            }
            ast::ExprKind::Range(low, high) => {
                let base = self.set_base(ty, set.span, "..");
                let (low, high) = (self.set_value(low, &base), self.set_value(high, &base));
                self.check_range(&low, &high);
                KeySet::Range(low, high)
            }
            ast::ExprKind::Tuple(items) if items.len() == 1 => self.key_set(&items[0], ty),
            _ => {
                let value = self.set_value(set, ty);
                KeySet::Value(value)
            }
        }
    }

    /// Masks and ranges are sets of numbers.
    fn set_base(&mut self, ty: &Type, span: crate::typed::Span, symbol: &str) -> Type {
        let base = self.program.representation(ty);
        match base {
            Type::Bit(_) | Type::Int(_) | Type::Unknown => base,
            Type::Enum(_) | Type::Error | Type::Bool => {
                let message = format!(
                    "'{symbol}' is not defined for keys of type '{}'",
                    self.show(ty)
                );
                self.error(span, message);
                Type::Unknown
            }
            _ => Type::Unknown,
        }
    }

    fn set_value(&mut self, value: &'a ast::Expr, ty: &Type) -> Expr {
        let checked = self.expr(value, Some(ty));
        if matches!(ty, Type::Unknown) {
            return checked;
        }
        // A key of a `type` is compared with numbers of its underlying type, too.
        if matches!(ty, Type::New(_))
            && checked.ty != *ty
            && self.cast_allowed(&checked.ty, ty)
            && matches!(checked.ty, Type::Integer)
        {
            return self.cast_unchecked(checked, ty.clone(), true);
        }
        if matches!(ty, Type::Enum(_)) && checked.ty != *ty {
            let base = self.program.representation(ty);
            if self.converts(&checked.ty, &base) && !matches!(base, Type::Enum(_)) {
                let number = self.coerce(checked, &base);
                return self.cast_unchecked(number, ty.clone(), true);
            }
        }
        self.coerce(checked, ty)
    }

    fn check_range(&mut self, low: &Expr, high: &Expr) {
        if let (ExprKind::Literal(Value::Int(first)), ExprKind::Literal(Value::Int(last))) =
            (&low.kind, &high.kind)
            && first > last
        {
            let message = format!("the range {first}..{last} is empty");
            self.error(low.span.to(high.span), message);
        }
    }
}
