//! Expressions: the dispatch, names, indices and slices.

use super::Checker;
use super::scope::Symbol;
use crate::eval;
use crate::typed::{Expr, ExprKind, Object, Span, Type, Value, VarId, VariableKind};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    /// Checks an expression and makes it a value of type `ty`.
    pub(super) fn expr_as(&mut self, expr: &'a ast::Expr, ty: &Type) -> Expr {
        let value = self.expr(expr, Some(ty));
        self.coerce(value, ty)
    }

    /// Checks an expression. `want` is the type that the surroundings ask for: it gives literals of structures
    /// and lists their type, but the result may still be of another one.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr, want: Option<&Type>) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Integer(number, width, _) => self.number(number, *width, span),
            ast::ExprKind::Bool(value) => self.literal(Value::Bool(*value), Type::Bool, span),
            ast::ExprKind::String(text) => self.literal(Value::String(text.clone()), Type::String, span),
            ast::ExprKind::Dots => match want {
                Some(ty) => self.default_value(&ty.clone(), span),
                None => {
                    self.error(span, "'...' is only allowed where the type of the value is known");
                    self.wrong(span)
                }
            },
            ast::ExprKind::This => self.this(span),
            ast::ExprKind::Path(path) => self.path(path, span),
            ast::ExprKind::Type(ty) => {
                self.resolve_type(ty);
                self.error(span, "a type is not a value");
                self.wrong(span)
            }
            ast::ExprKind::Index(base, index) => self.index(base, index, span),
            ast::ExprKind::Slice(base, high, low) => self.slice(base, high, low, span),
            ast::ExprKind::PlusSlice(base, low, width) => self.plus_slice(base, low, width, span),
            ast::ExprKind::List(items) => self.list(items, want, span),
            ast::ExprKind::Struct { fields, dots } => self.structure_literal(fields, *dots, want, span),
            ast::ExprKind::Invalid => self.invalid_literal(want, span),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ast::ExprKind::Ternary(condition, yes, no) => self.ternary(condition, yes, no, want, span),
            ast::ExprKind::Member(base, name) => self.member(base, name, span),
            ast::ExprKind::Call { callee, type_args, args } => self.call(callee, type_args, args, want, span),
            ast::ExprKind::Construct { ty, args } => self.construct(ty, args, want, span),
            ast::ExprKind::Cast(ty, value) => {
                let to = self.value_type(ty);
                let value = self.expr(value, Some(&to));
                self.explicit_cast(value, &to, span)
            }
            ast::ExprKind::Any | ast::ExprKind::Mask(..) | ast::ExprKind::Range(..) | ast::ExprKind::Tuple(_) => {
                self.error(span, "a set of values is not allowed here");
                self.wrong(span)
            }
            ast::ExprKind::Invalidated => self.wrong(span),
        }
    }

    /// Checks an expression that has to be `bool`.
    pub(super) fn condition(&mut self, expr: &'a ast::Expr) -> Expr {
        self.expr_as(expr, &Type::Bool)
    }

    fn number(&mut self, number: &BigInt, width: Option<(u32, bool)>, span: Span) -> Expr {
        let Some((width, signed)) = width else {
            return self.literal(Value::Int(number.clone()), Type::Integer, span);
        };
        if signed && width < 1 {
            self.error_of(Kind::Invalid, span, "an int<W> needs at least one bit");
            return self.wrong(span);
        }
        let ty = if signed { Type::Int(width) } else { Type::Bit(width) };
        let kept = eval::wrap(number, &ty);
        if kept != *number {
            let message = format!("{number} does not fit into '{}'; {kept} is left of it", self.show(&ty));
            self.diagnostics.warning_of(Kind::Overflow, span, message);
        }
        self.literal(Value::Int(kept), ty, span)
    }

    fn this(&mut self, span: Span) -> Expr {
        match self.context.this {
            Some(id) => Expr { kind: ExprKind::Object(Object::Instance(id)), ty: self.program[id].ty.clone(), span },
            None => {
                self.error_of(Kind::Invalid, span, "'this' only has a meaning in the initializer of an instance");
                self.wrong(span)
            }
        }
    }

    fn path(&mut self, path: &ast::Path, span: Span) -> Expr {
        match self.find(path) {
            None => {
                self.report_unknown(&path.name, "name");
                self.wrong(span)
            }
            Some(Symbol::Variable(id)) => self.variable_use(id, span),
            Some(Symbol::Instance(id)) => {
                Expr { kind: ExprKind::Object(Object::Instance(id)), ty: self.program[id].ty.clone(), span }
            }
            Some(Symbol::Wrong) => self.wrong(span),
            Some(other) => {
                let message = format!("'{}' is {}, not a value", path.name.name, other.describe());
                self.error(span, message);
                self.wrong(span)
            }
        }
    }

    fn variable_use(&mut self, id: VarId, span: Span) -> Expr {
        let variable = &self.program[id];
        let ty = variable.ty.clone();
        let kind = match &variable.kind {
            VariableKind::Constant(value) => {
                return Expr { span, ..(**value).clone() };
            }
            _ if Self::is_object(&ty) => ExprKind::Object(Object::Parameter(id)),
            _ => ExprKind::Var(id),
        };
        Expr { kind, ty, span }
    }

    fn index(&mut self, base: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        match base.ty.clone() {
            Type::Stack(element, size) => self.stack_element(base, index, (*element).clone(), Some(size), span),
            Type::List(element) => self.stack_element(base, index, (*element).clone(), None, span),
            Type::Tuple(items) => {
                let Some(position) = self.known_index_or(index, "the index into a tuple", Kind::TypeError) else {
                    return self.wrong(span);
                };
                let position = position as usize;
                let Some(ty) = items.get(position).cloned() else {
                    let message = format!("the tuple has {} elements, there is no element {position}", items.len());
                    self.error(index.span, message);
                    return self.wrong(span);
                };
                let base = Box::new(base);
                let kind = ExprKind::Field { base, field: position };
                eval::fold(&self.program, Expr { kind, ty, span })
            }
            Type::Unknown => {
                self.expr(index, None);
                self.wrong(span)
            }
            other => {
                let message = format!("a value of type '{}' has no elements", self.show(&other));
                self.error(span, message);
                self.wrong(span)
            }
        }
    }

    fn stack_element(
        &mut self,
        base: Expr,
        index: &'a ast::Expr,
        element: Type,
        size: Option<u32>,
        span: Span,
    ) -> Expr {
        let index = self.expr(index, None);
        let index = self.plain_number(index);
        match self.program.strip_new_types(&index.ty) {
            Type::Bit(_) | Type::Int(_) | Type::Integer | Type::Unknown => {}
            _ => {
                let message = format!("an index must be a number, not '{}'", self.show(&index.ty));
                self.error(index.span, message);
                return self.wrong(span);
            }
        }
        let mut index = index;
        if self.is_running_integer(&index) {
            index = self.narrow_integer(index, &Type::Bit(32));
        }
        if let ExprKind::Literal(Value::Int(number)) = &index.kind {
            let outside =
                number.is_negative() || size.is_some_and(|size| number.to_u32().is_none_or(|number| number >= size));
            if outside {
                let size = size.map_or_else(String::new, |size| format!(" of a stack with {size} elements"));
                let message = format!("there is no element {number}{size}");
                let kind = if number.bits() > 31 { Kind::Overlimit } else { Kind::TypeError };
                self.error_of(kind, index.span, message);
                return self.wrong(span);
            }
            if matches!(index.ty, Type::Integer) {
                index = self.cast_unchecked(index, Type::Bit(32), false);
            }
        }
        let (base, index) = (Box::new(base), Box::new(index));
        let kind = ExprKind::Index { base, index };
        eval::fold(&self.program, Expr { kind, ty: element, span })
    }

    fn slice(&mut self, base: &'a ast::Expr, high: &'a ast::Expr, low: &'a ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        let high_index = self.known_index(high, "the highest bit of a slice");
        let low_index = self.known_index(low, "the lowest bit of a slice");
        match (high_index, low_index) {
            (Some(high), Some(low)) => self.make_slice(base, high, low, span),
            _ => self.wrong(span),
        }
    }

    fn plus_slice(&mut self, base: &'a ast::Expr, low: &'a ast::Expr, width: &'a ast::Expr, span: Span) -> Expr {
        let base = self.expr(base, None);
        let Some(width) = self.known_index(width, "the width of a slice") else {
            return self.wrong(span);
        };
        if width == 0 {
            self.error_of(Kind::Expected, span, "a slice needs at least one bit");
            return self.wrong(span);
        }
        let start = self.expr(low, None);
        if matches!(start.kind, ExprKind::Literal(_) | ExprKind::Invalidated) {
            let Some(low) = self.known_index_or(low, "the lowest bit of a slice", Kind::TypeError) else {
                return self.wrong(span);
            };
            return self.make_slice(base, low.saturating_add(width - 1), low, span);
        }
        // The lowest bit is not known: the result is the lowest bits of the shifted value.
        let ty = base.ty.clone();
        let shifted = self.binary_of(ast::BinaryOp::ShiftRight, base, start, span);
        let ExprKind::Binary(_, base, low) = shifted.kind else {
            return self.make_slice(shifted, width - 1, 0, span);
        };
        match self.program.strip_new_types(&ty) {
            Type::Bit(bits) | Type::Int(bits) if width <= bits => {}
            _ => {
                let message = format!("'{}' does not have {width} bits", self.show(&ty));
                self.error(span, message);
                return self.wrong(span);
            }
        }
        Expr { kind: ExprKind::PlusSlice { base, low, width }, ty: Type::Bit(width), span }
    }

    fn make_slice(&mut self, base: Expr, high: u32, low: u32, span: Span) -> Expr {
        let base = self.plain_number(base);
        let width = match self.program.strip_new_types(&base.ty) {
            Type::Bit(width) | Type::Int(width) => width,
            Type::Integer => u32::MAX,
            Type::Unknown => return self.wrong(span),
            _ => {
                let message = format!("bits can be taken of bit<W> and int<W>, not of '{}'", self.show(&base.ty));
                self.error(span, message);
                return self.wrong(span);
            }
        };
        if high < low {
            self.error_of(Kind::Expected, span, format!("the highest bit ({high}) is below the lowest ({low})"));
            return self.wrong(span);
        }
        if high >= width {
            let message = format!("'{}' has no bit {high}", self.show(&base.ty));
            self.error(span, message);
            return self.wrong(span);
        }
        let base = Box::new(base);
        let slice = Expr { kind: ExprKind::Slice { base, high, low }, ty: Type::Bit(high - low + 1), span };
        eval::fold(&self.program, slice)
    }
}
