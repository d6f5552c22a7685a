//! Entries of one mask, found by the bits of a key under it.

use hashbrown::HashTable;

use super::hash::hash;
use super::row::Row;
use crate::limbs::Limbs;

/// All entries of one mask.
#[derive(Debug, Default)]
pub(crate) enum Buckets {
    #[default]
    None,
    /// Compared, not hashed: in a table where every entry has a mask of its own that is a third of the work.
    One(Bucket),
    Many(HashTable<Bucket>),
}

/// Entries of one mask and value, the most urgent first: they differ in priority, or in where their ranges end.
#[derive(Debug)]
pub(crate) struct Bucket {
    value: Limbs,
    first: Row,
    others: Vec<Row>,
}

impl Bucket {
    fn hash(&self) -> u64 {
        hash(self.value.iter().copied())
    }

    fn is_for(&self, key: &[u64], mask: &[u64]) -> bool {
        self.value.iter().zip(key.iter().zip(mask)).all(|(value, (key, mask))| key & mask == *value)
    }

    fn insert(&mut self, row: Row) {
        if row.place() < self.first.place() {
            self.others.insert(0, std::mem::replace(&mut self.first, row));
        } else {
            let at = self.others.partition_point(|other| other.place() < row.place());
            self.others.insert(at, row);
        }
    }

    fn find(&self, key: &[u64]) -> Option<&Row> {
        if self.first.holds(key) { Some(&self.first) } else { self.others.iter().find(|row| row.holds(key)) }
    }

    /// Takes an entry out if it is there, and says its priority; the last one stays.
    fn remove(&mut self, entry: u32) -> Option<i32> {
        if self.first.entry == entry {
            if self.others.is_empty() {
                return Some(self.first.priority);
            }
            let next = self.others.remove(0);
            return Some(std::mem::replace(&mut self.first, next).priority);
        }
        let at = self.others.iter().position(|row| row.entry == entry)?;
        Some(self.others.remove(at).priority)
    }

    /// Whether this entry is all there is.
    fn is_only(&self, entry: u32) -> bool {
        self.others.is_empty() && self.first.entry == entry
    }
}

impl Buckets {
    /// The most urgent entry for a key.
    #[inline]
    pub fn find(&self, key: &[u64], mask: &[u64]) -> Option<&Row> {
        let bucket = match self {
            Self::None => None,
            Self::One(bucket) => bucket.is_for(key, mask).then_some(bucket),
            Self::Many(buckets) => {
                let hash = hash(key.iter().zip(mask).map(|(key, mask)| key & mask));
                buckets.find(hash, |bucket| bucket.is_for(key, mask))
            }
        };
        bucket?.find(key)
    }

    /// Adds an entry.
    pub fn insert(&mut self, value: &Limbs, row: Row) {
        let fresh = |row| Bucket { value: value.clone(), first: row, others: Vec::new() };
        *self = match std::mem::take(self) {
            Self::None => Self::One(fresh(row)),
            Self::One(mut bucket) if bucket.value == *value => {
                bucket.insert(row);
                Self::One(bucket)
            }
            Self::One(bucket) => {
                let mut buckets = HashTable::with_capacity(2);
                for bucket in [bucket, fresh(row)] {
                    buckets.insert_unique(bucket.hash(), bucket, Bucket::hash);
                }
                Self::Many(buckets)
            }
            Self::Many(mut buckets) => {
                match buckets.find_mut(hash(value.iter().copied()), |bucket| bucket.value == *value) {
                    Some(bucket) => bucket.insert(row),
                    None => {
                        let bucket = fresh(row);
                        buckets.insert_unique(bucket.hash(), bucket, Bucket::hash);
                    }
                }
                Self::Many(buckets)
            }
        };
    }

    /// Takes an entry out if it is there, and says its priority.
    pub fn remove(&mut self, entry: u32, value: &[u64]) -> Option<i32> {
        match self {
            Self::None => None,
            Self::One(bucket) => {
                let priority = if *bucket.value == *value { bucket.remove(entry) } else { None };
                if bucket.is_only(entry) {
                    *self = Self::None;
                }
                priority
            }
            Self::Many(buckets) => {
                let hash = hash(value.iter().copied());
                let mut found = buckets.find_entry(hash, |bucket| *bucket.value == *value).ok()?;
                let priority = found.get_mut().remove(entry);
                if found.get().is_only(entry) {
                    found.remove();
                }
                priority
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::None => true,
            Self::One(_) => false,
            Self::Many(buckets) => buckets.is_empty(),
        }
    }
}
