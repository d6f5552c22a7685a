#![no_main]

use fuzz_targets::guided::mutated_source;
use fuzz_targets::guided::preprocessor::target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| target(data));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz_targets::guided::libfuzzer_mutation::mutate(data, size, max_size, seed, mutated_source)
});
