//! Annotations: their expressions become values.

use super::Checker;
use crate::typed::{Annotation, AnnotationBody, ExprKind, Value};
use p4_syntax::token::{Token, TokenKind};
use p4_syntax::{Kind, ast};
use std::rc::Rc;

impl<'a> Checker<'a> {
    pub(super) fn annotations(&mut self, list: &'a [ast::Annotation]) -> Vec<Annotation> {
        for (position, item) in list.iter().enumerate() {
            let structured = |item: &ast::Annotation| {
                matches!(item.body, ast::AnnotationBody::Expressions(_) | ast::AnnotationBody::Pairs(_))
            };
            let before = list[..position].iter().find(|other| other.name.name == item.name.name && structured(other));
            if let Some(before) = before.filter(|_| structured(item)) {
                let message = format!("structured annotation '@{}' is given twice", item.name.name);
                self.error_of(Kind::Duplicate, item.span, message).note_at(before.span, "given here before");
            }
        }
        list.iter().map(|item| self.annotation(item)).collect()
    }

    fn annotation(&mut self, item: &'a ast::Annotation) -> Annotation {
        let body = match &item.body {
            ast::AnnotationBody::Empty => AnnotationBody::Empty,
            ast::AnnotationBody::Tokens { tokens, expressions, pairs } => {
                self.token_body(tokens, expressions.as_deref(), pairs.as_deref())
            }
            ast::AnnotationBody::Expressions(list) => {
                let values = list.iter().filter_map(|expr| self.required_value(expr)).collect();
                AnnotationBody::Values(values)
            }
            ast::AnnotationBody::Pairs(pairs) => {
                let mut list: Vec<(Rc<str>, Value)> = Vec::new();
                for (name, expr) in pairs {
                    if list.iter().any(|(known, _)| *known == name.name) {
                        self.error_of(Kind::Duplicate, name.span, format!("'{}' is given twice", name.name));
                    }
                    if let Some(value) = self.required_value(expr) {
                        list.push((name.name.clone(), value));
                    }
                }
                AnnotationBody::Pairs(list)
            }
        };
        let name = item.name.name.clone();
        let match_kind = matches!(&body, AnnotationBody::Values(values)
            if matches!(values.as_slice(), [Value::MatchKind(_)]));
        let other_value = matches!(body, AnnotationBody::Values(_))
            || matches!(&item.body, ast::AnnotationBody::Tokens { expressions: Some(_), .. });
        if &*name == "match" && other_value && !match_kind {
            let kind = match &item.body {
                ast::AnnotationBody::Tokens { expressions: Some(list), .. } if list.len() == 1 => Kind::TypeError,
                _ => Kind::Invalid,
            };
            self.error_of(kind, item.span, "annotation '@match' needs a match kind in parentheses");
        }
        if matches!(&*name, "name" | "deprecated") && !has_string(&body) {
            let message = format!("annotation '@{name}' needs a string in parentheses");
            self.error_of(Kind::Invalid, item.span, message);
        }
        let text = match &item.body {
            ast::AnnotationBody::Tokens { tokens, .. } => Some(spell(tokens).into()),
            _ => None,
        };
        Annotation { name, body, text, span: item.span }
    }

    /// Free tokens: values if they can be understood as such, else their text.
    fn token_body(
        &mut self,
        tokens: &[Token],
        expressions: Option<&'a [ast::Expr]>,
        pairs: Option<&'a [(ast::Ident, ast::Expr)]>,
    ) -> AnnotationBody {
        if let Some(pairs) = pairs {
            let values: Option<Vec<(Rc<str>, Value)>> =
                pairs.iter().map(|(name, expr)| Some((name.name.clone(), self.simple_value(expr)?))).collect();
            if let Some(values) = values {
                return AnnotationBody::Pairs(values);
            }
        }
        if let Some(expressions) = expressions {
            let values: Option<Vec<Value>> = expressions.iter().map(|expr| self.simple_value(expr)).collect();
            if let Some(values) = values {
                return AnnotationBody::Values(values);
            }
        }
        AnnotationBody::Tokens(spell(tokens).into())
    }

    /// A value, without messages if it is none: literals and names of known values only.
    fn simple_value(&mut self, expr: &'a ast::Expr) -> Option<Value> {
        if !self.is_plain(expr) {
            return None;
        }
        match self.expr(expr, None).kind {
            ExprKind::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// Can it be evaluated without risk of a message?
    fn is_plain(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Integer(..) | ast::ExprKind::Bool(_) | ast::ExprKind::String(_) => true,
            ast::ExprKind::Path(path) => {
                matches!(self.find(path), Some(super::scope::Symbol::Variable(id))
                    if matches!(self.program[id].kind, crate::typed::VariableKind::Constant(_)))
            }
            ast::ExprKind::Unary(ast::UnaryOp::Negate, inner) => {
                matches!(inner.kind, ast::ExprKind::Integer(_, None, _))
            }
            ast::ExprKind::Binary(ast::BinaryOp::Concat, left, right) => is_text(left) && is_text(right),
            _ => false,
        }
    }

    /// A value of a structured annotation.
    fn required_value(&mut self, expr: &'a ast::Expr) -> Option<Value> {
        let value = self.expr(expr, None);
        match value.kind {
            ExprKind::Literal(value) => Some(value),
            ExprKind::Invalidated => None,
            _ => {
                self.error(
                    expr.span,
                    "a structured annotation takes numbers, strings and Booleans known at compile time",
                );
                None
            }
        }
    }
}

/// Strings and their concatenations.
fn is_text(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::String(_) => true,
        ast::ExprKind::Binary(ast::BinaryOp::Concat, left, right) => is_text(left) && is_text(right),
        _ => false,
    }
}

fn has_string(body: &AnnotationBody) -> bool {
    matches!(body, AnnotationBody::Values(values) if matches!(values.as_slice(), [Value::String(_)]))
}

/// The text of tokens with a space between them, as p4c writes them into P4Info.
fn spell(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        if !text.is_empty() {
            text.push(' ');
        }
        match &token.kind {
            TokenKind::Identifier(name) => text.push_str(name),
            TokenKind::Keyword(word) | TokenKind::Symbol(word) => text.push_str(word),
            TokenKind::Integer(literal) => text.push_str(&literal.spelling),
            TokenKind::String(value) => {
                // A string may go on over several lines.
                text.push_str(&format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")));
            }
            TokenKind::Unknown(c) => text.push(*c),
            TokenKind::End => {}
        }
    }
    text
}
