#![no_main]

use fuzz_targets::guided::packets::target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| target(data));
