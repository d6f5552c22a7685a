//! The meaning of programs: the compiled program in the switch sends the packets that the specification says of the
//! typed one.

use crate::semantics::{DIFFERENT, check, program};

use super::source::{mutated as mutated_source, on_deep_stack, text};

/// One mutation in so many is a program from nothing.
const NEW: u32 = 16;

/// Runs packets through the input both ways, if it is a program and one that the reference interpreter knows all of.
pub fn target(data: &[u8]) {
    let Some(text) = text(data) else { return };
    on_deep_stack(|| match check(&text, data.len() as u64) {
        Err(what) if what.starts_with(DIFFERENT) => panic!("{what}"),
        _ => {}
    });
}

/// A program with pieces cut, repeated, mixed and nested, or another one: a well-typed one of `fuzz_p4_semantics`.
pub fn mutated(data: &[u8], seed: u32) -> Vec<u8> {
    if (seed / 2).is_multiple_of(NEW) { program(seed.into(), 0).into_bytes() } else { mutated_source(data, seed) }
}
