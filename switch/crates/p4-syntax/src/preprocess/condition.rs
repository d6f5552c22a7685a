//! The expressions of `#if` and `#elif`, as GNU cpp computes them: 64 bits, with and without sign.

use super::pp_token::{PpKind, PpToken};
use crate::diagnostic::Diagnostics;
use crate::source::Span;

/// Expressions nested deeper than this are refused.
const MAX_DEPTH: usize = 200;

/// Why an expression has no value.
enum Wrong {
    /// It is no expression.
    Syntax,
    DivisionByZero,
    /// A token that cannot stand in a condition, and why.
    Token(&'static str),
    Depth,
}

/// The value of a condition. Macros are expanded already; names that are left count as 0.
pub fn evaluate(tokens: &[PpToken], place: Span, diagnostics: &mut Diagnostics) -> bool {
    let mut reader = Condition { tokens, index: 0, depth: 0, unevaluated: 0 };
    let value = reader.comma();
    let span = tokens.get(reader.index).map_or(place, |token| token.span);
    let wrong = match value {
        Ok(value) if reader.index == tokens.len() => return value.bits != 0,
        Ok(_) => Wrong::Syntax,
        Err(wrong) => wrong,
    };
    let message = match wrong {
        Wrong::DivisionByZero => "division by zero in a condition".to_owned(),
        Wrong::Token(why) => format!("in a condition: {why}"),
        Wrong::Depth => format!("in a condition: nested too deeply (more than {MAX_DEPTH} levels)"),
        Wrong::Syntax => {
            let found = tokens.get(reader.index).map_or_else(|| "end of line".to_owned(), PpToken::describe);
            format!("in a condition: expected a number, 'defined' or an operator, found {found}")
        }
    };
    diagnostics.error(span, message);
    false
}

/// A number of 64 bits.
#[derive(Clone, Copy)]
struct Number {
    bits: u64,
    unsigned: bool,
}

impl Number {
    fn truth(value: bool) -> Self {
        Self { bits: u64::from(value), unsigned: false }
    }

    fn is_negative(self) -> bool {
        !self.unsigned && self.signed() < 0
    }

    fn signed(self) -> i64 {
        self.bits.cast_signed()
    }
}

struct Condition<'a> {
    tokens: &'a [PpToken],
    index: usize,
    depth: usize,
    /// Inside so many operands that do not count (`0 && …`).
    unevaluated: usize,
}

/// Operators with two operands by binding strength, weakest first.
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

type Value = Result<Number, Wrong>;

impl<'a> Condition<'a> {
    fn eat(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.index).is_some_and(|token| token.is(text));
        self.index += usize::from(found);
        found
    }

    /// As `read`, for an operand that counts only if `counts`.
    fn operand(&mut self, counts: bool, read: impl Fn(&mut Self) -> Value) -> Value {
        self.unevaluated += usize::from(!counts);
        let value = read(self);
        self.unevaluated -= usize::from(!counts);
        value
    }

    fn deeper(&mut self, read: impl Fn(&mut Self) -> Value) -> Value {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Wrong::Depth);
        }
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn comma(&mut self) -> Value {
        let mut value = self.ternary()?;
        while self.eat(",") {
            value = self.ternary()?;
        }
        Ok(value)
    }

    fn ternary(&mut self) -> Value {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let is_true = condition.bits != 0;
        let yes = self.operand(is_true, |this| this.deeper(Self::comma))?;
        if !self.eat(":") {
            return Err(Wrong::Syntax);
        }
        let no = self.operand(!is_true, |this| this.deeper(Self::ternary))?;
        let bits = if is_true { yes.bits } else { no.bits };
        Ok(Number { bits, unsigned: yes.unsigned || no.unsigned })
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        LEVELS.get(level)?.iter().find(|text| self.eat(text)).copied()
    }

    fn binary(&mut self, level: usize) -> Value {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let counts = match operator {
                "||" => left.bits == 0,
                "&&" => left.bits != 0,
                _ => true,
            };
            let right = self.operand(counts, |this| this.binary(level + 1))?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if self.unevaluated > 0 => left,
                None => return Err(Wrong::DivisionByZero),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Value {
        for operator in ["!", "-", "+", "~"] {
            if self.eat(operator) {
                let value = self.deeper(Self::unary)?;
                return Ok(match operator {
                    "!" => Number::truth(value.bits == 0),
                    "-" => Number { bits: value.bits.wrapping_neg(), ..value },
                    "~" => Number { bits: !value.bits, ..value },
                    _ => value,
                });
            }
        }
        if self.eat("(") {
            let value = self.deeper(Self::comma)?;
            return if self.eat(")") { Ok(value) } else { Err(Wrong::Syntax) };
        }
        let token = self.tokens.get(self.index).ok_or(Wrong::Syntax)?;
        let value = match token.kind {
            PpKind::Name => Number::truth(false),
            PpKind::Number => number(&token.text)?,
            PpKind::Char => character(&token.text)?,
            PpKind::String => return Err(Wrong::Token("a string is no number")),
            _ => return Err(Wrong::Syntax),
        };
        self.index += 1;
        Ok(value)
    }
}

/// None: division by zero.
fn apply(operator: &str, left: Number, right: Number) -> Option<Number> {
    let unsigned = left.unsigned || right.unsigned;
    let less = |a: Number, b: Number| if unsigned { a.bits < b.bits } else { a.signed() < b.signed() };
    let common = |bits: u64| Number { bits, unsigned };
    Some(match operator {
        "||" => Number::truth(left.bits != 0 || right.bits != 0),
        "&&" => Number::truth(left.bits != 0 && right.bits != 0),
        "|" => common(left.bits | right.bits),
        "^" => common(left.bits ^ right.bits),
        "&" => common(left.bits & right.bits),
        "==" => Number::truth(left.bits == right.bits),
        "!=" => Number::truth(left.bits != right.bits),
        "<" => Number::truth(less(left, right)),
        ">" => Number::truth(less(right, left)),
        "<=" => Number::truth(!less(right, left)),
        ">=" => Number::truth(!less(left, right)),
        "<<" | ">>" => {
            let (to_left, amount) = match right.is_negative() {
                true => (operator == ">>", right.bits.wrapping_neg()),
                false => (operator == "<<", right.bits),
            };
            Number { bits: shifted(left, to_left, amount), ..left }
        }
        "+" => common(left.bits.wrapping_add(right.bits)),
        "-" => common(left.bits.wrapping_sub(right.bits)),
        "*" => common(left.bits.wrapping_mul(right.bits)),
        _ if right.bits == 0 => return None,
        "/" if unsigned => common(left.bits / right.bits),
        "/" => common(left.signed().wrapping_div(right.signed()).cast_unsigned()),
        _ if unsigned => common(left.bits % right.bits),
        _ => common(left.signed().wrapping_rem(right.signed()).cast_unsigned()),
    })
}

fn shifted(value: Number, to_left: bool, amount: u64) -> u64 {
    let amount = u32::try_from(amount).unwrap_or(u32::MAX);
    if to_left {
        return value.bits.checked_shl(amount).unwrap_or(0);
    }
    match value.unsigned {
        true => value.bits.checked_shr(amount).unwrap_or(0),
        false => (value.signed() >> amount.min(63)).cast_unsigned(),
    }
}

/// An integer of C: `10`, `010` (eight), `0x10`, `0b10`, with `u` and `l` after it.
fn number(text: &str) -> Value {
    const WRONG: Wrong = Wrong::Token("this is no integer of C (a condition has no widths)");
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    // `lL` is no suffix of C.
    let long = text.ends_with("lL") || text.ends_with("Ll") || text.contains("lLu") || text.contains("Llu");
    let has_suffix = matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu");
    if digits.is_empty() || !has_suffix || long {
        return Err(WRONG);
    }
    let mut bits = 0u64;
    let mut is_too_large = false;
    for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
        let next = u128::from(bits) * u128::from(radix) + u128::from(digit);
        is_too_large |= next > u128::from(u64::MAX);
        bits = u64::try_from(next & u128::from(u64::MAX)).unwrap_or(0);
    }
    let unsigned = suffix.contains('u') || (!is_too_large && bits.cast_signed() < 0);
    Ok(Number { bits, unsigned })
}

/// A character of C: `'a'`, `'\n'`, `'ab'`.
fn character(text: &str) -> Value {
    let inner = text.trim_start_matches('L');
    let inner = inner.get(1..inner.len().saturating_sub(1)).unwrap_or("");
    let is_wide = text.starts_with('L');
    let mut rest = inner.bytes().peekable();
    let mut bits = 0u32;
    let mut count = 0usize;
    while let Some(byte) = rest.next() {
        let value = match byte {
            b'\\' => match rest.next() {
                Some(b'n') => 10,
                Some(b't') => 9,
                Some(b'r') => 13,
                Some(b'a') => 7,
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'v') => 11,
                Some(b'e' | b'E') => 27,
                Some(b'x') => {
                    let mut value = 0u32;
                    while let Some(digit) = rest.peek().and_then(|byte| char::from(*byte).to_digit(16)) {
                        value = (value << 4) | digit;
                        rest.next();
                    }
                    value
                }
                Some(first @ b'0'..=b'7') => {
                    let mut value = u32::from(first - b'0');
                    for _ in 0..2 {
                        if let Some(digit) = rest.peek().and_then(|byte| char::from(*byte).to_digit(8)) {
                            value = (value << 3) | digit;
                            rest.next();
                        }
                    }
                    value
                }
                Some(other) => u32::from(other),
                None => return Err(Wrong::Syntax),
            },
            other => u32::from(other),
        };
        bits = if is_wide { value } else { (bits << 8) | (value & 0xff) };
        count += 1;
    }
    let value = match count {
        0 => return Err(Wrong::Token("a character stands between these quotes")),
        1 if !is_wide => i64::from((bits as u8).cast_signed()),
        _ => i64::from(bits.cast_signed()),
    };
    Ok(Number { bits: value.cast_unsigned(), unsigned: false })
}
