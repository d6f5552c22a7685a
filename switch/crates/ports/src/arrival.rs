//! When a frame arrived, by the kernel's stamp.

use crate::clock;

/// A step of the wall clock between stamp and reading would give nonsense: older stamps are not believed.
const OLDEST_NS: u64 = 1_000_000_000;

/// Both clocks, read together.
pub(crate) struct Clocks {
    monotonic_ns: u64,
    realtime_offset_ns: u64,
}

impl Clocks {
    pub(crate) fn read() -> Self {
        let monotonic_ns = clock::monotonic_ns();
        Self { monotonic_ns, realtime_offset_ns: clock::realtime_ns().wrapping_sub(monotonic_ns) }
    }

    /// The monotonic time of a stamp of the wall clock; without one that can be, now.
    pub(crate) fn arrival_ns(&self, realtime_ns: Option<u64>) -> u64 {
        realtime_ns
            .map(|at_ns| at_ns.wrapping_sub(self.realtime_offset_ns))
            .filter(|at_ns| *at_ns <= self.monotonic_ns && self.monotonic_ns - at_ns < OLDEST_NS)
            .unwrap_or(self.monotonic_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_unless_it_cannot_be() {
        let clocks = Clocks { monotonic_ns: 5_000_000_000, realtime_offset_ns: 100 };
        assert_eq!(clocks.arrival_ns(Some(4_900_000_100)), 4_900_000_000);
        for impossible in [None, Some(5_000_000_101), Some(3_000_000_000), Some(0)] {
            assert_eq!(clocks.arrival_ns(impossible), 5_000_000_000);
        }
    }
}
