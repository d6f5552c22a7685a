//! The digests that packets have sent to the control plane.

use fuzz_oracle::reference::Memory;
use v1model::Switch;

/// Compares the digests of both sides.
pub(super) fn compare(switch: &mut Switch, memory: &Memory) -> Result<(), String> {
    let digests = switch.take_digests();
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
    let found: Vec<Vec<u128>> =
        digests.iter().map(|digest| digest.fields.iter().map(|(bytes, _)| number(bytes)).collect()).collect();
    if found == memory.digests {
        return Ok(());
    }
    let expected = &memory.digests;
    Err(format!("{}\n  digests\n  reference: {expected:x?}\n  switch:    {found:x?}", crate::semantics::DIFFERENT))
}
