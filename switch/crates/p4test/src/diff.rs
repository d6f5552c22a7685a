//! Packets side by side, for people.

use crate::stf::Pattern;

const BYTES_A_LINE: usize = 16;

/// Why a packet is not the expected one, with both shown; nothing if it is.
pub(crate) fn compare(expected: &Pattern, received: &[u8]) -> Option<String> {
    let received = p4sim::requests::to_hex(received).to_ascii_uppercase();
    let differs = |(want, got): (u8, u8)| want != b'*' && want != got;
    let wrong = expected.digits.bytes().zip(received.bytes()).position(differs);
    let reason = if let Some(digit) = wrong {
        format!("differs from byte {} on", digit / 2)
    } else if received.len() < expected.digits.len() {
        format!("is too short: {} bytes instead of {}", received.len() / 2, expected.digits.len().div_ceil(2))
    } else if expected.exact && received.len() > expected.digits.len() {
        format!("is too long: {} bytes instead of {}", received.len() / 2, expected.digits.len().div_ceil(2))
    } else {
        return None;
    };
    Some(format!("{reason}\n{}", side_by_side(expected, &received)))
}

/// Both packets in lines of 16 bytes, with marks under the digits that differ.
///
/// Of a packet whose end does not matter, as much is shown as was expected.
fn side_by_side(pattern: &Pattern, received: &str) -> String {
    let mut text = String::new();
    let expected = &pattern.digits;
    let (received, more) = match expected.len().next_multiple_of(2) {
        end if !pattern.exact && end < received.len() => received.split_at(end),
        _ => (received, ""),
    };
    let digits = BYTES_A_LINE * 2;
    let lines = expected.len().max(received.len()).div_ceil(digits);
    for line in 0..lines {
        let part = |s: &str| -> String { s.chars().skip(line * digits).take(digits).collect() };
        let (want, got) = (part(expected), part(received));
        let marks: String = (0..want.len().max(got.len()))
            .map(|i| match (want.as_bytes().get(i), got.as_bytes().get(i)) {
                (Some(b'*'), Some(_)) => ' ',
                (None, Some(_)) if !pattern.exact => ' ',
                (a, b) if a == b => ' ',
                _ => '^',
            })
            .collect();
        if want.trim() == got.trim() || marks.trim().is_empty() {
            text.push_str(&format!("    {:5}  {}\n", line * BYTES_A_LINE, spaced(&got)));
        } else {
            text.push_str(&format!("    {:5}  {}  expected\n", line * BYTES_A_LINE, spaced(&want)));
            text.push_str(&format!("           {}  received\n", spaced(&got)));
            text.push_str(&format!("           {}\n", spaced(&marks).trim_end()));
        }
    }
    if !more.is_empty() {
        text.push_str(&format!("           and {} bytes more, which do not matter\n", more.len() / 2));
    }
    text
}

/// A blank after each byte.
fn spaced(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && index % 2 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}
