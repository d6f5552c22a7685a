//! Table entries and default actions.

use crate::code::Program;
use crate::state::{Chosen, Entry, TableState, choose, describe, encode_key, insert_entry, shown};
use crate::switch::Switch;
use crate::types::{
    ActionCall, ActionSet, ActionSpec, ControlError, EntryView, KeyMatch, TableEntry, TableId, TableInfo, TableKind,
    WeightedAction,
};

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
        state.same(&key, priority).ok_or_else(|| ControlError::NotFound(describe(info)))
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
        let (chosen, action) = choose(program, table, &entry.action, true)?;
        let number = self.entry_number(table, &entry.key, entry.priority)?;
        let (program, state, info) = self.table_parts(table)?;
        let present = state.entries.get_mut(number as usize).and_then(Option::as_mut);
        let present = present.ok_or_else(|| ControlError::NotFound(describe(info)))?;
        let TableEntry { idle_timeout_ns, metadata, .. } = entry;
        let written = TableEntry { action, idle_timeout_ns, metadata, ..present.written(program, table.index()) };
        present.rewrite(program, table.index(), written);
        present.chosen = chosen;
        present.last_hit_ns = now_ns;
        state.changes += 1;
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
        let (program, _, info) = self.table_view(table)?;
        Ok(view(program, info, entry))
    }

    /// All entries, constant ones included, in the order they were added.
    pub fn table_entries(&self, table: TableId) -> Result<Vec<EntryView>, ControlError> {
        let (program, state, info) = self.table_view(table)?;
        let mut entries: Vec<&Entry> = state.entries.iter().flatten().collect();
        entries.sort_by_key(|entry| entry.sequence);
        Ok(entries.into_iter().map(|entry| view(program, info, entry)).collect())
    }

    /// Sets the action that the table runs on a miss. Tables with an action profile take a member or group as well as
    /// an action.
    pub fn table_set_default(&mut self, table: TableId, action: ActionSpec) -> Result<(), ControlError> {
        self.check_profile(table, &action)?;
        let (program, state, info) = self.table_parts(table)?;
        if info.const_default_action {
            return Err(ControlError::Constant(format!("the default action of table {}", info.name)));
        }
        state.set_default(Some(choose(program, table, &action, false)?.0));
        Ok(())
    }

    /// Back to the program's default action.
    pub fn table_reset_default(&mut self, table: TableId) -> Result<(), ControlError> {
        let (program, state, info) = self.table_parts(table)?;
        if info.const_default_action {
            return Err(ControlError::Constant(format!("the default action of table {}", info.name)));
        }
        state.set_default(program.table_code[table.index()].default.clone().map(Chosen::Call));
        Ok(())
    }

    /// The action that the table runs on a miss; `None`: it has none.
    pub fn table_default(&self, table: TableId) -> Result<Option<ActionSpec>, ControlError> {
        let (program, state, _) = self.table_view(table)?;
        Ok(state.default.as_ref().map(|chosen| match chosen {
            Chosen::Call(call) => ActionSpec::Call(shown(program, call)),
            Chosen::Member(member) => ActionSpec::Member(*member),
            Chosen::Group(group) => ActionSpec::Group(*group),
            Chosen::OneShot(group) => {
                let weighted = group.actions.iter().map(|(choice, call)| WeightedAction {
                    call: shown(program, call),
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
        Ok(default.map(|call| shown(program, call)))
    }
}

pub(super) fn view(program: &Program, info: &TableInfo, entry: &Entry) -> EntryView {
    EntryView {
        entry: entry.written(program, info.id.index()),
        is_const: entry.is_const,
        counter: info.with_counters.then_some(entry.counter),
        meter: entry.meter.as_ref().and_then(|meter| meter.config()),
        meter_counts: entry.meter.as_ref().map(|meter| meter.counts()),
        last_hit_ns: entry.last_hit_ns,
        hits: entry.hits,
    }
}
