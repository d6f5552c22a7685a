//! Numbers of STF: decimal, hexadecimal, binary, octal, with `*` for digits that do not matter.

/// A number of up to 128 bits.
pub(crate) fn integer(text: &str) -> Option<u128> {
    let (digits, bits) = split_base(text);
    match bits {
        None => digits.parse().ok(),
        Some(bits) => u128::from_str_radix(digits, 1 << bits).ok(),
    }
}

/// The digits, and how many bits each has (none for decimal numbers).
fn split_base(text: &str) -> (&str, Option<u32>) {
    for (prefix, bits) in [("0x", 4), ("0X", 4), ("0b", 1), ("0B", 1), ("0o", 3)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return (digits, Some(bits));
        }
    }
    (text, None)
}

/// A number as big-endian bytes; `None` if it is not one.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    match split_base(text) {
        (digits, Some(4)) => p4sim::requests::from_hex(digits).ok(),
        _ => integer(text).map(|v| v.to_be_bytes().to_vec()),
    }
}

/// Value and mask of a ternary key: digits that are there count, `*` does not. Decimal numbers count as a whole.
pub(crate) fn ternary(text: &str, width: u32) -> Option<(Vec<u8>, Vec<u8>)> {
    if let Some((value, mask)) = text.split_once("&&&") {
        return Some((bytes(value)?, bytes(mask)?));
    }
    let (digits, bits) = split_base(text);
    if bits.is_none() {
        return Some((bytes(text)?, full_mask(width)));
    }
    let prefix = &text[..text.len() - digits.len()];
    let full = match bits {
        Some(4) => 'f',
        Some(3) => '7',
        _ => '1',
    };
    let mask: String = digits.chars().map(|d| if d == '*' { '0' } else { full }).collect();
    Some((bytes(&format!("{prefix}{}", digits.replace('*', "0")))?, bytes(&format!("{prefix}{mask}"))?))
}

/// Value and length of a prefix: `value/length`, or the digits before the `*`s.
pub(crate) fn prefix(text: &str, width: u32) -> Option<(Vec<u8>, u32)> {
    if let Some((value, length)) = text.split_once('/') {
        return Some((bytes(value)?, u32::try_from(integer(length)?).ok()?));
    }
    match split_base(text) {
        (_, None) => Some((bytes(text)?, width)),
        (digits, Some(bits)) => {
            let known = digits.chars().filter(|d| *d != '*').count() as u32;
            Some((bytes(&text.replace('*', "0"))?, (known * bits).min(width)))
        }
    }
}

/// Low and high of a range: `low..high`, `low->high`, or one number.
pub(crate) fn range(text: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let (low, high) = text.split_once("..").or_else(|| text.split_once("->")).unwrap_or((text, text));
    Some((bytes(low)?, bytes(high)?))
}

/// Ones in the lowest `width` bits.
pub(crate) fn full_mask(width: u32) -> Vec<u8> {
    let mut mask = vec![0xff; width.div_ceil(8) as usize];
    if let (Some(first), true) = (mask.first_mut(), !width.is_multiple_of(8)) {
        *first = 0xff >> (8 - width % 8);
    }
    mask
}
