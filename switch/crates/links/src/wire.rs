//! The wire: propagation delay.

use std::collections::VecDeque;

use crate::rate::NEVER;

/// Packets on their way, first in, first out: one with a shorter delay does not overtake those before it.
#[derive(Debug)]
pub(crate) struct Wire<F> {
    in_flight: VecDeque<(u64, F)>,
    delay_ns: u64,
    /// When the packet sent last arrives, and the one before it.
    last_arrival_ns: u64,
    arrival_before_ns: u64,
    /// Whether the packet handed over last is on the wire, not lost.
    has_last: bool,
}

impl<F> Wire<F> {
    pub(crate) fn new(delay_ns: u64) -> Self {
        Self { in_flight: VecDeque::new(), delay_ns, last_arrival_ns: 0, arrival_before_ns: 0, has_last: false }
    }

    /// Holds for packets whose last bit is sent from now on.
    pub(crate) fn set_delay(&mut self, delay_ns: u64) {
        self.delay_ns = delay_ns;
    }

    /// Takes a packet whose last bit is sent at `sent_ns`, unless that changes ([`moved`](Self::moved)).
    pub(crate) fn send(&mut self, sent_ns: u64, frame: F) {
        self.arrival_before_ns = self.last_arrival_ns;
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
        sent_ns.saturating_add(self.delay_ns).max(self.arrival_before_ns)
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
