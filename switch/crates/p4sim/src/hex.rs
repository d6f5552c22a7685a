//! Hexadecimal digits.

use crate::requests::RequestError;

/// Bytes from hexadecimal digits, with or without `0x`; an odd number of digits gets a leading zero.
pub fn from_hex(text: &str) -> Result<Vec<u8>, RequestError> {
    let error = || RequestError::Hex(text.to_owned());
    let digits = text.strip_prefix("0x").unwrap_or(text).as_bytes();
    let digit = |d: u8| char::from(d).to_digit(16).map(|d| d as u8).ok_or_else(error);
    let mut bytes = Vec::with_capacity(digits.len().div_ceil(2));
    let (odd, pairs) = digits.split_at(digits.len() % 2);
    for d in odd {
        bytes.push(digit(*d)?);
    }
    for pair in pairs.chunks(2) {
        bytes.push(digit(pair[0])? << 4 | digit(pair[1])?);
    }
    Ok(bytes)
}

/// Hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |d: u8| char::from(DIGITS[usize::from(d & 15)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}
