//! The expressions of `#if` and `#elif`.

use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::token::{Token, TokenKind};
use num_traits::ToPrimitive;

/// Parentheses nested deeper than this are refused.
const MAX_DEPTH: usize = 64;

/// The value of a condition; macros are expanded already, what is left of names counts as 0.
pub fn evaluate(tokens: &[Token], place: Span, diagnostics: &mut Diagnostics) -> bool {
    let mut reader = Condition { tokens, index: 0, depth: 0, divided_by_zero: false };
    let value = reader.ternary();
    match value {
        Some(value) if reader.index == tokens.len() => value != 0,
        None if reader.divided_by_zero => {
            diagnostics.error(place, "division by zero in a condition");
            false
        }
        _ => {
            let span = tokens.get(reader.index).map_or(place, |token| token.span);
            let found = tokens.get(reader.index).map_or_else(|| "end of line".to_owned(), Token::describe);
            diagnostics
                .error(span, format!("in a condition: expected a number, 'defined' or an operator, found {found}"));
            false
        }
    }
}

struct Condition<'a> {
    tokens: &'a [Token],
    index: usize,
    depth: usize,
    divided_by_zero: bool,
}

/// Operators with two operands by binding strength, weakest first. `>>` is two tokens.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Condition<'_> {
    fn at(&self, text: &str) -> bool {
        self.tokens.get(self.index).is_some_and(|token| token.is(text))
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.index += 1;
        }
        found
    }

    fn ternary(&mut self) -> Option<i64> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Some(condition);
        }
        let yes = self.ternary()?;
        if !self.eat(":") {
            return None;
        }
        let no = self.ternary()?;
        Some(if condition != 0 { yes } else { no })
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        for text in *LEVELS.get(level)? {
            if *text == ">>" {
                let second = self.tokens.get(self.index + 1);
                if self.at(">") && second.is_some_and(|token| token.is(">") && !token.space_before) {
                    self.index += 2;
                    return Some(text);
                }
            } else if self.at(text) {
                let shift = *text == ">"
                    && self.tokens.get(self.index + 1).is_some_and(|token| token.is(">") && !token.space_before);
                if !shift {
                    self.index += 1;
                    return Some(text);
                }
            }
        }
        None
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.binary(level + 1)?;
            self.divided_by_zero = right == 0 && matches!(operator, "/" | "%");
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.eat("!") {
            i64::from(self.unary()? == 0)
        } else if self.eat("-") {
            self.unary()?.wrapping_neg()
        } else if self.eat("+") {
            self.unary()?
        } else if self.eat("~") {
            !self.unary()?
        } else if self.eat("(") {
            let value = self.ternary()?;
            if !self.eat(")") {
                return None;
            }
            value
        } else {
            let token = self.tokens.get(self.index)?;
            let value = match &token.kind {
                TokenKind::Integer(literal) => literal.value.to_i64().unwrap_or(i64::MAX),
                TokenKind::Identifier(_) => 0,
                TokenKind::Keyword(word) => i64::from(*word == "true"),
                _ => return None,
            };
            self.index += 1;
            value
        };
        self.depth -= 1;
        Some(value)
    }
}

/// None: division by zero.
fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right).unwrap_or(64).min(63);
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.wrapping_shl(shift),
        ">>" => left.wrapping_shr(shift),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}
