//! Integers as P4Runtime writes them: big-endian byte strings (specification, section "Bytestrings").

use bytes::Bytes;

use crate::failure::{Failure, Outcome};

/// Reads an unsigned value of `width` bits. Any number of leading zero bytes is accepted; the answer is canonical
/// (shortest, at least one byte).
///
/// # Errors
/// OUT_OF_RANGE if the string is empty or the value needs more than `width` bits.
pub fn read_unsigned(value: &Bytes, width: u32) -> Outcome<Bytes> {
    if value.is_empty() {
        return Err(Failure::out_of_range("the byte string is empty"));
    }
    let value = shortest(value);
    let bits = significant_bits(&value);
    if bits > width {
        return Err(Failure::out_of_range(format!("0x{} needs {bits} bits, the field has {width}", hex(&value))));
    }
    Ok(value)
}

/// Reads a two's complement value of `width` bits as the bit pattern that the data plane stores. The value is
/// sign-extended or cut to `⌈width / 8⌉` bytes, with the bits above `width` cleared.
///
/// # Errors
/// OUT_OF_RANGE if the string is empty or the value does not fit.
pub fn read_signed(value: &[u8], width: u32) -> Outcome<Vec<u8>> {
    let Some(&first) = value.first() else {
        return Err(Failure::out_of_range("the byte string is empty"));
    };
    let negative = first & 0x80 != 0;
    let fill = if negative { 0xff } else { 0 };
    let wanted = width.div_ceil(8) as usize;
    let bit = |index: usize| -> bool {
        // bit 0 is the least significant one; beyond the string it is the sign
        value
            .len()
            .checked_sub(1 + index / 8)
            .and_then(|i| value.get(i))
            .map_or(negative, |b| b >> (index % 8) & 1 != 0)
    };
    let sign_from = (width as usize).saturating_sub(1);
    if (sign_from..value.len() * 8).any(|index| bit(index) != negative) {
        return Err(Failure::out_of_range(format!("0x{} does not fit int<{width}>", hex(value))));
    }
    let mut out = vec![fill; wanted];
    for (to, from) in out.iter_mut().rev().zip(value.iter().rev()) {
        *to = *from;
    }
    mask_top(&mut out, width);
    Ok(out)
}

/// Writes the bit pattern of an `int<width>` (as the data plane stores it) as the shortest two's complement string.
pub fn write_signed(pattern: &[u8], width: u32) -> Bytes {
    let full = width.div_ceil(8) as usize;
    let mut value = vec![0u8; full];
    for (to, from) in value.iter_mut().rev().zip(pattern.iter().rev()) {
        *to = *from;
    }
    let sign_byte = full.saturating_sub((width as usize).div_ceil(8));
    let top_bits = (width + 7) % 8 + 1;
    if let Some(top) = value.get_mut(sign_byte)
        && *top >> (top_bits - 1) & 1 != 0
    {
        *top |= !low_mask(top_bits);
    }
    let mut skip = 0;
    while let (Some(&a), Some(&b)) = (value.get(skip), value.get(skip + 1)) {
        if (a == 0 && b & 0x80 == 0) || (a == 0xff && b & 0x80 != 0) {
            skip += 1;
        } else {
            break;
        }
    }
    Bytes::copy_from_slice(value.get(skip..).unwrap_or(&[0]))
}

/// The canonical form of an unsigned value: no leading zero byte, but at least one byte.
pub fn shortest(value: &Bytes) -> Bytes {
    let zeros = value.iter().take_while(|b| **b == 0).count();
    match value.len() {
        0 => Bytes::from_static(&[0]),
        len => value.slice(zeros.min(len - 1)..),
    }
}

/// [`shortest`] of a borrowed value.
pub fn shortest_of(value: &[u8]) -> Bytes {
    let zeros = value.iter().take_while(|b| **b == 0).count();
    match value.get(zeros..) {
        Some([]) | None => Bytes::from_static(&[0]),
        Some(rest) => Bytes::copy_from_slice(rest),
    }
}

/// The canonical form of a number.
pub fn from_u64(value: u64) -> Bytes {
    shortest_of(&value.to_be_bytes())
}

/// The value as a number, `None` beyond 64 bits.
pub fn to_u64(value: &[u8]) -> Option<u64> {
    let zeros = value.iter().take_while(|b| **b == 0).count();
    let rest = value.get(zeros..)?;
    (rest.len() <= 8).then(|| rest.iter().fold(0, |n, b| n << 8 | u64::from(*b)))
}

/// How many bits the unsigned value needs (0 for zero).
pub fn significant_bits(value: &[u8]) -> u32 {
    let zeros = value.iter().take_while(|b| **b == 0).count();
    match value.get(zeros) {
        None => 0,
        Some(first) => (value.len() - zeros - 1) as u32 * 8 + 8 - first.leading_zeros(),
    }
}

/// The value right-aligned in exactly `⌈width / 8⌉` bytes.
pub fn padded(value: &[u8], width: u32) -> Vec<u8> {
    let mut out = vec![0; width.div_ceil(8) as usize];
    for (to, from) in out.iter_mut().rev().zip(value.iter().rev()) {
        *to = *from;
    }
    out
}

/// All ones in `width` bits, in `⌈width / 8⌉` bytes.
pub fn ones(width: u32) -> Vec<u8> {
    let mut out = vec![0xff; width.div_ceil(8) as usize];
    mask_top(&mut out, width);
    out
}

/// The mask of a prefix of `prefix_len` bits of a field of `width` bits, in `⌈width / 8⌉` bytes.
pub fn prefix_mask(prefix_len: u32, width: u32) -> Vec<u8> {
    let mut out = ones(width);
    let host = width.saturating_sub(prefix_len);
    for (byte, index) in out.iter_mut().rev().zip(0u32..) {
        let cleared = host.saturating_sub(index * 8).min(8);
        *byte &= !low_mask(cleared);
    }
    out
}

/// Lower-case hexadecimal digits, for messages.
pub fn hex(value: &[u8]) -> String {
    value.iter().map(|b| format!("{b:02x}")).collect()
}

fn mask_top(value: &mut [u8], width: u32) {
    if let Some(first) = value.first_mut()
        && !width.is_multiple_of(8)
    {
        *first &= low_mask(width % 8);
    }
}

fn low_mask(bits: u32) -> u8 {
    ((1u16 << bits.min(8)) - 1) as u8
}

#[cfg(test)]
#[path = "bytestring_tests.rs"]
mod tests;
