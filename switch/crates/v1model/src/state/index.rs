//! Finding a table's entry for a key.

use hashbrown::HashTable;

use super::table::Entry;

/// Numbers of entries; their keys are in the entries.
#[derive(Debug, Default)]
pub(crate) struct Map(HashTable<u32>);

impl Map {
    #[inline]
    fn get(&self, entries: &[Option<Entry>], key: &[u64]) -> Option<u32> {
        let has_key = |number: &u32| entry(entries, *number).is_some_and(|entry| *entry.value == *key);
        self.0.find(hash(key), has_key).copied()
    }

    fn insert(&mut self, entries: &[Option<Entry>], key: &[u64], number: u32) {
        let rehash = |number: &u32| entry(entries, *number).map_or(0, |entry| hash(&entry.value));
        self.0.insert_unique(hash(key), number, rehash);
    }

    fn remove(&mut self, key: &[u64], number: u32) {
        if let Ok(found) = self.0.find_entry(hash(key), |other| *other == number) {
            found.remove();
        }
    }
}

#[inline]
fn entry(entries: &[Option<Entry>], number: u32) -> Option<&Entry> {
    entries.get(number as usize)?.as_ref()
}

/// Hashes a key: multiply and fold. Entries come from the control plane, so nobody can choose keys that collide.
#[inline]
fn hash(key: &[u64]) -> u64 {
    key.iter().fold(key.len() as u64, |hash, limb| {
        let product = u128::from(hash ^ limb ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
        product as u64 ^ (product >> 64) as u64
    })
}

/// An index of entries by key.
#[derive(Debug)]
pub(crate) enum Index {
    /// Equal keys.
    Exact(Map),
    /// One map for each prefix length in use, the longest first.
    Lpm(Vec<PrefixMap>),
    /// All entries, the most urgent first.
    Ordered(Vec<Row>),
}

/// Entries of one prefix length.
#[derive(Debug)]
pub(crate) struct PrefixMap {
    length: u32,
    mask: Box<[u64]>,
    map: Map,
}

/// An entry to be compared one by one.
#[derive(Debug)]
pub(crate) struct Row {
    pub priority: i32,
    pub sequence: u64,
    pub entry: u32,
    pub value: Box<[u64]>,
    pub mask: Box<[u64]>,
    pub ranges: Box<[FieldRange]>,
}

/// A field of the key that must be in a range.
#[derive(Debug, Clone)]
pub(crate) struct FieldRange {
    /// First limb of the field in the key.
    pub limb: usize,
    pub low: Box<[u64]>,
    pub high: Box<[u64]>,
}

impl Row {
    fn matches(&self, key: &[u64]) -> bool {
        key.iter().zip(&self.value).zip(&self.mask).all(|((key, value), mask)| key & mask == *value)
            && self.ranges.iter().all(|range| {
                let field = &key[range.limb..range.limb + range.low.len()];
                !less(field, &range.low) && !less(&range.high, field)
            })
    }
}

/// Compares numbers in limbs, least significant first.
pub(crate) fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

impl Index {
    /// The entry for a packet's key.
    #[inline]
    pub fn find(&self, key: &[u64], entries: &[Option<Entry>]) -> Option<u32> {
        match self {
            Index::Exact(map) => map.get(entries, key),
            Index::Lpm(maps) => {
                let mut masked = [0u64; 16];
                let masked = masked.get_mut(..key.len())?;
                maps.iter().find_map(|prefix| {
                    for ((out, key), mask) in masked.iter_mut().zip(key).zip(&prefix.mask) {
                        *out = key & mask;
                    }
                    prefix.map.get(entries, masked)
                })
            }
            Index::Ordered(rows) => rows.iter().find(|row| row.matches(key)).map(|row| row.entry),
        }
    }

    /// The entry with this value and prefix length; nothing where entries have priorities.
    pub fn same(&self, value: &[u64], length: u32, entries: &[Option<Entry>]) -> Option<u32> {
        match self {
            Index::Exact(map) => map.get(entries, value),
            Index::Lpm(maps) => maps.iter().find(|prefix| prefix.length == length)?.map.get(entries, value),
            Index::Ordered(_) => None,
        }
    }

    /// Adds an entry; `length` is its prefix length. `entries` are those that are in the index.
    pub fn insert(&mut self, row: Row, length: u32, entries: &[Option<Entry>]) {
        match self {
            Index::Exact(map) => map.insert(entries, &row.value, row.entry),
            Index::Lpm(maps) => {
                let at = maps.partition_point(|m| m.length > length);
                if maps.get(at).is_none_or(|m| m.length != length) {
                    maps.insert(at, PrefixMap { length, mask: row.mask, map: Map::default() });
                }
                maps[at].map.insert(entries, &row.value, row.entry);
            }
            Index::Ordered(rows) => {
                let at = rows.partition_point(|r| {
                    (-i64::from(r.priority), r.sequence) < (-i64::from(row.priority), row.sequence)
                });
                rows.insert(at, row);
            }
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
            Index::Ordered(rows) => rows.retain(|row| row.entry != entry),
        }
    }

    /// An index of the same kind without entries.
    pub fn emptied(&self) -> Self {
        match self {
            Index::Exact(_) => Index::Exact(Map::default()),
            Index::Lpm(_) => Index::Lpm(Vec::new()),
            Index::Ordered(_) => Index::Ordered(Vec::new()),
        }
    }
}
