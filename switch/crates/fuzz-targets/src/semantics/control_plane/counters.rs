//! The counts of counters.

use fuzz_oracle::reference::{Count, Memory};
use v1model::{CounterValue, Switch};

use super::entries::Written;
use super::objects::Objects;

/// Compares the counters of both sides, cell by cell.
pub(super) fn compare(objects: &Objects, switch: &Switch, memory: &Memory) -> Result<(), String> {
    for (object, kind) in &objects.externs {
        if kind != "counter" {
            continue;
        }
        // One that nothing uses is not in the compiled program.
        let (Some(id), cells) = (switch.counter_id(&object.name), memory.counters.get(&object.path)) else { continue };
        for cell in 0..fuzz_oracle::generate::CELLS {
            let found = switch.counter_read(id, cell).map_err(|error| error.to_string())?;
            let expected = cells.and_then(|cells| cells.get(&cell)).copied().unwrap_or_default();
            same(&format!("{}[{cell}]", object.name), expected, found)?;
        }
    }
    Ok(())
}

/// Compares the direct counters of the entries that the control plane has written.
pub(super) fn compare_direct(written: &Written, switch: &Switch, memory: &Memory) -> Result<(), String> {
    for table in &written.tables {
        let counts = memory.direct_counters.get(&table.path);
        let entries = if table.with_counters { table.entries.as_slice() } else { &[] };
        for (position, (key, priority)) in entries.iter().enumerate() {
            let found = switch.direct_counter_read(table.id, Some((key, *priority)));
            let found = found.map_err(|error| error.to_string())?;
            let expected = counts.and_then(|counts| counts.get(&position)).copied().unwrap_or_default();
            same(&format!("entry {position} of {}", table.name), expected, found)?;
        }
    }
    Ok(())
}

fn same(what: &str, expected: Count, found: CounterValue) -> Result<(), String> {
    let found = Count { packets: found.packets, bytes: found.bytes };
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{}\n  counter:   {what}\n  reference: {expected:?}\n  switch:    {found:?}",
        crate::semantics::DIFFERENT
    ))
}
