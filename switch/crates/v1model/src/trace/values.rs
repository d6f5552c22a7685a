//! Values for people.

use crate::phv::append_bytes;
use crate::types::KeyMatch;

/// Big-endian bytes of a value of so many bits: addresses as such, numbers as decimal and hexadecimal.
pub fn shown(bytes: &[u8], width: u32) -> String {
    let hex = || bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match (width, bytes) {
        // Small ones are times rather than addresses.
        (48, [a, b, c, d, e, f]) if *a != 0 => format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}"),
        // Small ones are counts and rates rather than addresses.
        (32, [a, b, c, d]) if *a != 0 => format!("{a}.{b}.{c}.{d} (0x{})", hex()),
        (1..=64, _) => {
            let value = bytes.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
            if value < 10 { value.to_string() } else { format!("{value} (0x{value:x})") }
        }
        (0, _) => "(empty)".to_owned(),
        _ => format!("0x{}", hex()),
    }
}

/// A value that may be a MAC address even if it is small: a field of a header.
pub(crate) fn shown_in_header(limbs: &[u64], width: u32) -> String {
    let value = limbs.first().copied().unwrap_or(0);
    match (width, value.to_be_bytes()) {
        (48, [_, _, a, b, c, d, e, f]) => format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}"),
        _ => shown_limbs(limbs, width),
    }
}

/// A value in limbs.
pub(crate) fn shown_limbs(limbs: &[u64], width: u32) -> String {
    let mut bytes = Vec::new();
    append_bytes(limbs, width, &mut bytes);
    shown(&bytes, width)
}

/// The match that an entry has for a key field.
pub fn shown_match(key: &KeyMatch, width: u32) -> String {
    let full = |mask: &[u8]| mask.iter().map(|byte| byte.count_ones()).sum::<u32>() == width;
    match key {
        KeyMatch::Exact(value) | KeyMatch::Optional(Some(value)) => shown(value, width),
        KeyMatch::Lpm { value, prefix_len } => match (width, &value[..]) {
            (32, [a, b, c, d]) => format!("{a}.{b}.{c}.{d}/{prefix_len} (0x{a:02x}{b:02x}{c:02x}{d:02x}/{prefix_len})"),
            _ => format!("{}/{prefix_len}", shown(value, width)),
        },
        KeyMatch::Ternary { mask, .. } if mask.iter().all(|byte| *byte == 0) => "any".to_owned(),
        KeyMatch::Ternary { value, mask } if full(mask) => shown(value, width),
        KeyMatch::Ternary { value, mask } => format!("{} &&& 0x{}", shown(value, width), hex_of(mask)),
        KeyMatch::Range { low, high } => format!("{} .. {}", shown(low, width), shown(high, width)),
        KeyMatch::Optional(None) => "any".to_owned(),
        KeyMatch::Valid(valid) => if *valid { "valid" } else { "invalid" }.to_owned(),
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(shown(&[10, 0, 2, 4], 32), "10.0.2.4 (0x0a000204)");
        assert_eq!(shown(&[0, 0, 0, 7], 32), "7");
        assert_eq!(shown(&[8, 0], 16), "2048 (0x800)");
        assert_eq!(shown(&[2, 0, 0, 0, 0, 1], 48), "02:00:00:00:00:01");
        assert_eq!(shown(&[1; 9], 72), "0x010101010101010101");
        let lpm = KeyMatch::Lpm { value: vec![10, 0, 2, 0], prefix_len: 24 };
        assert_eq!(shown_match(&lpm, 32), "10.0.2.0/24 (0x0a000200/24)");
        assert_eq!(shown_match(&KeyMatch::Ternary { value: vec![1], mask: vec![0xf] }, 8), "1 &&& 0x0f");
    }
}
