//! Operators.

use super::Checker;
use crate::eval;
use crate::typed::{BinaryOp, Expr, ExprKind, Span, Type, UnaryOp, Value};
use num_traits::{Signed, Zero};
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn unary(&mut self, op: ast::UnaryOp, operand: &'a ast::Expr, span: Span) -> Expr {
        let value = self.expr(operand, None);
        if matches!(value.ty, Type::Unknown) {
            return self.wrong(span);
        }
        let (op, value) = match op {
            ast::UnaryOp::Not => (UnaryOp::Not, self.coerce(value, &Type::Bool)),
            ast::UnaryOp::BitNot => (UnaryOp::BitNot, self.plain_number(value)),
            ast::UnaryOp::Negate => (UnaryOp::Negate, self.plain_number(value)),
            ast::UnaryOp::Plus => {
                let mut value = self.plain_number(value);
                if !self.is_number(&value.ty) {
                    return self.refuse_unary("+", &value, span);
                }
                value.span = span;
                return value;
            }
        };
        let fine = match op {
            UnaryOp::Not => true,
            UnaryOp::BitNot => matches!(value.ty, Type::Bit(_) | Type::Int(_)),
            UnaryOp::Negate => self.is_number(&value.ty),
        };
        if !fine {
            let symbol = if op == UnaryOp::BitNot { "~" } else { "-" };
            return self.refuse_unary(symbol, &value, span);
        }
        let ty = value.ty.clone();
        let kind = ExprKind::Unary(op, Box::new(value));
        eval::fold(&self.program, Expr { kind, ty, span })
    }

    fn refuse_unary(&mut self, symbol: &str, value: &Expr, span: Span) -> Expr {
        let ty = &value.ty;
        if matches!(ty, Type::Unknown) {
            return self.wrong(span);
        }
        let message = format!("operator '{symbol}' is not defined for '{}'", self.show(ty));
        // Of a value that is known, p4c says so before it looks at types.
        let kind = match value.kind {
            ExprKind::Literal(Value::Bool(_)) => Kind::Expected,
            _ => Kind::TypeError,
        };
        let diagnostic = self.error_of(kind, span, message);
        if matches!(ty, Type::Integer) {
            diagnostic.help("give the number a width, as in 8w5");
        }
        self.wrong(span)
    }

    fn is_number(&self, ty: &Type) -> bool {
        matches!(ty, Type::Bit(_) | Type::Int(_) | Type::Integer)
    }

    pub(super) fn binary(&mut self, op: ast::BinaryOp, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> Expr {
        // Literals without a type of their own take that of the other side.
        let (left, right) = if takes_type(left) && !takes_type(right) {
            let right = self.expr(right, None);
            let ty = right.ty.clone();
            (self.expr(left, Some(&ty)), right)
        } else {
            let left = self.expr(left, None);
            let ty = left.ty.clone();
            let want = if takes_type(right) { Some(&ty) } else { None };
            let right = self.expr(right, want);
            (left, right)
        };
        self.binary_of(op, left, right, span)
    }

    /// The operator on operands that are checked already.
    pub(super) fn binary_of(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let broken = |expr: &Expr| matches!(expr.ty, Type::Unknown);
        if broken(&left) || broken(&right) {
            return self.wrong(span);
        }
        use ast::BinaryOp as Op;
        match op {
            Op::And | Op::Or => {
                let left = self.coerce(left, &Type::Bool);
                let right = self.coerce(right, &Type::Bool);
                self.finish(op, left, right, Type::Bool, span)
            }
            Op::Equal | Op::NotEqual => self.equality(op, left, right, span),
            Op::ShiftLeft | Op::ShiftRight => self.shift(op, left, right, span),
            Op::Concat => self.concat(left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    fn finish(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
        if matches!(left.kind, ExprKind::Invalidated) || matches!(right.kind, ExprKind::Invalidated) {
            return self.wrong(span);
        }
        let keeps_low_bits = matches!(
            op,
            ast::BinaryOp::Add
                | ast::BinaryOp::Sub
                | ast::BinaryOp::Mul
                | ast::BinaryOp::BitAnd
                | ast::BinaryOp::BitOr
                | ast::BinaryOp::BitXor
        );
        if !keeps_low_bits && (self.is_running_integer(&left) || self.is_running_integer(&right)) {
            self.error(span, "this needs numbers of any size while the program runs")
                .help("cast to bit<W> or int<W> first");
            return self.wrong(span);
        }
        let literal = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(_));
        let both = literal(&left) && literal(&right);
        let kind = ExprKind::Binary(operator(op), Box::new(left), Box::new(right));
        let folded = eval::fold(&self.program, Expr { kind, ty, span });
        if both && !literal(&folded) && matches!(folded.ty, Type::Integer) {
            self.error_of(Kind::Unsupported, span, "the result of this calculation is too large");
            return self.wrong(span);
        }
        folded
    }

    fn refuse_binary(&mut self, op: ast::BinaryOp, left: &Expr, right: &Expr, span: Span) -> Expr {
        if matches!(left.ty, Type::Unknown) || matches!(right.ty, Type::Unknown) {
            return self.wrong(span);
        }
        let message = format!(
            "operator '{}' is not defined for '{}' and '{}'",
            op.symbol(),
            self.show(&left.ty),
            self.show(&right.ty)
        );
        let widths =
            matches!((&left.ty, &right.ty), (Type::Bit(a), Type::Bit(b)) | (Type::Int(a), Type::Int(b)) if a != b);
        let diagnostic = self.error(span, message);
        if widths {
            diagnostic.help("the widths differ: cast one side");
        }
        self.wrong(span)
    }

    /// Brings two numbers to the same type; false if they have none in common.
    fn same_numbers(&mut self, left: Expr, right: Expr) -> (Expr, Expr, bool) {
        let (left, right) = (self.plain_number(left), self.plain_number(right));
        if !self.is_number(&left.ty) || !self.is_number(&right.ty) {
            return (left, right, false);
        }
        if left.ty != right.ty && matches!(left.ty, Type::Integer) {
            let ty = right.ty.clone();
            return (self.coerce(left, &ty), right, true);
        }
        if left.ty != right.ty && matches!(right.ty, Type::Integer) {
            let ty = left.ty.clone();
            let right = self.coerce(right, &ty);
            return (left, right, true);
        }
        let same = left.ty == right.ty;
        (left, right, same)
    }

    fn arithmetic(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        use ast::BinaryOp as Op;
        let divides = matches!(op, Op::Div | Op::Mod);
        let zero = divides && matches!(&right.kind, ExprKind::Literal(Value::Int(number)) if number.is_zero());
        let (left, right, same) = self.same_numbers(left, right);
        if !same {
            return self.refuse_binary(op, &left, &right, span);
        }
        let ty = left.ty.clone();
        let compares = matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
        if zero {
            self.error_of(Kind::Expression, span, "division by zero");
            return self.wrong(span);
        }
        let bad_division = divides && matches!(ty, Type::Int(_));
        let bad_saturation = matches!(op, Op::SaturatingAdd | Op::SaturatingSub) && matches!(ty, Type::Integer);
        if bad_division || bad_saturation {
            return self.refuse_binary(op, &left, &right, span);
        }
        let negative =
            |expr: &Expr| matches!(&expr.kind, ExprKind::Literal(Value::Int(number)) if number.is_negative());
        if divides && (negative(&left) || negative(&right)) {
            let message = format!("operator '{}' is not defined for negative numbers", op.symbol());
            self.error_of(Kind::Invalid, span, message);
            return self.wrong(span);
        }
        // Nothing divided by anything is nothing.
        if divides && matches!(&left.kind, ExprKind::Literal(Value::Int(number)) if number.is_zero()) {
            let kind = if right.has_effects() {
                ExprKind::Binary(BinaryOp::BitAnd, Box::new(left), Box::new(right))
            } else {
                left.kind
            };
            return Expr { kind, ty, span };
        }
        let result = if compares { Type::Bool } else { ty };
        self.finish(op, left, right, result, span)
    }

    fn shift(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, mut right) = (self.plain_number(left), self.plain_number(right));
        if !self.is_number(&left.ty) || !self.is_number(&right.ty) {
            return self.refuse_binary(op, &left, &right, span);
        }
        if let ExprKind::Literal(Value::Int(amount)) = &right.kind {
            if amount.is_negative() {
                self.error_of(Kind::Invalid, right.span, format!("cannot shift by a negative number ({amount})"));
                return self.wrong(span);
            }
            if let Type::Bit(width) | Type::Int(width) = left.ty
                && *amount >= width.into()
            {
                let message = format!("shifting '{}' by {amount} leaves nothing of it", self.show(&left.ty));
                self.diagnostics.warning_of(Kind::Overflow, span, message);
            }
        }
        if matches!(right.ty, Type::Int(_)) && !matches!(right.kind, ExprKind::Literal(_)) {
            let message = format!("cannot shift by a signed number of type '{}'", self.show(&right.ty));
            self.error(right.span, message);
            return self.wrong(span);
        }
        if matches!(left.ty, Type::Integer) && !eval::is_known(&self.program, &right) {
            self.error(
                left.span,
                "a number without width cannot be shifted by a value that is not known at compile time",
            )
            .help("give the number a width, as in 8w5");
            return self.wrong(span);
        }
        let ty = left.ty.clone();
        // The amount of a constant shift stays a number with the width it needs.
        if matches!(right.ty, Type::Integer)
            && !matches!(ty, Type::Integer)
            && let ExprKind::Literal(Value::Int(amount)) = &right.kind
        {
            let width = u32::try_from(amount.bits()).unwrap_or(u32::MAX).max(1);
            right.ty = Type::Bit(width);
        }
        let shifted = self.finish(op, left, right, ty, span);
        if matches!(shifted.ty, Type::Integer) && !eval::is_known(&self.program, &shifted) {
            return self.wrong(span);
        }
        shifted
    }

    fn concat(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = (self.plain_number(left), self.plain_number(right));
        let ty = match (&left.ty, &right.ty) {
            (Type::String, Type::String) => Type::String,
            (Type::Bit(a), Type::Bit(b) | Type::Int(b)) => Type::Bit(a.saturating_add(*b)),
            (Type::Int(a), Type::Bit(b) | Type::Int(b)) => Type::Int(a.saturating_add(*b)),
            _ => return self.refuse_binary(ast::BinaryOp::Concat, &left, &right, span),
        };
        if let Type::Bit(width) | Type::Int(width) = ty
            && width > p4_syntax::lexer::MAX_WIDTH
        {
            self.error_of(Kind::Unsupported, span, format!("the result would have {width} bits"));
            return self.wrong(span);
        }
        self.finish(ast::BinaryOp::Concat, left, right, ty, span)
    }

    fn equality(&mut self, op: ast::BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (left, right) = self.same_type(left, right);
        let (Some(left), Some(right)) = (left, right) else {
            return self.wrong(span);
        };
        if left.ty != right.ty {
            return self.refuse_binary(op, &left, &right, span);
        }
        let fine = self.is_comparable(&left.ty);
        if !fine {
            return self.refuse_binary(op, &left, &right, span);
        }
        self.finish(op, left, right, Type::Bool, span)
    }

    fn is_comparable(&self, ty: &Type) -> bool {
        match ty {
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
                self.field_types(*id).iter().all(|field| self.is_comparable(field))
            }
            Type::Tuple(items) => items.iter().all(|item| self.is_comparable(item)),
            Type::Stack(element, _) | Type::List(element) => self.is_comparable(element),
            Type::Void | Type::Variable(_) => false,
            ty => !Self::is_object(ty),
        }
    }

    /// Brings two values to one type by implicit conversions, as far as there are some.
    fn same_type(&mut self, left: Expr, right: Expr) -> (Option<Expr>, Option<Expr>) {
        if left.ty == right.ty {
            return (Some(left), Some(right));
        }
        let literal = |expr: &Expr| matches!(expr.kind, ExprKind::List(_) | ExprKind::Struct(_));
        let (free_left, free_right) = (
            literal(&left) && (matches!(left.ty, Type::Tuple(_)) || self.is_anonymous(&left.ty)),
            literal(&right) && (matches!(right.ty, Type::Tuple(_)) || self.is_anonymous(&right.ty)),
        );
        if self.converts(&left.ty, &right.ty) || free_left && !free_right {
            let ty = right.ty.clone();
            return (Some(self.coerce(left, &ty)), Some(right));
        }
        if self.converts(&right.ty, &left.ty) || free_right {
            let ty = left.ty.clone();
            let right = self.coerce(right, &ty);
            return (Some(left), Some(right));
        }
        // A serializable enumeration against a number.
        if matches!(left.ty, Type::Enum(_)) != matches!(right.ty, Type::Enum(_)) {
            let (left, right) = (self.plain_number(left), self.plain_number(right));
            let (left, right, _) = self.same_numbers(left, right);
            return (Some(left), Some(right));
        }
        (Some(left), Some(right))
    }

    pub(super) fn ternary(
        &mut self,
        condition: &'a ast::Expr,
        yes: &'a ast::Expr,
        no: &'a ast::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let condition = self.condition(condition);
        let yes = self.expr(yes, want);
        let no = self.expr(no, want);
        if matches!(yes.ty, Type::Unknown) || matches!(no.ty, Type::Unknown) {
            return self.wrong(span);
        }
        let (yes, no) = self.same_type(yes, no);
        let (Some(yes), Some(no)) = (yes, no) else {
            return self.wrong(span);
        };
        if yes.ty != no.ty {
            let message = format!(
                "the two values of '? :' have different types: '{}' and '{}'",
                self.show(&yes.ty),
                self.show(&no.ty)
            );
            self.error(span, message);
            return self.wrong(span);
        }
        if matches!(yes.ty, Type::Integer) && !eval::is_known(&self.program, &condition) {
            self.error(span, "neither value of '? :' has a width").help("give one of them a width, as in 8w5");
            return self.wrong(span);
        }
        let ty = yes.ty.clone();
        let kind = ExprKind::Ternary { condition: Box::new(condition), yes: Box::new(yes), no: Box::new(no) };
        eval::fold(&self.program, Expr { kind, ty, span })
    }
}

/// Does a literal get its type from its surroundings?
fn takes_type(expr: &ast::Expr) -> bool {
    matches!(
        expr.kind,
        ast::ExprKind::List(_) | ast::ExprKind::Struct { .. } | ast::ExprKind::Invalid | ast::ExprKind::Dots
    )
}

/// From the syntax tree's operator to the typed one.
pub(super) fn operator(op: ast::BinaryOp) -> BinaryOp {
    use ast::BinaryOp as Op;
    match op {
        Op::Add => BinaryOp::Add,
        Op::Sub => BinaryOp::Sub,
        Op::SaturatingAdd => BinaryOp::SaturatingAdd,
        Op::SaturatingSub => BinaryOp::SaturatingSub,
        Op::Mul => BinaryOp::Mul,
        Op::Div => BinaryOp::Div,
        Op::Mod => BinaryOp::Mod,
        Op::ShiftLeft => BinaryOp::ShiftLeft,
        Op::ShiftRight => BinaryOp::ShiftRight,
        Op::BitAnd => BinaryOp::BitAnd,
        Op::BitOr => BinaryOp::BitOr,
        Op::BitXor => BinaryOp::BitXor,
        Op::Concat => BinaryOp::Concat,
        Op::And => BinaryOp::And,
        Op::Or => BinaryOp::Or,
        Op::Equal => BinaryOp::Equal,
        Op::NotEqual => BinaryOp::NotEqual,
        Op::Less => BinaryOp::Less,
        Op::LessEqual => BinaryOp::LessEqual,
        Op::Greater => BinaryOp::Greater,
        Op::GreaterEqual => BinaryOp::GreaterEqual,
    }
}
