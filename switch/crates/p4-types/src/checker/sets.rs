//! Sets of values: in `select`, in table entries.

use super::Checker;
use crate::typed::{Expr, ExprKind, KeySet, Type, Value};
use p4_syntax::ast;

impl<'a> Checker<'a> {
    /// The sets for a key of type `ty`: one, or for structures and tuples one for each part.
    pub(super) fn flat_key_sets(&mut self, set: &'a ast::Expr, ty: &Type, output: &mut Vec<KeySet>) {
        let parts = match ty {
            Type::Struct(id) => self.field_types(*id),
            Type::Tuple(items) => items.to_vec(),
            _ => {
                let set = self.key_set(set, ty);
                output.push(set);
                return;
            }
        };
        match &set.kind {
            ast::ExprKind::Any => {
                for part in &parts {
                    self.flat_key_sets(set, part, output);
                }
            }
            ast::ExprKind::List(items) | ast::ExprKind::Tuple(items) if items.len() == parts.len() => {
                for (item, part) in items.iter().zip(&parts) {
                    self.flat_key_sets(item, part, output);
                }
            }
            _ => {
                let value = self.set_value(set, ty);
                self.flat_value(value, output);
            }
        }
    }

    /// A structure or tuple as a set: each of its parts.
    fn flat_value(&mut self, value: Expr, output: &mut Vec<KeySet>) {
        let parts = match &value.ty {
            Type::Struct(id) => self.field_types(*id),
            Type::Tuple(items) => items.to_vec(),
            _ => {
                output.push(KeySet::Value(value));
                return;
            }
        };
        for (field, ty) in parts.into_iter().enumerate() {
            let part = match &value.kind {
                ExprKind::List(items) | ExprKind::Struct(items) => items[field].clone(),
                _ => Expr { kind: ExprKind::Field { base: Box::new(value.clone()), field }, ty, span: value.span },
            };
            self.flat_value(part, output);
        }
    }

    /// One set for a key of a simple type `ty`.
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
            // `{ a }` around a single value.
            ast::ExprKind::Tuple(items) | ast::ExprKind::List(items) if items.len() == 1 => self.key_set(&items[0], ty),
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
                let message = format!("'{symbol}' is not defined for keys of type '{}'", self.show(ty));
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
        if let (ExprKind::Literal(Value::Int(first)), ExprKind::Literal(Value::Int(last))) = (&low.kind, &high.kind)
            && first > last
        {
            let message = format!("the range {first}..{last} is empty");
            self.error(low.span.to(high.span), message);
        }
    }
}
