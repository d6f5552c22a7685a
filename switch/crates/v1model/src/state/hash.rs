//! How keys are hashed.

/// Hashes a key: multiply and fold. Entries come from the control plane, so nobody can choose keys that collide.
#[inline]
pub(crate) fn hash(key: impl ExactSizeIterator<Item = u64>) -> u64 {
    let length = key.len() as u64;
    key.fold(length, |hash, limb| {
        let product = u128::from(hash ^ limb ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
        product as u64 ^ (product >> 64) as u64
    })
}
