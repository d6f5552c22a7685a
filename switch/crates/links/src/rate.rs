//! The transmitter: how long a packet takes at a bit rate, exactly.

/// One packet at a time at a constant bit rate. The remainder of each division is carried on, so that 10^5 packets in
/// a row take exactly the time their bits take.
#[derive(Debug, Clone)]
pub(crate) struct Transmitter {
    /// Bits a second; `None` is infinitely fast, 0 is stopped.
    rate_bps: Option<u64>,
    /// When the packet being sent is out, in nanoseconds.
    free_at_ns: u64,
    /// What the last division left over, in units of 1/rate nanoseconds.
    remainder: u64,
}

const NS_PER_S: u128 = 1_000_000_000;

impl Transmitter {
    pub(crate) fn new(rate_bps: Option<u64>) -> Self {
        Self { rate_bps, free_at_ns: 0, remainder: 0 }
    }

    /// Holds from the next packet on; the packet being sent is finished at the old rate.
    pub(crate) fn set_rate(&mut self, rate_bps: Option<u64>) {
        if rate_bps != self.rate_bps {
            self.rate_bps = rate_bps;
            self.remainder = 0;
        }
    }

    /// When the next packet may start.
    pub(crate) fn free_at_ns(&self) -> u64 {
        self.free_at_ns
    }

    /// Whether the rate is 0, so that nothing may start.
    pub(crate) fn is_stopped(&self) -> bool {
        self.rate_bps == Some(0)
    }

    /// Starts sending at `start_ns` (not before [`free_at_ns`](Self::free_at_ns)) and returns when the packet is out.
    pub(crate) fn send(&mut self, start_ns: u64, bytes: u32) -> u64 {
        if start_ns > self.free_at_ns {
            self.remainder = 0;
        }
        let start_ns = start_ns.max(self.free_at_ns);
        self.free_at_ns = match self.rate_bps {
            // A stopped transmitter is never asked; if it were, an ideal one is the harmless answer.
            None | Some(0) => start_ns,
            Some(rate) => {
                let scaled = u128::from(bytes) * 8 * NS_PER_S + u128::from(self.remainder);
                self.remainder = (scaled % u128::from(rate)) as u64;
                start_ns.saturating_add(u64::try_from(scaled / u128::from(rate)).unwrap_or(u64::MAX))
            }
        };
        self.free_at_ns
    }
}
