//! The transmitter: how long a packet takes at a bit rate, or at a packet rate, exactly.

/// One packet at a time. The rest of it is counted in billionths of a bit: at a rate of R bit/s, R of them go out each
/// nanosecond. So 10^5 packets in a row take exactly the time their bits take, across changes of the rate too.
#[derive(Debug, Clone)]
pub(crate) struct Transmitter {
    /// Bits a second; `None` is infinitely fast, 0 is stopped.
    rate_bps: Option<u64>,
    /// Since when the packet being sent goes out at this rate.
    since_ns: u64,
    /// The rest of the packet at that time, in billionths of a bit.
    left: u64,
    /// When the packet being sent is out; [`NEVER`] if the rate is 0.
    free_at_ns: u64,
    /// The rest at that nanosecond: less than goes out in one.
    remainder: u64,
}

/// Later than any time.
pub(crate) const NEVER: u64 = u64::MAX;

/// Billionths of a bit in a byte.
const BYTE: u64 = 8_000_000_000;

/// Billionths of a packet in a packet.
const PACKET: u64 = 1_000_000_000;

impl Transmitter {
    pub(crate) fn new(rate_bps: Option<u64>) -> Self {
        Self { rate_bps, since_ns: 0, left: 0, free_at_ns: 0, remainder: 0 }
    }

    /// Sets another rate from `at_ns` on; the rest of the packet being sent goes out at it.
    pub(crate) fn set_rate(&mut self, at_ns: u64, rate_bps: Option<u64>) {
        if rate_bps == self.rate_bps {
            return;
        }
        let is_sending = at_ns < self.free_at_ns;
        if is_sending {
            // Less than is left, or the packet would be out by now.
            self.left -= self.rate_bps.unwrap_or(0) * at_ns.saturating_sub(self.since_ns);
            self.since_ns = self.since_ns.max(at_ns);
        } else if at_ns > self.free_at_ns {
            self.remainder = 0;
        }
        self.rate_bps = rate_bps;
        if is_sending {
            self.finish();
        }
    }

    /// When the next packet may start.
    pub(crate) fn free_at_ns(&self) -> u64 {
        self.free_at_ns
    }

    /// Whether nothing takes any time.
    pub(crate) fn is_infinite(&self) -> bool {
        self.rate_bps.is_none()
    }

    /// Whether the rate is 0, so that nothing goes out.
    pub(crate) fn is_stopped(&self) -> bool {
        self.rate_bps == Some(0)
    }

    /// Starts sending at `start_ns` (not before [`free_at_ns`](Self::free_at_ns)) and returns when the packet is out if the
    /// rate stays.
    pub(crate) fn send(&mut self, start_ns: u64, bytes: usize) -> u64 {
        let carried = if start_ns > self.free_at_ns { 0 } else { self.remainder };
        self.since_ns = start_ns.max(self.free_at_ns);
        self.left = (bytes as u64).saturating_mul(BYTE).saturating_add(carried);
        self.finish();
        self.free_at_ns
    }

    /// As [`send`](Self::send), at a rate that counts packets instead of bits.
    pub(crate) fn send_one(&mut self, start_ns: u64) -> u64 {
        let carried = if start_ns > self.free_at_ns { 0 } else { self.remainder };
        self.since_ns = start_ns.max(self.free_at_ns);
        self.left = PACKET.saturating_add(carried);
        self.finish();
        self.free_at_ns
    }

    /// From `at_ns` on the rate counts something else, bits or packets: of the packet being sent one packet is left at most.
    pub(crate) fn change_unit(&mut self, at_ns: u64) {
        if at_ns < self.free_at_ns {
            self.left -= self.rate_bps.unwrap_or(0) * at_ns.saturating_sub(self.since_ns);
            self.since_ns = self.since_ns.max(at_ns);
            self.left = self.left.min(PACKET);
        }
        self.remainder = 0;
    }

    /// Lets go of the packet being sent.
    pub(crate) fn cut(&mut self, at_ns: u64) {
        if at_ns < self.free_at_ns {
            (self.since_ns, self.free_at_ns, self.left, self.remainder) = (at_ns, at_ns, 0, 0);
        }
    }

    fn finish(&mut self) {
        (self.free_at_ns, self.remainder) = match self.rate_bps {
            None => (self.since_ns, 0),
            Some(0) => (NEVER, 0),
            Some(rate) => (self.since_ns.saturating_add(self.left / rate), self.left % rate),
        };
    }
}
