//! Expressions.

use super::{Abort, Parsed, Parser};
use crate::ast::{Argument, BinaryOp, Expr, ExprKind, Type, TypeKind, UnaryOp};
use crate::source::Span;
use crate::token::TokenKind;

/// Higher trees of expressions are refused (long chains of operators count, too), because later passes recurse.
const MAX_HEIGHT: u32 = 400;

/// Longer chains of one associative operator are no longer grouped to the left.
const MAX_CHAIN: usize = 64;

/// Does `(a op b) op c` mean `a op (b op c)`?
fn is_associative(operator: BinaryOp) -> bool {
    matches!(
        operator,
        BinaryOp::Or
            | BinaryOp::And
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::BitAnd
            | BinaryOp::Concat
            | BinaryOp::Add
            | BinaryOp::Mul
    )
}

impl Parser<'_> {
    /// Makes a node; `height` is that of its highest part.
    fn node(&mut self, kind: ExprKind, span: Span, height: u32) -> Parsed<Expr> {
        if height >= MAX_HEIGHT {
            self.error(span, format!("this expression has more than {MAX_HEIGHT} levels; split it"));
            return Err(Abort);
        }
        Ok(Expr { kind, span, depth: height + 1 })
    }

    /// Any expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::ternary)
    }

    /// Inside brackets `>` is an operator again.
    pub(super) fn with_greater<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::replace(&mut self.no_greater, false);
        let result = read(self);
        self.no_greater = before;
        result
    }

    /// `a ? b : c ? d : e`: a chain is no nesting for a reader, so it is read in a loop.
    fn ternary(&mut self) -> Parsed<Expr> {
        let mut choices = Vec::new();
        let mut last = self.binary(0)?;
        while self.eat("?") {
            let yes = self.expression()?;
            self.expect(":", "between the two values of '? :'")?;
            let next = self.binary(0)?;
            choices.push((std::mem::replace(&mut last, next), yes));
        }
        while let Some((condition, yes)) = choices.pop() {
            let span = condition.span.to(last.span);
            let height = condition.depth.max(yes.depth).max(last.depth);
            let kind = ExprKind::Ternary(Box::new(condition), Box::new(yes), Box::new(last));
            last = self.node(kind, span, height)?;
        }
        Ok(last)
    }

    /// The operator here, with its strength and its number of tokens.
    fn binary_operator(&self) -> Option<(BinaryOp, u8, usize)> {
        let TokenKind::Symbol(text) = self.token().kind else {
            return None;
        };
        let second = self.token_at(1);
        let shift = text == ">" && !second.space_before && (second.is(">") || second.is(">="));
        if self.no_greater && matches!(text, ">" | ">=") {
            return None;
        }
        if shift {
            // `>>=` is an assignment.
            return second.is(">").then_some((BinaryOp::ShiftRight, 8, 2));
        }
        Some(match text {
            "||" => (BinaryOp::Or, 1, 1),
            "&&" => (BinaryOp::And, 2, 1),
            "==" => (BinaryOp::Equal, 3, 1),
            "!=" => (BinaryOp::NotEqual, 3, 1),
            "<" => (BinaryOp::Less, 4, 1),
            "<=" => (BinaryOp::LessEqual, 4, 1),
            ">" => (BinaryOp::Greater, 4, 1),
            ">=" => (BinaryOp::GreaterEqual, 4, 1),
            "|" => (BinaryOp::BitOr, 5, 1),
            "^" => (BinaryOp::BitXor, 6, 1),
            "&" => (BinaryOp::BitAnd, 7, 1),
            "<<" => (BinaryOp::ShiftLeft, 8, 1),
            "++" => (BinaryOp::Concat, 9, 1),
            "+" => (BinaryOp::Add, 9, 1),
            "-" => (BinaryOp::Sub, 9, 1),
            "|+|" => (BinaryOp::SaturatingAdd, 9, 1),
            "|-|" => (BinaryOp::SaturatingSub, 9, 1),
            "*" => (BinaryOp::Mul, 10, 1),
            "/" => (BinaryOp::Div, 10, 1),
            "%" => (BinaryOp::Mod, 10, 1),
            _ => return None,
        })
    }

    /// Operators of at least strength `least`; all of them group to the left.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut operands = vec![self.unary()?];
        let mut present = None;
        while let Some((operator, strength, tokens)) = self.binary_operator() {
            if strength < least {
                break;
            }
            self.position += tokens;
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            if present.is_some_and(|present| present != operator || !is_associative(operator)) {
                operands = vec![self.joined(present, operands)?];
            }
            present = Some(operator);
            operands.push(right);
        }
        self.joined(present, operands)
    }

    /// Joins a chain of operands by one operator.
    ///
    /// A long chain of an associative operator becomes a tree of little height, because later passes, and switches that
    /// load it, recurse.
    fn joined(&mut self, operator: Option<BinaryOp>, mut operands: Vec<Expr>) -> Parsed<Expr> {
        if operands.len() > MAX_CHAIN {
            let right = operands.split_off(operands.len() / 2);
            operands = vec![self.joined(operator, operands)?, self.joined(operator, right)?];
        }
        let mut operands = operands.into_iter();
        let Some(mut left) = operands.next() else { return Err(Abort) };
        for right in operands {
            let Some(operator) = operator else { return Err(Abort) };
            let span = left.span.to(right.span);
            let height = left.depth.max(right.depth);
            left = self.node(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span, height)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match &self.token().kind {
            TokenKind::Symbol("!") => UnaryOp::Not,
            TokenKind::Symbol("~") => UnaryOp::BitNot,
            TokenKind::Symbol("-") => UnaryOp::Negate,
            TokenKind::Symbol("+") => UnaryOp::Plus,
            TokenKind::Symbol("(") => {
                if let Some(ty) = self.cast_type() {
                    let value = self.nested(Self::unary)?;
                    let span = start.to(value.span);
                    let height = value.depth;
                    return self.node(ExprKind::Cast(ty, Box::new(value)), span, height);
                }
                return self.postfix();
            }
            _ => return self.postfix(),
        };
        self.advance();
        let value = self.nested(Self::unary)?;
        let span = start.to(value.span);
        let height = value.depth;
        self.node(ExprKind::Unary(operator, Box::new(value)), span, height)
    }

    /// `(T)`, if it is one.
    fn cast_type(&mut self) -> Option<Type> {
        self.attempt(|parser| {
            parser.advance();
            if !parser.at_type() {
                return Ok(None);
            }
            let ty = parser.with_greater(Self::type_ref)?;
            Ok(parser.eat(")").then_some(ty))
        })
    }

    /// A primary expression and its suffixes: members, indices, slices, calls.
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let mut base = self.primary()?;
        loop {
            let start = base.span;
            let height = base.depth;
            if self.eat(".") {
                let name = self.name("the name of a field or method after '.'")?;
                let span = start.to(name.span);
                base = self.node(ExprKind::Member(Box::new(base), name), span, height)?;
            } else if self.at("[") {
                base = self.index(base)?;
            } else if self.at("(") {
                let args = self.arguments()?;
                base = self.call(base, Vec::new(), args)?;
            } else if self.at("<") && matches!(base.kind, ExprKind::Path(_) | ExprKind::Member(..)) {
                let Some(type_args) = self.call_type_args() else {
                    return Ok(base);
                };
                let args = self.arguments()?;
                base = self.call(base, type_args, args)?;
            } else {
                return Ok(base);
            }
        }
    }

    fn call(&mut self, callee: Expr, type_args: Vec<Type>, args: Vec<Argument>) -> Parsed<Expr> {
        let span = callee.span.to(self.previous_span());
        let height = args.iter().map(|arg| arg.value.depth).fold(callee.depth, u32::max);
        let callee = Box::new(callee);
        let kind = ExprKind::Call { callee, type_args, args };
        self.node(kind, span, height)
    }

    /// `<A, B>` before the parenthesis of a call; None if it is a comparison.
    fn call_type_args(&mut self) -> Option<Vec<Type>> {
        self.attempt(|parser| {
            parser.advance();
            if !parser.at_type() && !parser.at("_") {
                return Ok(None);
            }
            let list = parser.list_until(">", "", Self::type_arg)?;
            Ok(parser.at("(").then_some(list))
        })
    }

    fn index(&mut self, base: Expr) -> Parsed<Expr> {
        self.advance();
        let (base_span, base_depth) = (base.span, base.depth);
        let first = self.with_greater(Self::expression)?;
        let mut height = base_depth.max(first.depth);
        let kind = if self.eat(":") {
            let second = self.with_greater(Self::expression)?;
            height = height.max(second.depth);
            ExprKind::Slice(Box::new(base), Box::new(first), Box::new(second))
        } else if self.eat("+:") {
            let second = self.with_greater(Self::expression)?;
            height = height.max(second.depth);
            ExprKind::PlusSlice(Box::new(base), Box::new(first), Box::new(second))
        } else {
            ExprKind::Index(Box::new(base), Box::new(first))
        };
        let end = self.expect("]", "after the index")?;
        self.node(kind, base_span.to(end), height)
    }

    /// `(a, name = b, _)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect("(", "before the arguments")?;
        self.with_greater(|parser| {
            parser.list_until(")", "after an argument", |parser| {
                let named = parser.peek_name(0).is_some() && parser.next_is(1, "=");
                let name = if named {
                    let name = parser.name("the name of a parameter")?;
                    parser.advance();
                    Some(name)
                } else {
                    None
                };
                let span = parser.span();
                let value = if parser.eat("_") { parser.node(ExprKind::Any, span, 0)? } else { parser.expression()? };
                Ok(Argument { name, value })
            })
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        if self.at_type() {
            return self.type_expression();
        }
        let kind = match self.token().kind.clone() {
            TokenKind::Integer(literal) => ExprKind::Integer(literal.value, literal.width, literal.radix),
            TokenKind::String(text) => ExprKind::String(text),
            TokenKind::Keyword("true") => ExprKind::Bool(true),
            TokenKind::Keyword("false") => ExprKind::Bool(false),
            TokenKind::Keyword("this") => ExprKind::This,
            TokenKind::Symbol("...") => ExprKind::Dots,
            TokenKind::Symbol("{#}") => ExprKind::Invalid,
            TokenKind::Symbol("{") => return self.braces(),
            TokenKind::Symbol("(") => {
                self.advance();
                let mut inner = self.with_greater(Self::expression)?;
                let end = self.expect(")", "to close the parenthesis")?;
                inner.span = span.to(end);
                return Ok(inner);
            }
            _ => {
                if self.peek_name(0).is_none() && !self.at(".") {
                    return self.fail("an expression");
                }
                let path = self.path("a name after '.'")?;
                let span = span.to(path.name.span);
                return self.node(ExprKind::Path(path), span, 0);
            }
        };
        self.advance();
        self.node(kind, span, 0)
    }

    /// A type that begins an expression: `E.a`, `T<A>(x)`, `error.X`.
    fn type_expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = if self.eat("error") {
            TypeKind::Error
        } else if self.peek_name(0).is_some() || self.at(".") {
            self.named_type()?
        } else {
            return self.fail("an expression");
        };
        let ty = Type { kind, span: start.to(self.previous_span()) };
        if self.at("(") {
            let args = self.arguments()?;
            let height = args.iter().map(|arg| arg.value.depth).fold(0, u32::max);
            let span = start.to(self.previous_span());
            return self.node(ExprKind::Construct { ty, args }, span, height);
        }
        if !self.at(".") {
            return self.fail("'.' or '(' after the name of a type in an expression");
        }
        let span = ty.span;
        self.node(ExprKind::Type(ty), span, 0)
    }

    /// `{ a, b }` or `{ a = x, … }`
    fn braces(&mut self) -> Parsed<Expr> {
        let start = self.advance().span;
        self.with_greater(|parser| {
            let has_names = parser.peek_name(0).is_some() && parser.next_is(1, "=");
            if !has_names {
                let items = parser.list_until("}", "in the list", Self::expression)?;
                let height = items.iter().map(|item| item.depth).fold(0, u32::max);
                let span = start.to(parser.previous_span());
                return parser.node(ExprKind::List(items), span, height);
            }
            let mut fields = Vec::new();
            let mut dots = false;
            while !parser.eat("}") {
                if dots {
                    return parser.fail("'}' after '...'");
                }
                if parser.eat("...") {
                    dots = true;
                } else {
                    let name = parser.name("the name of a field")?;
                    parser.expect("=", "after the name of a field")?;
                    fields.push((name, parser.expression()?));
                }
                if !parser.eat(",") && !parser.at("}") {
                    return parser.fail("',' or '}' after a field's value");
                }
            }
            parser.refuse_twice("field", "given", fields.iter().map(|(name, _)| name));
            let height = fields.iter().map(|(_, value)| value.depth).fold(0, u32::max);
            let span = start.to(parser.previous_span());
            parser.node(ExprKind::Struct { fields, dots }, span, height)
        })
    }

    // ---- sets of values ----

    /// One set: `default`, `_`, a value, `a &&& b`, `a .. b`.
    pub(super) fn simple_set(&mut self) -> Parsed<Expr> {
        let span = self.span();
        if self.eat("default") || self.eat("_") {
            return self.node(ExprKind::Any, span, 0);
        }
        let first = self.expression()?;
        let mask = self.eat("&&&");
        if !mask && !self.eat("..") {
            return Ok(first);
        }
        let second = self.expression()?;
        let span = span.to(second.span);
        let height = first.depth.max(second.depth);
        let kind = if mask {
            ExprKind::Mask(Box::new(first), Box::new(second))
        } else {
            ExprKind::Range(Box::new(first), Box::new(second))
        };
        self.node(kind, span, height)
    }

    /// One set, or several in parentheses.
    pub(super) fn key_set(&mut self) -> Parsed<Expr> {
        if self.at("(")
            && let Some(tuple) = self.attempt(Self::set_tuple)
        {
            return Ok(tuple);
        }
        self.simple_set()
    }

    /// `(a, b)`, or `(a)` where `a` cannot be an expression.
    fn set_tuple(&mut self) -> Parsed<Option<Expr>> {
        let start = self.advance().span;
        let first = self.with_greater(Self::simple_set)?;
        let single = matches!(first.kind, ExprKind::Any | ExprKind::Mask(..) | ExprKind::Range(..));
        let mut height = first.depth;
        let mut sets = vec![first];
        if self.at(",") {
            while self.eat(",") && !self.at(")") {
                let next = self.with_greater(Self::simple_set)?;
                height = height.max(next.depth);
                sets.push(next);
            }
        } else if !single {
            return Ok(None);
        }
        let end = self.expect(")", "after the sets")?;
        if !self.at(":") {
            return Ok(None);
        }
        self.node(ExprKind::Tuple(sets), start.to(end), height).map(Some)
    }
}
