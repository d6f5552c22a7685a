//! Mutation for the targets that know their input's structure.

use libfuzzer_sys::fuzzer_mutate;

/// Changes the first `size` bytes of `data` and gives their new number. One time in two `own` changes them, else
/// libFuzzer does. If `own` gives nothing, libFuzzer does too.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, own: fn(&[u8], u32) -> Vec<u8>) -> usize {
    let changed = if seed.is_multiple_of(2) { own(&data[..size], seed) } else { Vec::new() };
    let length = changed.len().min(max_size).min(data.len());
    if length == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..length].copy_from_slice(&changed[..length]);
    length
}
