//! Random numbers that are the same everywhere (SplitMix64).

/// A generator.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The generator of one round.
    #[must_use]
    pub fn of_round(seed: u64, round: u64) -> Self {
        let mut random = Self(seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.draw();
        random
    }

    /// Any number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `limit` (0 if that is 0).
    pub fn below(&mut self, limit: usize) -> usize {
        (self.draw() % limit.max(1) as u64) as usize
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// Bytes: random, all zeros, or all ones.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        match self.below(4) {
            0 => vec![0; count],
            1 => vec![0xff; count],
            _ => (0..count).map(|_| self.draw() as u8).collect(),
        }
    }
}
