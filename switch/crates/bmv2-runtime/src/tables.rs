//! Entries of tables by BMv2's handles and priorities, and default actions.

use v1model::{ActionId, ActionSpec, EntryView, KeyInfo, KeyMatch, TableEntry, TableInfo, TableKind};

use crate::handles::Place;
use crate::refusal::table;
use crate::{Code, Kind, Refusal, Runtime, at_most, with_room};

/// Of BMv2's priorities: P4Runtime's are at least 1.
const LEAST_URGENT: i32 = i32::MAX - 1;

/// BMv2 prefers small priorities, P4Runtime great ones: from one to the other, for 0 and more.
#[must_use]
pub fn bmv2_priority(priority: i32) -> i32 {
    i32::MAX - priority.max(0)
}

/// Operations with actions are for tables that have their own.
///
/// # Errors
/// The table has an action profile.
pub fn check_direct(info: &TableInfo) -> Result<(), Refusal> {
    if info.kind == TableKind::Direct {
        Ok(())
    } else {
        Err(wrong_type(info, "it has an action profile; see table_indirect_…"))
    }
}

/// Operations with members are for tables with a profile, those with groups for such with a selector.
///
/// # Errors
/// The table is another one.
pub fn check_indirect(info: &TableInfo, with_groups: bool) -> Result<(), Refusal> {
    match info.kind {
        TableKind::Selector(_) => Ok(()),
        TableKind::Profile(_) if !with_groups => Ok(()),
        TableKind::Profile(_) => Err(wrong_type(info, "it takes members, not groups")),
        TableKind::Direct => Err(wrong_type(info, "it takes actions, not members or groups")),
    }
}

fn wrong_type(info: &TableInfo, reason: &str) -> Refusal {
    Refusal::explained(Kind::Table, Code::WrongTableType, format!("table {}: {reason}", info.name))
}

/// The key that the switch gets: without the bits that a field has no room for.
fn with_room_in(keys: &[KeyInfo], matches: Vec<KeyMatch>) -> Vec<KeyMatch> {
    let fitting = |(position, wanted): (usize, KeyMatch)| {
        // The switch refuses a key with too many fields.
        let Some(KeyInfo { width, .. }) = keys.get(position) else { return wanted };
        let cut = |bytes| with_room(bytes, *width);
        match wanted {
            KeyMatch::Exact(value) => KeyMatch::Exact(cut(value)),
            KeyMatch::Lpm { value, prefix_len } => KeyMatch::Lpm { value: cut(value), prefix_len },
            KeyMatch::Ternary { value, mask } => KeyMatch::Ternary { value: cut(value), mask: cut(mask) },
            KeyMatch::Optional(value) => KeyMatch::Optional(value.map(cut)),
            KeyMatch::Range { low, high } => KeyMatch::Range { low: cut(low), high: at_most(high, *width) },
            KeyMatch::Valid(valid) => KeyMatch::Valid(valid),
        }
    };
    matches.into_iter().enumerate().map(fitting).collect()
}

/// The switch's priority; of tables without any, it has none.
fn priority_of(info: &TableInfo, priority: i32) -> Result<i32, Refusal> {
    match priority {
        _ if !info.has_priority => Ok(0),
        0..=LEAST_URGENT => Ok(bmv2_priority(priority)),
        _ => {
            let range = format!("priorities are 0 to {LEAST_URGENT}, the most urgent first, not {priority}");
            Err(Refusal::explained(Kind::Table, Code::Error, range))
        }
    }
}

impl Runtime<'_> {
    /// The key and the switch's priority of the entry with this handle.
    ///
    /// # Errors
    /// No entry has it.
    pub fn place(&mut self, info: &TableInfo, handle: u64) -> Result<Place, Refusal> {
        self.entries(info)?;
        let place = self.session.entries.get(&info.id).and_then(|handles| handles.place(handle));
        place.cloned().ok_or(Refusal::new(Kind::Table, Code::InvalidHandle))
    }

    /// All entries with their handles.
    ///
    /// # Errors
    /// There is no such table.
    pub fn entries(&mut self, info: &TableInfo) -> Result<Vec<(u64, EntryView)>, Refusal> {
        let views = self.switch.table_entries(info.id).map_err(table)?;
        let handles = self.session.entries.entry(info.id).or_default();
        handles.agree_with(views.iter().map(|view| &view.entry));
        let mut numbered: Vec<_> = views.into_iter().map(|view| (handles.of(&view.entry), view)).collect();
        numbered.sort_by_key(|(handle, _)| *handle);
        Ok(numbered)
    }

    /// How many entries there are.
    ///
    /// # Errors
    /// There is no such table.
    pub fn entry_count(&self, info: &TableInfo) -> Result<usize, Refusal> {
        Ok(self.switch.table_counts(info.id).map_err(table)?.entries)
    }

    /// The entry with this handle.
    ///
    /// # Errors
    /// No entry has it.
    pub fn entry(&mut self, info: &TableInfo, handle: u64) -> Result<EntryView, Refusal> {
        let (key, priority) = self.place(info, handle)?;
        self.switch.table_entry(info.id, &key, priority).map_err(table)
    }

    /// The entry with this key and priority of BMv2, with its handle.
    ///
    /// # Errors
    /// No entry has this key.
    pub fn entry_with_key(
        &mut self,
        info: &TableInfo,
        key: Vec<KeyMatch>,
        priority: i32,
    ) -> Result<(u64, EntryView), Refusal> {
        let key = with_room_in(&info.keys, key);
        let found = self.switch.table_entry(info.id, &key, priority_of(info, priority)?);
        // BMv2 says so of a key that no entry has.
        let view = found.map_err(|why| Refusal::explained(Kind::Table, Code::BadMatchKey, why.to_string()))?;
        self.entries(info)?;
        Ok((self.session.entries.entry(info.id).or_default().of(&view.entry), view))
    }

    /// Adds an entry, with a priority of BMv2; gives its handle.
    ///
    /// # Errors
    /// The table is full, has the entry already, or takes no such key or action.
    pub fn add_entry(
        &mut self,
        info: &TableInfo,
        key: Vec<KeyMatch>,
        priority: i32,
        action: ActionSpec,
    ) -> Result<u64, Refusal> {
        let priority = priority_of(info, priority)?;
        let key = with_room_in(&info.keys, key);
        let entry = TableEntry { key: key.clone(), priority, action, idle_timeout_ns: 0, metadata: vec![] };
        self.switch.table_insert(info.id, entry, self.now_ns).map_err(table)?;
        let view = self.switch.table_entry(info.id, &key, priority).map_err(table)?;
        Ok(self.session.entries.entry(info.id).or_default().of(&view.entry))
    }

    /// Gives an entry another action, member or group.
    ///
    /// # Errors
    /// No entry has the handle, or the table takes no such action.
    pub fn modify_entry(&mut self, info: &TableInfo, handle: u64, action: ActionSpec) -> Result<(), Refusal> {
        self.change_entry(info, handle, |entry| entry.action = action)
    }

    /// Sets the time without a hit after which an entry is reported, in nanoseconds; 0: never.
    ///
    /// # Errors
    /// No entry has the handle, or the table has no time-outs.
    pub fn set_entry_timeout(&mut self, info: &TableInfo, handle: u64, timeout_ns: u64) -> Result<(), Refusal> {
        if !info.support_timeout {
            return Err(Refusal::new(Kind::Table, Code::AgeingDisabled));
        }
        self.change_entry(info, handle, |entry| entry.idle_timeout_ns = timeout_ns)
    }

    fn change_entry(
        &mut self,
        info: &TableInfo,
        handle: u64,
        change: impl FnOnce(&mut TableEntry),
    ) -> Result<(), Refusal> {
        let mut entry = self.entry(info, handle)?.entry;
        change(&mut entry);
        self.switch.table_modify(info.id, entry, self.now_ns).map_err(table)
    }

    /// Deletes an entry.
    ///
    /// # Errors
    /// No entry has the handle, or the program fixes the entries.
    pub fn delete_entry(&mut self, info: &TableInfo, handle: u64) -> Result<(), Refusal> {
        let (key, priority) = self.place(info, handle)?;
        self.switch.table_delete(info.id, &key, priority).map_err(table)?;
        if let Some(handles) = self.session.entries.get_mut(&info.id) {
            handles.forget(handle);
        }
        Ok(())
    }

    /// Deletes all entries, but not the default.
    ///
    /// # Errors
    /// The program fixes the entries.
    pub fn clear_entries(&mut self, info: &TableInfo) -> Result<(), Refusal> {
        self.switch.table_clear(info.id).map_err(table)
    }

    /// Sets the action that runs without a hit.
    ///
    /// # Errors
    /// The program fixes it, or the table takes no such action.
    pub fn set_default(&mut self, info: &TableInfo, action: ActionSpec) -> Result<(), Refusal> {
        self.switch.table_set_default(info.id, action).map_err(table)
    }

    /// Sets the default action that the program says.
    ///
    /// # Errors
    /// The program fixes it.
    pub fn reset_default(&mut self, info: &TableInfo) -> Result<(), Refusal> {
        self.switch.table_reset_default(info.id).map_err(table)
    }

    /// The action that runs without a hit.
    ///
    /// # Errors
    /// There is no such table.
    pub fn default_entry(&self, info: &TableInfo) -> Result<Option<ActionSpec>, Refusal> {
        self.switch.table_default(info.id).map_err(table)
    }

    /// Bits of an action's parameters, in order.
    pub fn widths_of(&self, action: ActionId) -> impl ExactSizeIterator<Item = u32> + '_ {
        let params = self.program.actions().get(action.0 as usize).map_or(&[][..], |info| &info.params);
        params.iter().map(|param| param.width)
    }
}
