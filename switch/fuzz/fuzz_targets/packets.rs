#![no_main]

use fuzz::guided::packets::target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| target(data));
