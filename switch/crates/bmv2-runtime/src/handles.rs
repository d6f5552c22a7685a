//! Numbers for table entries. They count from 0 and are not used again while the program runs.

use std::collections::{BTreeMap, HashMap, HashSet};

use v1model::{KeyMatch, TableEntry};

/// The place of an entry: its key and its priority.
pub type Place = (Vec<KeyMatch>, i32);

/// The numbers of one table's entries.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    next: u64,
    by_place: HashMap<Place, u64>,
    places: BTreeMap<u64, Place>,
}

impl Handles {
    /// The number of an entry, a new one if it has none.
    pub(crate) fn of(&mut self, entry: &TableEntry) -> u64 {
        let place = (entry.key.clone(), entry.priority);
        if let Some(handle) = self.by_place.get(&place) {
            return *handle;
        }
        let handle = self.next;
        self.next += 1;
        self.places.insert(handle, place.clone());
        self.by_place.insert(place, handle);
        handle
    }

    pub(crate) fn place(&self, handle: u64) -> Option<&Place> {
        self.places.get(&handle)
    }

    pub(crate) fn forget(&mut self, handle: u64) {
        if let Some(place) = self.places.remove(&handle) {
            self.by_place.remove(&place);
        }
    }

    /// Brings the numbers up to date with the entries that others, P4Runtime for example, have added and removed.
    pub(crate) fn agree_with<'e>(&mut self, entries: impl Iterator<Item = &'e TableEntry>) {
        let present: HashSet<u64> = entries.map(|entry| self.of(entry)).collect();
        self.places.retain(|handle, _| present.contains(handle));
        self.by_place.retain(|_, handle| present.contains(handle));
    }
}
