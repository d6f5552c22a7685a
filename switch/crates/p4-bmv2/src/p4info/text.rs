//! The text notation of protobuf messages.

use num_bigint::BigInt;
use std::fmt::Write as _;

/// A message being written.
#[derive(Default)]
pub struct Text {
    out: String,
    depth: usize,
}

impl Text {
    /// The text written so far.
    pub fn finish(self) -> String {
        self.out
    }

    /// Writes as it is.
    pub fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// `name { … }`.
    pub fn message(&mut self, name: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{name} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// `name: "value"`.
    pub fn string(&mut self, name: &str, value: &str) {
        self.bytes(name, value.as_bytes());
    }

    /// `name: "value"`, if there is one.
    pub fn optional_string(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(name, value);
        }
    }

    /// `name: "\000\001…"`.
    pub fn bytes(&mut self, name: &str, value: &[u8]) {
        let mut escaped = String::new();
        for byte in value {
            match byte {
                b'\n' => escaped.push_str("\\n"),
                b'\r' => escaped.push_str("\\r"),
                b'\t' => escaped.push_str("\\t"),
                b'"' => escaped.push_str("\\\""),
                b'\'' => escaped.push_str("\\'"),
                b'\\' => escaped.push_str("\\\\"),
                0x20..=0x7e => escaped.push(char::from(*byte)),
                _ => {
                    let _ = write!(escaped, "\\{byte:03o}");
                }
            }
        }
        self.line(&format!("{name}: \"{escaped}\""));
    }

    /// `name: number`.
    pub fn number(&mut self, name: &str, value: impl std::fmt::Display) {
        self.line(&format!("{name}: {value}"));
    }

    /// `name: number`, unless it is 0 (the default, which is not written).
    pub fn nonzero(&mut self, name: &str, value: u64) {
        if value != 0 {
            self.number(name, value);
        }
    }

    /// `name: WORD`.
    pub fn word(&mut self, name: &str, value: &str) {
        self.line(&format!("{name}: {value}"));
    }
}

/// A number as P4Runtime carries it: big-endian, `bits` rounded up to whole bytes.
pub fn padded_bytes(value: &BigInt, bits: u32) -> Vec<u8> {
    let modulus = BigInt::from(1) << bits.max(1);
    let positive = ((value % &modulus) + &modulus) % &modulus;
    let digits = positive.to_bytes_be().1;
    let length = bits.max(1).div_ceil(8) as usize;
    let mut padded = vec![0; length.saturating_sub(digits.len())];
    padded.extend_from_slice(&digits[digits.len().saturating_sub(length)..]);
    padded
}
