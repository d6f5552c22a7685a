//! Putting entries into tables.

use super::encode::{encode_call, encode_key};
use super::index::Index;
use super::prioritized::Prioritized;
use super::profile::{Choice, OneShot};
use super::row::Row;
use super::table::{Chosen, Entry, TableState};
use super::written_entry::WrittenEntry;
use crate::code::Program;
use crate::limbs::Limbs;
use crate::types::{ActionSpec, ControlError, MatchKind, TableEntry, TableId, TableInfo, TableKind};

/// An empty index of the kind the table needs.
pub(crate) fn index_for(program: &Program, table: TableId) -> Index {
    let info = &program.tables[table.index()];
    if info.has_priority {
        Index::Prioritized(Prioritized::default())
    } else if info.keys.iter().any(|k| k.kind == MatchKind::Lpm) {
        Index::Lpm(Vec::new())
    } else {
        Index::Exact(Default::default())
    }
}

/// An entry of the table, in messages.
pub(crate) fn describe(info: &TableInfo) -> String {
    format!("this entry of table {}", info.name)
}

/// Puts an entry into a table whose profile members (if it needs any) are known to be there.
pub(crate) fn insert_entry(
    program: &Program,
    table: TableId,
    state: &mut TableState,
    mut entry: TableEntry,
    now_ns: u64,
    is_const: bool,
) -> Result<(), ControlError> {
    let info = &program.tables[table.index()];
    // A table without a key and with a constant default action takes no entries: it may be a mere call of that action.
    if info.keys.is_empty() && info.const_default_action {
        return Err(ControlError::Unsupported(format!("table {} has no key and so no entries", info.name)));
    }
    let key = encode_key(program, table, &entry.key)?;
    let (chosen, action) = choose(program, table, &entry.action, true)?;
    if state.same(&key, entry.priority).is_some() {
        return Err(ControlError::Exists(describe(info)));
    }
    if state.count >= info.max_size {
        return Err(ControlError::Full { what: format!("table {}", info.name), size: info.max_size });
    }
    if !info.has_priority {
        entry.priority = 0;
    }
    let identity = info.has_priority.then(|| key.identity(entry.priority));
    entry.key = key.written;
    entry.action = action;
    let (number, sequence) = state.allocate();
    let value = Limbs::from(key.value);
    let row = Row { priority: entry.priority, entry: number, sequence, ranges: key.ranges.into() };
    state.index.insert(&value, key.mask, row, key.prefix_length, &state.entries);
    state.known.extend(identity.clone().map(|identity| (identity, number)));
    state.count += 1;
    state.entries[number as usize] = Some(Entry {
        chosen,
        counter: Default::default(),
        meter: info.direct_meter.map(|_| Box::default()),
        last_hit_ns: now_ns,
        hits: 0,
        idle_reported_ns: 0,
        is_const,
        written: WrittenEntry::new(program, table.index(), entry, identity),
        value,
        prefix_length: key.prefix_length,
        sequence,
    });
    Ok(())
}

/// An entry's action, encoded, and the same as written.
pub(crate) fn choose(
    program: &Program,
    table: TableId,
    action: &ActionSpec,
    hit: bool,
) -> Result<(Chosen, ActionSpec), ControlError> {
    let info = &program.tables[table.index()];
    let wrong =
        |message: &str| Err(ControlError::WrongActionKind { table: info.name.clone(), message: message.to_owned() });
    match (action, info.kind) {
        // The action of a miss need not be a member: the program's own default action is none.
        (ActionSpec::Call(call), kind) if kind == TableKind::Direct || !hit => {
            let (entry, written) = encode_call(program, table, call, hit)?;
            Ok((Chosen::Call(entry), ActionSpec::Call(written)))
        }
        (_, TableKind::Direct) => wrong("it takes actions, not members or groups"),
        (ActionSpec::Member(member), _) => Ok((Chosen::Member(*member), action.clone())),
        (ActionSpec::Group(group), TableKind::Selector(_)) => Ok((Chosen::Group(*group), action.clone())),
        (ActionSpec::OneShot(set), TableKind::Selector(_)) => {
            let mut encoded = Vec::with_capacity(set.actions.len());
            let mut written = set.clone();
            for weighted in &mut written.actions {
                if weighted.weight == 0 {
                    return Err(ControlError::Invalid("the weight of an action must be at least 1".to_owned()));
                }
                let (entry, call) = encode_call(program, table, &weighted.call, hit)?;
                weighted.call = call;
                let choice = Choice { member: 0, weight: weighted.weight, watch_port: weighted.watch_port };
                encoded.push((choice, entry));
            }
            let group = OneShot { actions: encoded, selection: set.selection };
            Ok((Chosen::OneShot(Box::new(group)), ActionSpec::OneShot(written)))
        }
        (ActionSpec::Call(_), _) => wrong("its entries take members of its action profile, not actions"),
        (_, TableKind::Profile(_)) => wrong("it takes members of its action profile, which has no selector"),
    }
}
