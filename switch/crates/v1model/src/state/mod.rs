//! The state that changes while a switch runs.

mod bucket;
mod encode;
mod hash;
mod index;
mod insert;
mod meters;
mod prioritized;
mod profile;
mod random;
mod registers;
mod replication;
mod row;
mod table;
mod written_entry;

use crate::types::{CounterValue, Digest, SwitchStats, ValueSetMember};
use std::collections::VecDeque;

pub(crate) use encode::{encode_key, encode_params, to_bytes, to_limbs};
pub(crate) use insert::{choose, describe, index_for, insert_entry};
pub(crate) use meters::Meter;
pub(crate) use profile::{Choice, ProfileState};
pub(crate) use random::Random;
pub(crate) use registers::RegisterArray;
pub(crate) use replication::Replication;
pub(crate) use table::{Chosen, Entry, TableState};
pub(crate) use written_entry::shown;

use crate::code::Program;
use crate::custom_crc::CustomCrc;
use crate::packet::Packet;
use crate::trace::{TraceEvent, TraceStep, Tracer};

/// Digests kept for the control plane.
const MAX_DIGESTS: usize = 65_536;

/// The state that packets and their actions change.
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
    /// CRCs that the control plane has given other parameters, by calculation; empty before the first.
    pub custom_crcs: Vec<Option<Box<CustomCrc>>>,
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

    /// Notes a step of a traced packet.
    pub fn note(&mut self, packet: u32, time_us: u64, step: TraceStep) {
        if let Some(tracer) = &mut self.tracer {
            tracer.push(TraceEvent { packet, time_us, step });
        }
    }

    /// Keeps the header vector of a traced packet to compare it with later.
    pub fn keep_before(&mut self, packet: &Packet) {
        if let Some(tracer) = &mut self.tracer {
            tracer.keep(&packet.phv);
        }
    }
}
