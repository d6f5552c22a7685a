//! Integers as Python's `int` reads them, which BMv2's command uses for every number.

use num_bigint::{BigInt, BigUint};
use num_traits::Num;

/// `int(text)`: decimal, with a sign; single underscores between digits.
pub(crate) fn decimal(text: &str) -> Option<BigInt> {
    let (negative, digits) = sign(text);
    signed(negative, digits, 10)
}

/// `int(text, 0)`: the prefix says the base; a decimal number other than 0 does not begin with 0.
pub(crate) fn of_any_base(text: &str) -> Option<BigInt> {
    let (negative, digits) = sign(text);
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            return signed(negative, rest.strip_prefix('_').unwrap_or(rest), radix);
        }
    }
    let is_padded = lower.starts_with('0') && lower.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if is_padded { None } else { signed(negative, &lower, 10) }
}

/// Without its sign, and whether that is a minus.
fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn signed(negative: bool, digits: &str, radix: u32) -> Option<BigInt> {
    let parts: Vec<&str> = digits.split('_').collect();
    let is_number = |part: &&str| !part.is_empty() && part.chars().all(|digit| digit.is_digit(radix));
    if !parts.iter().all(is_number) {
        return None;
    }
    let magnitude = BigInt::from(BigUint::from_str_radix(&parts.concat(), radix).ok()?);
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_python_reads() {
        // Text, int(text), int(text, 0) of Python 3.11.
        let table: [(&str, Option<i64>, Option<i64>); 29] = [
            ("0", Some(0), Some(0)),
            ("7", Some(7), Some(7)),
            ("+7", Some(7), Some(7)),
            ("-7", Some(-7), Some(-7)),
            ("--7", None, None),
            ("+-7", None, None),
            ("", None, None),
            ("-", None, None),
            ("007", Some(7), None),
            ("000", Some(0), Some(0)),
            ("0_0", Some(0), Some(0)),
            ("1_000", Some(1000), Some(1000)),
            ("1__0", None, None),
            ("_1", None, None),
            ("1_", None, None),
            ("0x1f", None, Some(31)),
            ("0X1F", None, Some(31)),
            ("-0x1f", None, Some(-31)),
            ("0x_1f", None, Some(31)),
            ("0x__1f", None, None),
            ("0x", None, None),
            ("0x-1", None, None),
            ("0o17", None, Some(15)),
            ("017", Some(17), None),
            ("0b101", None, Some(5)),
            ("0b102", None, None),
            ("1.0", None, None),
            ("1e3", None, None),
            ("ff", None, None),
        ];
        for (text, ten, any) in table {
            assert_eq!(decimal(text), ten.map(BigInt::from), "int({text:?})");
            assert_eq!(of_any_base(text), any.map(BigInt::from), "int({text:?}, 0)");
        }
    }
}
