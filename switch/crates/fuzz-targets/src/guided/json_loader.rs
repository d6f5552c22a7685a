//! The loader of BMv2 JSON: a program is refused with a message, or it runs.

use crate::json::{damaged, load_or_refuse};
use crate::random::Random;

/// Loads the input, fills its tables and sends packets in.
pub fn target(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(what) = load_or_refuse(&text, Random::of_round(data.len() as u64, 0)) {
        panic!("{what}");
    }
}

/// A program with some places changed; none if the input is not JSON.
pub fn mutated(data: &[u8], seed: u32) -> Vec<u8> {
    let Ok(value) = serde_json::from_slice(data) else { return Vec::new() };
    damaged(&[(String::new(), value)], seed.into(), 0).into_bytes()
}
