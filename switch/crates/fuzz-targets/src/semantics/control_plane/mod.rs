//! A control plane for both sides: it sets up state before packets come, and reads state afterwards.

mod counters;
mod digests;
mod entries;
mod objects;
mod replication;
mod value_sets;

use fuzz_oracle::random::Random;
use fuzz_oracle::reference::Memory;
use p4_types::typed::Program;
use v1model::Switch;

use objects::Objects;

/// The control plane of a program.
pub(crate) struct ControlPlane {
    objects: Objects,
    /// The entries that it has written.
    written: entries::Written,
}

impl ControlPlane {
    /// Sets up the same in the switch and for the reference.
    ///
    /// # Errors
    /// A change that the switch refuses.
    pub fn set_up(
        program: &Program,
        random: &mut Random,
        switch: &mut Switch,
        memory: &mut Memory,
    ) -> Result<Self, String> {
        replication::set_up(switch, memory)?;
        value_sets::write(program, random, switch, memory)?;
        let objects = Objects::of(program);
        let written = entries::write(program, &objects, random, switch, memory)?;
        Ok(Self { objects, written })
    }

    /// Compares the counts and the digests of both sides.
    ///
    /// # Errors
    /// A difference between the two.
    pub fn compare(&self, switch: &mut Switch, memory: &Memory) -> Result<(), String> {
        counters::compare(&self.objects, switch, memory)?;
        counters::compare_direct(&self.written, switch, memory)?;
        digests::compare(switch, memory)
    }

    /// How many entries it has written.
    pub fn entries(&self) -> usize {
        self.written.len()
    }
}
