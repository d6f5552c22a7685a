//! A table's entries.

use std::collections::HashMap;

use super::encode::EncodedKey;
use super::index::Index;
use super::meters::Meter;
use super::profile::OneShot;
use super::written_entry::WrittenEntry;
use crate::code::ops::ActionEntry;
use crate::limbs::Limbs;
use crate::types::CounterValue;

/// The action, member or group of an entry.
#[derive(Debug, Clone)]
pub(crate) enum Chosen {
    Call(ActionEntry),
    Member(u32),
    Group(u32),
    OneShot(Box<OneShot>),
}

/// An entry.
#[derive(Debug)]
pub(crate) struct Entry {
    pub chosen: Chosen,
    pub counter: CounterValue,
    /// If the table has one.
    pub meter: Option<Box<Meter>>,
    pub last_hit_ns: u64,
    /// Packets that it was found for.
    pub hits: u64,
    /// When it was last reported as idle.
    pub idle_reported_ns: u64,
    pub is_const: bool,
    pub written: WrittenEntry,
    /// The key in the index.
    pub value: Limbs,
    pub prefix_length: u32,
    /// Order of insertion.
    pub sequence: u64,
}

/// A table's entries and default action.
#[derive(Debug)]
pub(crate) struct TableState {
    pub entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    pub count: usize,
    next_sequence: u64,
    pub index: Index,
    /// By identity, where entries have priorities; else the index knows.
    pub known: HashMap<Box<[u64]>, u32>,
    pub default: Option<Chosen>,
    pub default_counter: CounterValue,
    /// Packets that an entry was found for.
    pub hits: u64,
    /// Packets that no entry was found for since `default` was set.
    pub misses: u64,
    /// Goes up with every change of entries or of `default`.
    pub changes: u64,
}

impl TableState {
    pub fn new(index: Index) -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
            count: 0,
            next_sequence: 0,
            index,
            known: HashMap::new(),
            default: None,
            default_counter: CounterValue::default(),
            hits: 0,
            misses: 0,
            changes: 0,
        }
    }

    #[inline]
    pub fn lookup(&self, key: &[u64]) -> Option<u32> {
        self.index.find(key, &self.entries)
    }

    /// The entry of a table without key: it has one at most, which therefore has the first number.
    #[inline]
    pub fn only(&self) -> Option<u32> {
        (self.count > 0).then_some(0)
    }

    /// The entry with this key, and this priority if entries have any.
    pub fn same(&self, key: &EncodedKey, priority: i32) -> Option<u32> {
        match self.index {
            Index::Prioritized(_) => self.known.get(&key.identity(priority)).copied(),
            _ => self.index.same(&key.value, key.prefix_length, &self.entries),
        }
    }

    /// A number for a new entry, and its place in the order of insertion.
    pub fn allocate(&mut self) -> (u32, u64) {
        self.next_sequence += 1;
        self.changes += 1;
        let entry = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            (self.entries.len() - 1) as u32
        });
        (entry, self.next_sequence)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, number: u32) -> Option<Entry> {
        let entry = self.entries.get_mut(number as usize)?.take()?;
        self.index.remove(number, &entry.value, entry.prefix_length);
        if let Some(identity) = entry.written.identity() {
            self.known.remove(identity);
        }
        self.free.push(number);
        self.count -= 1;
        self.changes += 1;
        Some(entry)
    }

    /// Takes all entries out. Those that come later go on in the order of insertion.
    pub fn clear(&mut self) {
        let empty = Self::new(self.index.emptied());
        *self = Self {
            default: self.default.take(),
            default_counter: self.default_counter,
            hits: self.hits,
            misses: self.misses,
            changes: self.changes + 1,
            next_sequence: self.next_sequence,
            ..empty
        };
    }

    /// Sets the action of a miss; misses are counted anew.
    pub fn set_default(&mut self, default: Option<Chosen>) {
        self.default = default;
        self.misses = 0;
        self.changes += 1;
    }
}
