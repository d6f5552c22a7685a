//! Present values of tables, counters and registers, for callers that read them often. Nothing is looked up by key;
//! empty entries and cells are passed over without a copy.

use std::ops::Range;

use crate::switch::Switch;
use crate::types::{ControlError, CounterId, CounterValue, EntryHits, EntryView, RegisterId, TableCounts, TableId};

use super::tables::view;

impl Switch {
    /// How often entries of a table were found, and how often none was.
    pub fn table_counts(&self, table: TableId) -> Result<TableCounts, ControlError> {
        let (_, state, _) = self.table_view(table)?;
        Ok(TableCounts { entries: state.count, hits: state.hits, misses: state.misses, changes: state.changes })
    }

    /// The hits of entries with these numbers, which begin at 0. The second value is larger than every number in use.
    pub fn entry_hits(
        &self,
        table: TableId,
        numbers: Range<usize>,
    ) -> Result<(impl Iterator<Item = EntryHits>, usize), ControlError> {
        let (_, state, _) = self.table_view(table)?;
        let end = state.entries.len();
        let numbers = numbers.start.min(end)..numbers.end.min(end);
        let there = state.entries.get(numbers.clone()).unwrap_or(&[]).iter().zip(numbers);
        let hits = there.filter_map(|(entry, number)| {
            let entry = entry.as_ref()?;
            Some(EntryHits { number: u32::try_from(number).ok()?, id: entry.sequence, hits: entry.hits })
        });
        Ok((hits, end))
    }

    /// The entry with a number that [`entry_hits`](Self::entry_hits) has given.
    pub fn entry_numbered(&self, table: TableId, number: u32) -> Result<Option<EntryView>, ControlError> {
        let (program, state, info) = self.table_view(table)?;
        let entry = state.entries.get(number as usize).and_then(Option::as_ref);
        Ok(entry.map(|entry| view(program, info, entry)))
    }

    /// Indexes of the cells of a register that are not 0.
    pub fn cells_in_use(
        &self,
        register: RegisterId,
        among: Range<usize>,
    ) -> Result<impl Iterator<Item = usize>, ControlError> {
        let unknown = || ControlError::Unknown { kind: "register", name: register.0.to_string() };
        let array = self.memory.registers.get(register.index()).ok_or_else(unknown)?;
        Ok(among.filter(|index| array.cell(*index as u64).iter().any(|limb| *limb != 0)))
    }

    /// All cells of an indirect counter.
    pub fn counter_cells(&self, counter: CounterId) -> Result<&[CounterValue], ControlError> {
        let unknown = || ControlError::Unknown { kind: "counter", name: counter.0.to_string() };
        Ok(self.memory.counters.get(counter.index()).ok_or_else(unknown)?)
    }
}
