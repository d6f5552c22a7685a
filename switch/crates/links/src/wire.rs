//! The wire: propagation delay and its jitter.

use std::collections::VecDeque;

use crate::config::{LinkConfig, us_to_ns};
use crate::random::SplitMix64;
use crate::rate::NEVER;

/// Makes the seed of the jitter another one than that of the losses.
const JITTER_SEED: u64 = 0x6a69_7474_6572;

/// Packets on their way, first in, first out: one with a shorter delay does not overtake those before it.
#[derive(Debug)]
pub(crate) struct Wire<F> {
    in_flight: VecDeque<(u64, F)>,
    delay_ns: u64,
    /// The largest jitter of a packet.
    jitter_ns: u64,
    random: SplitMix64,
    /// The jitter of the packet handed over last.
    drawn_ns: u64,
    /// When the packet sent last arrives, and the one before it.
    last_arrival_ns: u64,
    arrival_before_ns: u64,
    /// Whether the packet handed over last is on the wire, not lost.
    has_last: bool,
}

impl<F> Wire<F> {
    pub(crate) fn of(config: &LinkConfig) -> Self {
        Self {
            in_flight: VecDeque::new(),
            delay_ns: us_to_ns(config.delay_us),
            jitter_ns: us_to_ns(config.jitter_us),
            random: seeded(config.seed),
            drawn_ns: 0,
            last_arrival_ns: 0,
            arrival_before_ns: 0,
            has_last: false,
        }
    }

    /// Holds for packets whose last bit is sent from now on.
    pub(crate) fn set_delay(&mut self, delay_ns: u64) {
        self.delay_ns = delay_ns;
    }

    /// Holds for packets that are handed over from now on.
    pub(crate) fn set_jitter(&mut self, most_ns: u64) {
        self.jitter_ns = most_ns;
    }

    /// Draws from the beginning of the seed's sequence from now on.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.random = seeded(seed);
    }

    /// Takes a packet whose last bit is sent at `sent_ns`, unless that changes ([`moved`](Self::moved)).
    pub(crate) fn send(&mut self, sent_ns: u64, frame: F) {
        self.arrival_before_ns = self.last_arrival_ns;
        self.drawn_ns = if self.jitter_ns == 0 { 0 } else { (self.random.fraction() * self.jitter_ns as f64) as u64 };
        self.last_arrival_ns = self.arrival_ns(sent_ns);
        self.in_flight.push_back((self.last_arrival_ns, frame));
        self.has_last = true;
    }

    /// The packet handed over last has been lost.
    pub(crate) fn lose(&mut self) {
        self.has_last = false;
    }

    /// The last bit of the packet handed over last is sent at another time, or its delay has changed.
    pub(crate) fn moved(&mut self, sent_ns: u64) {
        if self.has_last && !self.in_flight.is_empty() {
            self.last_arrival_ns = self.arrival_ns(sent_ns);
            if let Some((arrival_ns, _)) = self.in_flight.back_mut() {
                *arrival_ns = self.last_arrival_ns;
            }
        }
    }

    fn arrival_ns(&self, sent_ns: u64) -> u64 {
        sent_ns.saturating_add(self.delay_ns).saturating_add(self.drawn_ns).max(self.arrival_before_ns)
    }

    pub(crate) fn packets(&self) -> usize {
        self.in_flight.len()
    }

    pub(crate) fn next_arrival_ns(&self) -> Option<u64> {
        self.in_flight.front().map(|(at_ns, _)| *at_ns).filter(|at_ns| *at_ns != NEVER)
    }

    pub(crate) fn receive(&mut self) -> Option<(u64, F)> {
        self.in_flight.pop_front()
    }

    /// Takes everything off the wire.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = F> {
        self.has_last = false;
        self.last_arrival_ns = 0;
        self.arrival_before_ns = 0;
        self.in_flight.drain(..).map(|(_, frame)| frame)
    }
}

fn seeded(seed: u64) -> SplitMix64 {
    SplitMix64::new(seed ^ JITTER_SEED)
}
