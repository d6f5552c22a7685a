//! The wire: propagation delay and random loss.

use std::collections::VecDeque;

/// Packets on their way. First in, first out: a shorter delay holds for packets sent after the change, and these
/// do not overtake the ones before them.
#[derive(Debug)]
pub(crate) struct Wire<F> {
    in_flight: VecDeque<(u64, F)>,
    delay_ns: u64,
    last_arrival_ns: u64,
    loss: f64,
    random: SplitMix64,
    control_random: SplitMix64,
}

/// Makes another sequence of the same seed.
const CONTROL_SEQUENCE: u64 = 0x636f_6e74_726f_6c21;

impl<F> Wire<F> {
    pub(crate) fn new(delay_ns: u64, loss: f64, seed: u64) -> Self {
        Self {
            in_flight: VecDeque::new(),
            delay_ns,
            last_arrival_ns: 0,
            loss,
            random: SplitMix64(seed),
            control_random: SplitMix64(seed ^ CONTROL_SEQUENCE),
        }
    }

    pub(crate) fn set_delay(&mut self, delay_ns: u64) {
        self.delay_ns = delay_ns;
    }

    pub(crate) fn set_loss(&mut self, loss: f64) {
        self.loss = loss;
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.random = SplitMix64(seed);
        self.control_random = SplitMix64(seed ^ CONTROL_SEQUENCE);
    }

    /// Puts a packet on the wire at the instant its last bit has been sent. Gives it back if it is lost, which it is
    /// besides with the probability `control_loss`.
    pub(crate) fn send(&mut self, sent_ns: u64, frame: F, control_loss: f64) -> Result<(), F> {
        let is_lost = self.loss > 0.0 && self.random.next_fraction() < self.loss;
        let is_lost_control = control_loss > 0.0 && self.control_random.next_fraction() < control_loss;
        if is_lost || is_lost_control {
            return Err(frame);
        }
        self.last_arrival_ns = sent_ns.saturating_add(self.delay_ns).max(self.last_arrival_ns);
        self.in_flight.push_back((self.last_arrival_ns, frame));
        Ok(())
    }

    pub(crate) fn next_arrival_ns(&self) -> Option<u64> {
        self.in_flight.front().map(|(at_ns, _)| *at_ns)
    }

    pub(crate) fn receive(&mut self) -> Option<(u64, F)> {
        self.in_flight.pop_front()
    }
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): the sequence is part
/// of the model, so it must never change with a library version.
#[derive(Debug, Clone)]
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    fn next_fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
