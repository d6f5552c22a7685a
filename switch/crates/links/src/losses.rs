//! Which packets a wire loses, as it happens.

use crate::loss_model::{FilteredLoss, GilbertElliott, LossModel};
use crate::random::SplitMix64;

/// The losses of one link direction: those of all packets, and those of some alone. Each has a sequence of its own and
/// sees every packet that concerns it, whatever the others say, so none shifts another.
#[derive(Debug)]
pub(crate) struct Losses {
    of_all: LossProcess,
    filtered: Vec<Filtered>,
}

#[derive(Debug)]
struct Filtered {
    described: FilteredLoss,
    seed: u64,
    process: LossProcess,
}

impl Losses {
    pub(crate) fn new(model: &LossModel, filtered: &[FilteredLoss], seed: u64) -> Self {
        let mut losses = Self { of_all: LossProcess::new(model.clone(), seed), filtered: Vec::new() };
        losses.set_filtered(filtered, seed);
        losses
    }

    /// Holds from the next packet on.
    pub(crate) fn set_model(&mut self, model: &LossModel) {
        self.of_all.set_model(model);
    }

    /// Holds from the next packet on. A filter that was there before goes on in its sequence.
    pub(crate) fn set_filtered(&mut self, filtered: &[FilteredLoss], seed: u64) {
        let mut before = std::mem::take(&mut self.filtered);
        for described in filtered {
            let name = described.filter.to_string();
            let alike = self.filtered.iter().filter(|other| other.described.filter == described.filter).count();
            let seed = seed ^ fnv1a(&name).rotate_left(u32::try_from(alike).unwrap_or(u32::MAX) % 64);
            let known =
                before.iter().position(|other| other.seed == seed && other.described.filter == described.filter);
            let mut process = match known {
                Some(index) => before.swap_remove(index).process,
                None => LossProcess::new(described.loss.clone(), seed),
            };
            process.set_model(&described.loss);
            self.filtered.push(Filtered { described: described.clone(), seed, process });
        }
    }

    /// Decides about the next packet.
    pub(crate) fn loses(&mut self, frame: &[u8]) -> bool {
        let bytes = frame.len();
        let mut is_lost = self.of_all.loses(bytes);
        for filtered in &mut self.filtered {
            if filtered.described.filter.matches(frame) {
                is_lost |= filtered.process.loses(bytes);
            }
        }
        is_lost
    }
}

/// A loss model and where it has got to.
#[derive(Debug)]
struct LossProcess {
    model: LossModel,
    random: SplitMix64,
    /// Gilbert–Elliott: which state.
    is_bad: bool,
    /// Packets since the model holds.
    packets: u64,
    /// Index of the next number in the list of packets.
    next: usize,
}

impl LossProcess {
    fn new(model: LossModel, seed: u64) -> Self {
        Self { model, random: SplitMix64::new(seed), is_bad: false, packets: 0, next: 0 }
    }

    /// The random sequence goes on; packets are counted afresh. The same model as before changes nothing.
    fn set_model(&mut self, model: &LossModel) {
        if *model == self.model {
            return;
        }
        if !matches!((&self.model, model), (LossModel::GilbertElliott(_), LossModel::GilbertElliott(_))) {
            self.is_bad = false;
        }
        self.model = model.clone();
        (self.packets, self.next) = (0, 0);
    }

    fn loses(&mut self, bytes: usize) -> bool {
        match &self.model {
            LossModel::Independent(p) => *p > 0.0 && self.random.happens(*p),
            LossModel::PerByte(p) => self.random.happens(any_of(*p, bytes)),
            LossModel::PerBit(p) => self.random.happens(any_of(*p, bytes * 8)),
            LossModel::GilbertElliott(chain) => {
                let GilbertElliott { p, r, loss_good, loss_bad } = *chain;
                let (loss, change) = if self.is_bad { (loss_bad, r) } else { (loss_good, p) };
                let is_lost = self.random.happens(loss);
                self.is_bad ^= self.random.happens(change);
                is_lost
            }
            LossModel::Every(nth) => {
                self.packets += 1;
                self.packets.is_multiple_of(*nth)
            }
            LossModel::Packets(numbers) => {
                self.packets += 1;
                let is_listed = numbers.get(self.next) == Some(&self.packets);
                self.next += usize::from(is_listed);
                is_listed
            }
        }
    }
}

/// Probability that at least one of `count` independent events of probability `p` happens: 1 − (1 − p)^count, without the
/// cancellation of a small p.
fn any_of(p: f64, count: usize) -> f64 {
    -((-p).ln_1p() * count as f64).exp_m1()
}

/// FNV-1a, 64 bits (draft-eastlake-fnv): makes another seed of a filter's text.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
