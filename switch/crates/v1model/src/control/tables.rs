//! Table entries and default actions.

use super::encode::{EncodedKey, encode_call, encode_key};
use super::entries::{ActionCall, ActionSet, ActionSpec, EntryView, KeyMatch, TableEntry};
use super::error::ControlError;
use super::info::{ActionId, MatchKind, TableId, TableInfo, TableKind};
use crate::phv::limbs;
use crate::program::Program;
use crate::state::index::{Index, Row};
use crate::state::{Choice, Chosen, Entry, Meter, OneShot, TableState};
use crate::switch::Switch;

use super::encode::to_bytes;

/// An empty index of the kind the table needs.
pub(crate) fn index_for(program: &Program, table: TableId) -> Index {
    let info = &program.tables[table.index()];
    if info.has_priority {
        Index::Ordered(Vec::new())
    } else if info.keys.iter().any(|k| k.kind == MatchKind::Lpm) {
        Index::Lpm(Vec::new())
    } else {
        Index::Exact(Default::default())
    }
}

fn identity(info: &TableInfo, key: &EncodedKey, priority: i32) -> Box<[u64]> {
    key.identity(info.has_priority.then_some(priority))
}

fn describe(info: &TableInfo) -> String {
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
    if info.keys.is_empty() {
        return Err(ControlError::Unsupported(format!("table {} has no key and so no entries", info.name)));
    }
    let key = encode_key(program, table, &entry.key)?;
    let (chosen, action) = choose(program, table, &entry.action, true)?;
    let identity = identity(info, &key, entry.priority);
    if state.known.contains_key(&identity) {
        return Err(ControlError::Exists(describe(info)));
    }
    if state.count >= info.max_size {
        return Err(ControlError::Full { what: format!("table {}", info.name), size: info.max_size });
    }
    if !info.has_priority {
        entry.priority = 0;
    }
    entry.key = key.written;
    entry.action = action;
    let (number, sequence) = state.allocate();
    let value: Box<[u64]> = key.value.into();
    state.index.insert(
        Row {
            priority: entry.priority,
            sequence,
            entry: number,
            value: value.clone(),
            mask: key.mask.into(),
            ranges: key.ranges.into(),
        },
        key.prefix_length,
    );
    state.known.insert(identity.clone(), number);
    state.count += 1;
    state.entries[number as usize] = Some(Entry {
        chosen,
        counter: Default::default(),
        meter: Meter::default(),
        last_hit_ns: now_ns,
        idle_reported_ns: 0,
        is_const,
        written: entry,
        identity,
        value,
        prefix_length: key.prefix_length,
        sequence,
    });
    Ok(())
}

/// What an entry does, encoded, and the same as written.
fn choose(
    program: &Program,
    table: TableId,
    action: &ActionSpec,
    hit: bool,
) -> Result<(Chosen, ActionSpec), ControlError> {
    let info = &program.tables[table.index()];
    let wrong =
        |message: &str| Err(ControlError::WrongActionKind { table: info.name.clone(), message: message.to_owned() });
    match (action, info.kind) {
        (ActionSpec::Call(call), TableKind::Direct) => {
            let (entry, written) = encode_call(program, table, call, hit)?;
            Ok((Chosen::Call(entry), ActionSpec::Call(written)))
        }
        (_, TableKind::Direct) => wrong("takes actions, not members or groups"),
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
        (ActionSpec::Call(_), _) => wrong("takes members of its action profile, not actions"),
        (_, TableKind::Profile(_)) => wrong("takes members of its action profile; it has no selector"),
    }
}

impl Switch {
    /// The table with its state; errors if there is none.
    fn table_parts(&mut self, table: TableId) -> Result<(&Program, &mut TableState, &TableInfo), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let unknown = || ControlError::Unknown { kind: "table", name: table.0.to_string() };
        let info = program.tables.get(table.index()).ok_or_else(unknown)?;
        let state = self.tables.get_mut(table.index()).ok_or_else(unknown)?;
        Ok((program, state, info))
    }

    pub(super) fn table_view(&self, table: TableId) -> Result<(&Program, &TableState, &TableInfo), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let unknown = || ControlError::Unknown { kind: "table", name: table.0.to_string() };
        let info = program.tables.get(table.index()).ok_or_else(unknown)?;
        let state = self.tables.get(table.index()).ok_or_else(unknown)?;
        Ok((program, state, info))
    }

    /// The number of the entry with this key and priority.
    fn entry_number(&self, table: TableId, key: &[KeyMatch], priority: i32) -> Result<u32, ControlError> {
        let (program, state, info) = self.table_view(table)?;
        let key = encode_key(program, table, key)?;
        let identity = identity(info, &key, priority);
        state.known.get(&identity).copied().ok_or_else(|| ControlError::NotFound(describe(info)))
    }

    /// The entry with this key and priority, to be changed.
    pub(super) fn entry_mut(
        &mut self,
        table: TableId,
        key: &[KeyMatch],
        priority: i32,
    ) -> Result<&mut Entry, ControlError> {
        let number = self.entry_number(table, key, priority)?;
        let (_, state, info) = self.table_parts(table)?;
        let entry = state.entries.get_mut(number as usize).and_then(Option::as_mut);
        entry.ok_or_else(|| ControlError::NotFound(describe(info)))
    }

    /// The entry with this key and priority.
    pub(super) fn entry_ref(&self, table: TableId, key: &[KeyMatch], priority: i32) -> Result<&Entry, ControlError> {
        let number = self.entry_number(table, key, priority)?;
        let (_, state, info) = self.table_view(table)?;
        let entry = state.entries.get(number as usize).and_then(Option::as_ref);
        entry.ok_or_else(|| ControlError::NotFound(describe(info)))
    }

    fn check_changeable(info: &TableInfo) -> Result<(), ControlError> {
        if info.const_entries { Err(ControlError::Constant(format!("table {}", info.name))) } else { Ok(()) }
    }

    /// Members and groups that an action names must exist.
    fn check_profile(&self, table: TableId, action: &ActionSpec) -> Result<(), ControlError> {
        let (_, _, info) = self.table_view(table)?;
        let (TableKind::Profile(id) | TableKind::Selector(id)) = info.kind else {
            return Ok(());
        };
        let profile = self.profiles.get(id.index()).ok_or(ControlError::NoProgram)?;
        match action {
            ActionSpec::Member(member) if !profile.members.contains_key(member) => {
                Err(ControlError::NotFound(format!("member {member}")))
            }
            ActionSpec::Group(group) if !profile.groups.contains_key(group) => {
                Err(ControlError::NotFound(format!("group {group}")))
            }
            _ => Ok(()),
        }
    }

    fn check_timeout(info: &TableInfo, entry: &TableEntry) -> Result<(), ControlError> {
        if entry.idle_timeout_ns != 0 && !info.support_timeout {
            return Err(ControlError::Unsupported(format!("entries of table {} cannot time out", info.name)));
        }
        Ok(())
    }

    /// Adds an entry.
    pub fn table_insert(&mut self, table: TableId, entry: TableEntry, now_ns: u64) -> Result<(), ControlError> {
        self.check_profile(table, &entry.action)?;
        let (program, state, info) = self.table_parts(table)?;
        Self::check_changeable(info)?;
        Self::check_timeout(info, &entry)?;
        insert_entry(program, table, state, entry, now_ns, false)
    }

    /// Gives the entry with this key and priority another action (or data, or time-out). Its direct counter stays.
    pub fn table_modify(&mut self, table: TableId, entry: TableEntry, now_ns: u64) -> Result<(), ControlError> {
        self.check_profile(table, &entry.action)?;
        let (program, _, info) = self.table_view(table)?;
        Self::check_changeable(info)?;
        Self::check_timeout(info, &entry)?;
        let (chosen, written) = choose(program, table, &entry.action, true)?;
        let present = self.entry_mut(table, &entry.key, entry.priority)?;
        present.chosen = chosen;
        present.written.action = written;
        present.written.idle_timeout_ns = entry.idle_timeout_ns;
        present.written.metadata = entry.metadata;
        present.last_hit_ns = now_ns;
        Ok(())
    }

    /// Removes the entry with this key and priority.
    pub fn table_delete(&mut self, table: TableId, key: &[KeyMatch], priority: i32) -> Result<(), ControlError> {
        let number = self.entry_number(table, key, priority)?;
        let (_, state, info) = self.table_parts(table)?;
        Self::check_changeable(info)?;
        state.remove(number).map(|_| ()).ok_or_else(|| ControlError::NotFound(describe(info)))
    }

    /// Removes all entries that are not constant.
    pub fn table_clear(&mut self, table: TableId) -> Result<(), ControlError> {
        let (_, state, info) = self.table_parts(table)?;
        Self::check_changeable(info)?;
        state.clear();
        Ok(())
    }

    /// The entry with this key and priority.
    pub fn table_entry(&self, table: TableId, key: &[KeyMatch], priority: i32) -> Result<EntryView, ControlError> {
        let entry = self.entry_ref(table, key, priority)?;
        let (_, _, info) = self.table_view(table)?;
        Ok(view(info, entry))
    }

    /// All entries, constant ones included, in the order they were added.
    pub fn table_entries(&self, table: TableId) -> Result<Vec<EntryView>, ControlError> {
        let (_, state, info) = self.table_view(table)?;
        let mut entries: Vec<&Entry> = state.entries.iter().flatten().collect();
        entries.sort_by_key(|entry| entry.sequence);
        Ok(entries.into_iter().map(|entry| view(info, entry)).collect())
    }

    /// Sets what the table does on a miss. Tables with an action profile take a member or group.
    pub fn table_set_default(&mut self, table: TableId, action: ActionSpec) -> Result<(), ControlError> {
        self.check_profile(table, &action)?;
        let (program, state, info) = self.table_parts(table)?;
        if info.const_default_action {
            return Err(ControlError::Constant(format!("the default action of table {}", info.name)));
        }
        state.default = Some(choose(program, table, &action, false)?.0);
        Ok(())
    }

    /// Back to the program's default action.
    pub fn table_reset_default(&mut self, table: TableId) -> Result<(), ControlError> {
        let (program, state, info) = self.table_parts(table)?;
        if info.const_default_action {
            return Err(ControlError::Constant(format!("the default action of table {}", info.name)));
        }
        state.default = program.table_code[table.index()].default.clone().map(Chosen::Call);
        Ok(())
    }

    /// What the table does on a miss; `None`: nothing.
    pub fn table_default(&self, table: TableId) -> Result<Option<ActionSpec>, ControlError> {
        let (program, state, _) = self.table_view(table)?;
        Ok(state.default.as_ref().map(|chosen| match chosen {
            Chosen::Call(call) => ActionSpec::Call(shown(program, call.action, &call.data)),
            Chosen::Member(member) => ActionSpec::Member(*member),
            Chosen::Group(group) => ActionSpec::Group(*group),
            Chosen::OneShot(group) => {
                let weighted = group.actions.iter().map(|(choice, call)| super::entries::WeightedAction {
                    call: shown(program, call.action, &call.data),
                    weight: choice.weight,
                    watch_port: choice.watch_port,
                });
                ActionSpec::OneShot(ActionSet { actions: weighted.collect(), selection: group.selection })
            }
        }))
    }

    /// The program's own default action; `None`: nothing.
    pub fn table_initial_default(&self, table: TableId) -> Result<Option<ActionCall>, ControlError> {
        let (program, _, _) = self.table_view(table)?;
        let default = program.table_code[table.index()].default.as_ref();
        Ok(default.map(|call| shown(program, call.action, &call.data)))
    }
}

/// An action call for the control plane.
fn shown(program: &Program, action: u32, data: &[u64]) -> ActionCall {
    let params = program.action_code[action as usize].params.iter().map(|(limb, width)| {
        let start = *limb as usize;
        to_bytes(data.get(start..start + limbs(*width)).unwrap_or(&[]), *width)
    });
    ActionCall { action: ActionId(action), params: params.collect() }
}

fn view(info: &TableInfo, entry: &Entry) -> EntryView {
    EntryView {
        entry: entry.written.clone(),
        is_const: entry.is_const,
        counter: info.with_counters.then_some(entry.counter),
        meter: info.direct_meter.and_then(|_| entry.meter.config()),
        meter_counts: info.direct_meter.map(|_| entry.meter.counts()),
        last_hit_ns: entry.last_hit_ns,
    }
}
