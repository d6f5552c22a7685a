//! Finding a table's entry for a key.

use hashbrown::HashTable;

use super::hash::hash;
use super::prioritized::Prioritized;
use super::row::Row;
use super::table::Entry;
use crate::limbs::Limbs;

/// Numbers of entries; their keys are in the entries.
#[derive(Debug, Default)]
pub(crate) struct Map(HashTable<u32>);

impl Map {
    #[inline]
    fn get(&self, entries: &[Option<Entry>], key: &[u64]) -> Option<u32> {
        let has_key = |number: &u32| entry(entries, *number).is_some_and(|entry| *entry.value == *key);
        self.0.find(hash(key.iter().copied()), has_key).copied()
    }

    #[inline]
    fn get_masked(&self, entries: &[Option<Entry>], key: &[u64], mask: &[u64]) -> Option<u32> {
        let masked = || key.iter().zip(mask).map(|(key, mask)| key & mask);
        let has_key =
            |number: &u32| entry(entries, *number).is_some_and(|entry| entry.value.iter().copied().eq(masked()));
        self.0.find(hash(masked()), has_key).copied()
    }

    fn insert(&mut self, entries: &[Option<Entry>], key: &[u64], number: u32) {
        let rehash = |number: &u32| entry(entries, *number).map_or(0, |entry| hash(entry.value.iter().copied()));
        self.0.insert_unique(hash(key.iter().copied()), number, rehash);
    }

    fn remove(&mut self, key: &[u64], number: u32) {
        if let Ok(found) = self.0.find_entry(hash(key.iter().copied()), |other| *other == number) {
            found.remove();
        }
    }
}

#[inline]
fn entry(entries: &[Option<Entry>], number: u32) -> Option<&Entry> {
    entries.get(number as usize)?.as_ref()
}

/// An index of entries by key.
#[derive(Debug)]
pub(crate) enum Index {
    /// Equal keys.
    Exact(Map),
    /// One map for each prefix length in use, the longest first.
    Lpm(Vec<PrefixMap>),
    /// Entries with priorities.
    Prioritized(Prioritized),
}

/// Entries of one prefix length.
#[derive(Debug)]
pub(crate) struct PrefixMap {
    length: u32,
    mask: Box<[u64]>,
    map: Map,
}

impl Index {
    /// The entry for a packet's key.
    #[inline]
    pub fn find(&self, key: &[u64], entries: &[Option<Entry>]) -> Option<u32> {
        match self {
            Index::Exact(map) => map.get(entries, key),
            Index::Lpm(maps) => maps.iter().find_map(|prefix| prefix.map.get_masked(entries, key, &prefix.mask)),
            Index::Prioritized(prioritized) => prioritized.find(key),
        }
    }

    /// The entry with this value and prefix length; nothing where entries have priorities.
    pub fn same(&self, value: &[u64], length: u32, entries: &[Option<Entry>]) -> Option<u32> {
        match self {
            Index::Exact(map) => map.get(entries, value),
            Index::Lpm(maps) => maps.iter().find(|prefix| prefix.length == length)?.map.get(entries, value),
            Index::Prioritized(_) => None,
        }
    }

    /// Adds an entry; `length` is its prefix length. `entries` are those that are in the index.
    pub fn insert(&mut self, value: &Limbs, mask: Vec<u64>, row: Row, length: u32, entries: &[Option<Entry>]) {
        match self {
            Index::Exact(map) => map.insert(entries, value, row.entry),
            Index::Lpm(maps) => {
                let at = maps.partition_point(|m| m.length > length);
                if maps.get(at).is_none_or(|m| m.length != length) {
                    maps.insert(at, PrefixMap { length, mask: mask.into(), map: Map::default() });
                }
                maps[at].map.insert(entries, value, row.entry);
            }
            Index::Prioritized(prioritized) => prioritized.insert(value, &mask, row),
        }
    }

    pub fn remove(&mut self, entry: u32, value: &[u64], length: u32) {
        match self {
            Index::Exact(map) => map.remove(value, entry),
            Index::Lpm(maps) => {
                if let Some(at) = maps.iter().position(|m| m.length == length) {
                    maps[at].map.remove(value, entry);
                    if maps[at].map.0.is_empty() {
                        maps.remove(at);
                    }
                }
            }
            Index::Prioritized(prioritized) => prioritized.remove(entry, value),
        }
    }

    /// An index of the same kind without entries.
    pub fn emptied(&self) -> Self {
        match self {
            Index::Exact(_) => Index::Exact(Map::default()),
            Index::Lpm(_) => Index::Lpm(Vec::new()),
            Index::Prioritized(_) => Index::Prioritized(Prioritized::default()),
        }
    }
}
