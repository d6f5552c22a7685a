//! What the targets that know their input's structure have in common.

use libfuzzer_sys::fuzzer_mutate;

/// Changes the first `size` bytes of `data` and gives their new number: one time in two as libFuzzer does, else with
/// `own`, which gives nothing where it has nothing to offer.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, own: fn(&[u8], u32) -> Vec<u8>) -> usize {
    let changed = if seed.is_multiple_of(2) { own(&data[..size], seed) } else { Vec::new() };
    let length = changed.len().min(max_size).min(data.len());
    if length == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..length].copy_from_slice(&changed[..length]);
    length
}
