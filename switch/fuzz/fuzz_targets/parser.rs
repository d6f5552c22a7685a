#![no_main]

use fuzz::guided::mutated_source;
use fuzz::guided::parser::target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| target(data));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz_guided::mutate(data, size, max_size, seed, mutated_source)
});
