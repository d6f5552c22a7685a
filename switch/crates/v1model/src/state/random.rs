//! Seeded random numbers for `random()` (SplitMix64, Steele et al., OOPSLA 2014).

/// A generator.
#[derive(Debug, Default)]
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    /// From `low` to `high`, both included, all equally likely (Lemire's multiplication method with rejection).
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let Some(count) = (high - low).checked_add(1) else {
            return self.next();
        };
        let reject_below = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.next()) * u128::from(count);
            if product as u64 >= reject_below {
                return low + (product >> 64) as u64;
            }
        }
    }
}
