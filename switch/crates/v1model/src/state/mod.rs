//! What changes while a switch runs.

pub(crate) mod index;
mod meters;
mod profile;
mod random;
mod registers;
mod replication;
mod table;

use std::collections::VecDeque;

pub(crate) use meters::Meter;
pub(crate) use profile::{Choice, OneShot, ProfileState};
pub(crate) use random::Random;
pub(crate) use registers::RegisterArray;
pub(crate) use replication::Replication;
pub(crate) use table::{ActionEntry, Chosen, Entry, TableState};

use crate::control::{CounterValue, Digest, ValueSetMember};
use crate::program::Program;
use crate::switch::SwitchStats;
use crate::trace::Tracer;

/// Digests kept for the control plane.
const MAX_DIGESTS: usize = 65_536;

/// What actions change.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub registers: Vec<RegisterArray>,
    pub counters: Vec<Vec<CounterValue>>,
    /// Indirect meters; direct ones are in the entries and have no cells here.
    pub meters: Vec<Vec<Meter>>,
    pub value_sets: Vec<ValueSet>,
    pub digests: VecDeque<Digest>,
    pub random: Random,
    /// A counter for each calculation.
    pub round_robin: Vec<u64>,
    pub stats: SwitchStats,
    /// Reused for hash inputs and long parser keys.
    pub scratch: Vec<u8>,
    /// Notes on chosen packets, if somebody wants them.
    pub tracer: Option<Box<Tracer>>,
    /// Reused for long table keys.
    pub key: Vec<u64>,
}

/// Members of a parser value set.
#[derive(Debug, Default)]
pub(crate) struct ValueSet {
    pub members: Vec<ValueSetMember>,
}

impl Memory {
    pub fn new(program: &Program, seed: u64) -> Self {
        let meters = program.meters.iter().map(|meter| {
            let cells = if meter.table.is_some() { 0 } else { meter.size };
            vec![Meter::default(); cells]
        });
        Self {
            registers: program.registers.iter().map(|r| RegisterArray::new(r.width, r.size)).collect(),
            counters: program.counters.iter().map(|c| vec![CounterValue::default(); c.size]).collect(),
            meters: meters.collect(),
            value_sets: program.value_sets.iter().map(|_| ValueSet::default()).collect(),
            random: Random::new(seed),
            round_robin: vec![0; program.calculations.len()],
            ..Self::default()
        }
    }

    /// Keeps a digest for the control plane, if there is room.
    pub fn push_digest(&mut self, digest: Digest) {
        if self.digests.len() < MAX_DIGESTS {
            self.digests.push_back(digest);
        } else {
            self.stats.digests_lost += 1;
        }
    }
}

impl CounterValue {
    #[inline]
    pub(crate) fn add(&mut self, bytes: u32) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(u64::from(bytes));
    }
}
