//! The state of the switches' programs over time: tables with their entries and hits, registers, counters. It is for
//! people: each of these is told whole when it has changed, and no more of it than a person can read.
//!
//! To look takes the forwarding thread's time: of large tables and arrays it looks at a part each time.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde::Serialize;
use v1model::{
    ControlError, CounterId, CounterValue, EntryHits, EntryView, Program, Switch, TableInfo, shown_match, shown_value,
};

use super::Core;
use super::show::{action, kind_name, named_tables};
use crate::rounds;

/// Entries of a table that are told: those with most hits.
const MOST_ENTRIES: usize = 25;
/// Cells of a register or counter that are told: the first that are not 0.
const MOST_CELLS: usize = 32;
/// Entries of a table that are looked at each time.
const ENTRIES_AT_ONCE: usize = 16_384;
/// Cells of a register or counter that are looked at.
const CELLS_LOOKED_AT: usize = 65_536;
/// Of the file: so many bytes at once, and so many a second.
const BYTES: u64 = 1 << 20;
const BYTES_PER_SECOND: u64 = 1 << 15;
const SECOND_NS: u64 = 1_000_000_000;

/// A line of the file: the changes in a switch.
#[derive(Debug, Serialize)]
pub(crate) struct StateLine {
    time_ns: u64,
    switch: String,
    /// A program that the switch did not have before; all that was told is void.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<Declared>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<TableState>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registers: Vec<RegisterState>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counters: Vec<CounterState>,
}

#[derive(Debug, Serialize)]
struct Declared {
    tables: Vec<DeclaredTable>,
    registers: Vec<DeclaredArray>,
    counters: Vec<DeclaredArray>,
}

#[derive(Debug, Serialize)]
struct DeclaredTable {
    name: String,
    keys: Vec<DeclaredKey>,
    size: usize,
    priorities: bool,
}

#[derive(Debug, Serialize)]
struct DeclaredKey {
    name: String,
    kind: &'static str,
    bits: u32,
}

#[derive(Debug, Serialize)]
struct DeclaredArray {
    name: String,
    cells: usize,
    looked_at: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<u32>,
}

#[derive(Debug, Serialize)]
struct TableState {
    name: String,
    #[serde(flatten)]
    told: TableTold,
    /// The action of a miss, and entries: those that were not told before, or all if any has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    described: Vec<Described>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct TableTold {
    entries: usize,
    hits: u64,
    misses: u64,
    /// Ids and hits.
    shown: Vec<(u64, u64)>,
}

#[derive(Debug, Serialize)]
struct Described {
    id: u64,
    key: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i32>,
    action: String,
}

#[derive(Debug, Serialize)]
struct RegisterState {
    name: String,
    #[serde(flatten)]
    told: RegisterTold,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct RegisterTold {
    /// Cells that are not 0, of those that are looked at.
    in_use: usize,
    /// Indexes and values.
    shown: Vec<(usize, String)>,
}

#[derive(Debug, Serialize)]
struct CounterState {
    name: String,
    #[serde(flatten)]
    told: CounterTold,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct CounterTold {
    in_use: usize,
    /// Indexes, packets, bytes.
    shown: Vec<(usize, u64, u64)>,
}

/// The state of a table that has been told.
#[derive(Debug, Default)]
struct WatchedTable {
    told: TableTold,
    /// The table's count of changes at that time; nothing before the first.
    changes: Option<u64>,
    described: HashSet<u64>,
    /// Numbers of the entries with most hits as far as is known.
    best: Vec<u32>,
    /// Of a large table: where the next look begins.
    next: usize,
}

#[derive(Debug)]
struct WatchedSwitch {
    program: Weak<Program>,
    tables: Vec<WatchedTable>,
    registers: Vec<RegisterTold>,
    counters: Vec<CounterTold>,
}

/// Looks at all switches every now and then.
#[derive(Debug)]
pub(crate) struct StateWatcher {
    interval_ns: u64,
    due_ns: u64,
    began_ns: u64,
    written: Arc<AtomicU64>,
    switches: Vec<Option<WatchedSwitch>>,
}

impl StateWatcher {
    pub(crate) fn new(interval: Duration, now_ns: u64) -> Self {
        let interval_ns = u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX).max(1);
        let due_ns = rounds::next_ns(now_ns, interval_ns);
        Self { interval_ns, due_ns, began_ns: now_ns, written: Arc::default(), switches: Vec::new() }
    }

    /// Where the writer says how long the file is, in bytes.
    pub(crate) fn written(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.written)
    }

    /// Appends the changes, if it is time or `now`, unless the file has grown too fast.
    pub(crate) fn look(&mut self, core: &Core, now_ns: u64, now: bool, lines: &mut Vec<StateLine>) {
        if now_ns < self.due_ns && !now {
            return;
        }
        self.due_ns = rounds::next_ns(now_ns, self.interval_ns);
        let seconds = now_ns.saturating_sub(self.began_ns) / SECOND_NS;
        if self.written.load(Ordering::Relaxed) > BYTES + seconds.saturating_mul(BYTES_PER_SECOND) {
            return;
        }
        self.switches.resize_with(core.nodes.len(), || None);
        for (node, watched) in core.nodes.iter().zip(&mut self.switches) {
            // A table that is not there is no error: the program has gone meanwhile.
            let Ok(Some(line)) = changed(&node.switch, watched) else { continue };
            lines.push(StateLine { time_ns: now_ns, switch: node.name.to_string(), ..line });
        }
    }
}

/// The changes in a switch; `None` if there are none.
fn changed(switch: &Switch, watched: &mut Option<WatchedSwitch>) -> Result<Option<StateLine>, ControlError> {
    let Some(program) = switch.program() else { return Ok(None) };
    let is_new = watched.as_ref().is_none_or(|known| known.program.as_ptr() != Arc::as_ptr(program));
    if is_new {
        *watched = Some(WatchedSwitch::new(program));
    }
    let Some(known) = watched else { return Ok(None) };
    let mut line = StateLine {
        time_ns: 0,
        switch: String::new(),
        program: is_new.then(|| declared(program)),
        tables: Vec::new(),
        registers: Vec::new(),
        counters: Vec::new(),
    };
    for (info, table) in named_tables(program).zip(&mut known.tables) {
        line.tables.extend(table.changed(switch, program, info)?);
    }
    for (info, told) in program.registers().iter().zip(&mut known.registers) {
        let mut now = RegisterTold::default();
        for index in switch.cells_in_use(info.id, 0..info.size.min(CELLS_LOOKED_AT))? {
            now.in_use += 1;
            if now.in_use <= MOST_CELLS {
                now.shown.push((index, shown_value(&switch.register_read(info.id, index)?, info.width)));
            }
        }
        if *told != now {
            told.clone_from(&now);
            line.registers.push(RegisterState { name: info.name.clone(), told: now });
        }
    }
    for (index, (info, told)) in program.counters().iter().zip(&mut known.counters).enumerate() {
        let cells = switch.counter_cells(CounterId(u32::try_from(index).unwrap_or(u32::MAX)))?;
        let counted = |cell: &CounterValue| cell.packets != 0 || cell.bytes != 0;
        let mut in_use = cells.iter().take(CELLS_LOOKED_AT).enumerate().filter(|(_, cell)| counted(cell));
        let shown: Vec<_> = (&mut in_use).take(MOST_CELLS).map(|(at, cell)| (at, cell.packets, cell.bytes)).collect();
        let now = CounterTold { in_use: shown.len() + in_use.count(), shown };
        if *told != now {
            told.clone_from(&now);
            line.counters.push(CounterState { name: info.name.clone(), told: now });
        }
    }
    let has_news = is_new || !(line.tables.is_empty() && line.registers.is_empty() && line.counters.is_empty());
    Ok(has_news.then_some(line))
}

impl WatchedSwitch {
    fn new(program: &Arc<Program>) -> Self {
        Self {
            program: Arc::downgrade(program),
            tables: named_tables(program).map(|_| WatchedTable::default()).collect(),
            registers: vec![RegisterTold::default(); program.registers().len()],
            counters: vec![CounterTold::default(); program.counters().len()],
        }
    }
}

impl WatchedTable {
    fn changed(
        &mut self,
        switch: &Switch,
        program: &Program,
        info: &TableInfo,
    ) -> Result<Option<TableState>, ControlError> {
        let counts = switch.table_counts(info.id)?;
        let have_changed = self.changes != Some(counts.changes);
        let best = self.best(switch, info)?;
        let told = TableTold {
            entries: counts.entries,
            hits: counts.hits,
            misses: counts.misses,
            shown: best.iter().map(|entry| (entry.id, entry.hits)).collect(),
        };
        if !have_changed && told == self.told {
            return Ok(None);
        }
        if have_changed {
            self.described.clear();
        }
        let mut described = Vec::new();
        for entry in &best {
            if self.described.insert(entry.id)
                && let Some(view) = switch.entry_numbered(info.id, entry.number)?
            {
                described.push(described_entry(program, info, entry.id, &view));
            }
        }
        let default =
            if have_changed { switch.table_default(info.id)?.map(|spec| action(program, &spec)) } else { None };
        self.changes = Some(counts.changes);
        self.told = told.clone();
        Ok(Some(TableState { name: info.name.clone(), told, default, described }))
    }

    /// The entries with most hits, those that were added first before others. Of a large table, of those that were so at the
    /// last look and of another part of it each time.
    fn best(&mut self, switch: &Switch, info: &TableInfo) -> Result<Vec<EntryHits>, ControlError> {
        let part = self.next..self.next.saturating_add(ENTRIES_AT_ONCE);
        let (looked_at, end) = switch.entry_hits(info.id, part.clone())?;
        let mut found: Vec<EntryHits> = looked_at.collect();
        for number in self.best.iter().map(|number| *number as usize).filter(|number| !part.contains(number)) {
            found.extend(switch.entry_hits(info.id, number..number + 1)?.0);
        }
        self.next = if part.end < end { part.end } else { 0 };
        let order = |entry: &EntryHits| (Reverse(entry.hits), entry.id);
        if found.len() > MOST_ENTRIES {
            found.select_nth_unstable_by_key(MOST_ENTRIES, order);
            found.truncate(MOST_ENTRIES);
        }
        found.sort_unstable_by_key(order);
        self.best = found.iter().map(|entry| entry.number).collect();
        Ok(found)
    }
}

fn described_entry(program: &Program, info: &TableInfo, id: u64, view: &EntryView) -> Described {
    let keys = view.entry.key.iter().zip(&info.keys);
    Described {
        id,
        key: keys.map(|(key, field)| shown_match(key, field.width)).collect(),
        priority: info.has_priority.then_some(view.entry.priority),
        action: action(program, &view.entry.action),
    }
}

fn declared(program: &Program) -> Declared {
    let array = |name: &str, cells: usize, bits| DeclaredArray {
        name: name.to_owned(),
        cells,
        looked_at: cells.min(CELLS_LOOKED_AT),
        bits,
    };
    let key =
        |key: &v1model::KeyInfo| DeclaredKey { name: key.name.clone(), kind: kind_name(key.kind), bits: key.width };
    let table = |info: &TableInfo| DeclaredTable {
        name: info.name.clone(),
        keys: info.keys.iter().map(key).collect(),
        size: info.max_size,
        priorities: info.has_priority,
    };
    Declared {
        tables: named_tables(program).map(table).collect(),
        registers: program.registers().iter().map(|one| array(&one.name, one.size, Some(one.width))).collect(),
        counters: program.counters().iter().map(|one| array(&one.name, one.size, None)).collect(),
    }
}
