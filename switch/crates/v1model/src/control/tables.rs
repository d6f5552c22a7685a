//! Table entries and default actions.

use super::entries::{ActionCall, ActionSpec, EntryView, KeyMatch, TableEntry};
use super::error::ControlError;
use super::info::TableId;
use crate::switch::Switch;

impl Switch {
    /// Adds an entry.
    pub fn table_insert(&mut self, table: TableId, entry: TableEntry, now_ns: u64) -> Result<(), ControlError> {
        let _ = (table, entry, now_ns);
        Err(ControlError::NoProgram)
    }

    /// Gives the entry with this key and priority another action (or data, or time-out). Its direct counter stays.
    pub fn table_modify(&mut self, table: TableId, entry: TableEntry, now_ns: u64) -> Result<(), ControlError> {
        let _ = (table, entry, now_ns);
        Err(ControlError::NoProgram)
    }

    /// Removes the entry with this key and priority.
    pub fn table_delete(&mut self, table: TableId, key: &[KeyMatch], priority: i32) -> Result<(), ControlError> {
        let _ = (table, key, priority);
        Err(ControlError::NoProgram)
    }

    /// Removes all entries that are not constant.
    pub fn table_clear(&mut self, table: TableId) -> Result<(), ControlError> {
        let _ = table;
        Err(ControlError::NoProgram)
    }

    /// The entry with this key and priority.
    pub fn table_entry(&self, table: TableId, key: &[KeyMatch], priority: i32) -> Result<EntryView, ControlError> {
        let _ = (table, key, priority);
        Err(ControlError::NoProgram)
    }

    /// All entries, constant ones included, in the order they were added.
    pub fn table_entries(&self, table: TableId) -> Result<Vec<EntryView>, ControlError> {
        let _ = table;
        Err(ControlError::NoProgram)
    }

    /// Sets what the table does on a miss. Tables with an action profile take a member or group.
    pub fn table_set_default(&mut self, table: TableId, action: ActionSpec) -> Result<(), ControlError> {
        let _ = (table, action);
        Err(ControlError::NoProgram)
    }

    /// Back to the program's default action.
    pub fn table_reset_default(&mut self, table: TableId) -> Result<(), ControlError> {
        let _ = table;
        Err(ControlError::NoProgram)
    }

    /// What the table does on a miss; `None`: nothing.
    pub fn table_default(&self, table: TableId) -> Result<Option<ActionSpec>, ControlError> {
        let _ = table;
        Err(ControlError::NoProgram)
    }

    /// The program's own default action; `None`: nothing.
    pub fn table_initial_default(&self, table: TableId) -> Result<Option<ActionCall>, ControlError> {
        let _ = table;
        Err(ControlError::NoProgram)
    }
}
