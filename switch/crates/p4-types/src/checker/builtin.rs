//! Methods of headers, header unions and stacks; sizes of types.

use super::Checker;
use crate::typed::{Callee, Expr, ExprKind, ExternId, Span, Type, Value};
use num_traits::ToPrimitive;
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn builtin_method(
        &mut self,
        base: Expr,
        name: &ast::Ident,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let boxed = |base: Expr| Box::new(base);
        let is_header = matches!(base.ty, Type::Header(_));
        let has_validity = is_header || matches!(base.ty, Type::Union(_));
        match (&*name.name, &base.ty) {
            ("isValid", _) if has_validity => {
                self.no_arguments(name, args);
                Some(self.call_expr(Callee::IsValid(boxed(base)), Vec::new(), Vec::new(), Type::Bool, span))
            }
            ("setValid" | "setInvalid", _) if is_header => {
                self.no_arguments(name, args);
                self.require_lvalue(&base);
                let callee = if &*name.name == "setValid" {
                    Callee::SetValid(boxed(base))
                } else {
                    Callee::SetInvalid(boxed(base))
                };
                Some(self.call_expr(callee, Vec::new(), Vec::new(), Type::Void, span))
            }
            ("push_front" | "pop_front", Type::Stack(..)) => {
                let count = self.stack_count(name, args, span)?;
                self.require_lvalue(&base);
                let callee = if &*name.name == "push_front" {
                    Callee::PushFront(boxed(base), count)
                } else {
                    Callee::PopFront(boxed(base), count)
                };
                Some(self.call_expr(callee, Vec::new(), Vec::new(), Type::Void, span))
            }
            _ => {
                let ty = base.ty.clone();
                self.size_method(&ty, name, args, span)
            }
        }
    }

    fn no_arguments(&mut self, name: &ast::Ident, args: &'a [ast::Argument]) {
        if let Some(first) = args.first() {
            let message = format!("'{}' takes no arguments", name.name);
            self.error(first.value.span, message);
        }
    }

    /// The argument of `push_front` and `pop_front`.
    fn stack_count(&mut self, name: &ast::Ident, args: &'a [ast::Argument], span: Span) -> Option<u32> {
        let [arg] = args else {
            let message = format!("'{}' takes one argument, {} given", name.name, args.len());
            self.error(span, message);
            return None;
        };
        let number = self.known_integer_or(&arg.value, "how far to move the elements", Kind::TypeError)?;
        match number.to_u32() {
            Some(count) if count > 0 => Some(count),
            _ => {
                self.error(arg.value.span, format!("elements cannot be moved by {number}"));
                None
            }
        }
    }

    /// `minSizeInBits()` and its like, of a type or of a value.
    pub(super) fn size_method(
        &mut self,
        ty: &Type,
        name: &ast::Ident,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        if matches!(ty, Type::Unknown) {
            return None;
        }
        let (largest, in_bytes) = match &*name.name {
            "minSizeInBits" => (false, false),
            "minSizeInBytes" => (false, true),
            "maxSizeInBits" => (true, false),
            "maxSizeInBytes" => (true, true),
            _ => {
                let message = format!("'{}' has no method '{}'", self.show(ty), name.name);
                self.error(name.span, message);
                return None;
            }
        };
        self.no_arguments(name, args);
        let Some(bits) = self.size_in_bits(ty, largest) else {
            let message = format!("type '{}' has no size", self.show(ty));
            self.error(span, message);
            return None;
        };
        let size = if in_bytes { bits.div_ceil(8) } else { bits };
        Some(self.literal(Value::Int(size.into()), Type::Integer, span))
    }

    /// Smallest or largest size of a value on the wire.
    fn size_in_bits(&self, ty: &Type, largest: bool) -> Option<u64> {
        let sum = |types: Vec<Type>| {
            types.iter().try_fold(0u64, |sum, ty| Some(sum.saturating_add(self.size_in_bits(ty, largest)?)))
        };
        match self.program.representation(ty) {
            Type::Varbit(width) => Some(if largest { width.into() } else { 0 }),
            Type::Bit(width) | Type::Int(width) => Some(width.into()),
            Type::Bool => Some(1),
            Type::Struct(id) | Type::Header(id) => sum(self.field_types(id)),
            Type::Tuple(items) => sum(items.to_vec()),
            Type::Stack(element, size) => Some(self.size_in_bits(&element, largest)?.saturating_mul(size.into())),
            Type::Union(id) => {
                let sizes: Option<Vec<u64>> =
                    self.field_types(id).iter().map(|ty| self.size_in_bits(ty, largest)).collect();
                let sizes = sizes?;
                if largest { sizes.into_iter().max() } else { sizes.into_iter().min() }
            }
            _ => None,
        }
    }

    /// Checks calls of `extract`, `lookahead` and `emit` against the rules of core.p4 that go beyond its declarations.
    pub(super) fn check_packet_method(&mut self, id: ExternId, name: &ast::Ident, call: &Expr) {
        let ExprKind::Call(inner) = &call.kind else {
            return;
        };
        let extern_name = self.program[id].name.clone();
        let Some(first) = inner.type_args.first().cloned() else {
            return;
        };
        match (&*extern_name, &*name.name) {
            ("packet_in", "extract") => {
                let two = inner.args.len() == 2;
                let fine = match &first {
                    Type::Header(id) => {
                        let varbits = self.field_types(*id).iter().filter(|ty| matches!(ty, Type::Varbit(_))).count();
                        if two && varbits != 1 {
                            self.error(call.span, "'extract' with a size needs a header with exactly one varbit field");
                        } else if !two && varbits != 0 {
                            self.error(
                                call.span,
                                "this header has a varbit field: 'extract' needs its size as second argument",
                            );
                        }
                        true
                    }
                    Type::Variable(_) | Type::Unknown => true,
                    Type::Union(_) => !two,
                    _ => inner.args.first().is_none_or(|arg| arg.value.is_none()),
                };
                if !fine {
                    let message = format!("'extract' reads headers, not '{}'", self.show(&first));
                    self.error(call.span, message);
                }
            }
            ("packet_in", "lookahead") => {
                if self.has_variables(&first) {
                    return;
                }
                let smallest = self.size_in_bits(&first, false);
                if smallest.is_none() || smallest != self.size_in_bits(&first, true) {
                    let message = format!("'lookahead' needs a type of fixed size, not '{}'", self.show(&first));
                    self.error(call.span, message);
                }
            }
            ("packet_out", "emit") if !self.can_be_emitted(&first) => {
                let message = format!(
                    "'emit' writes headers, stacks, unions and structures of them, not '{}'",
                    self.show(&first)
                );
                self.error(call.span, message);
            }
            _ => {}
        }
    }

    fn can_be_emitted(&self, ty: &Type) -> bool {
        match ty {
            Type::Header(_) | Type::Union(_) | Type::Stack(..) | Type::Variable(_) | Type::Unknown => true,
            Type::Struct(id) => self.field_types(*id).iter().all(|field| self.can_be_emitted(field)),
            Type::Tuple(items) => items.iter().all(|item| self.can_be_emitted(item)),
            _ => false,
        }
    }
}
