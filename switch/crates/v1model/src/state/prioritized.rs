//! Finding the most urgent of the entries that match a key: tuple space search (Srinivasan, Suri and Varghese, 1999).
//!
//! Entries with the same mask are in one hash table, the "tuple". A look-up costs one probe for each mask in use
//! instead of a comparison for each entry. A range counts as the prefix that its two bounds share; its bounds
//! themselves are compared after that.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::bucket::Buckets;
use super::row::{Place, Row};
use crate::limbs::Limbs;

/// Entries with priorities.
#[derive(Debug, Default)]
pub(crate) struct Prioritized {
    /// By their most urgent entry.
    tuples: Vec<Tuple>,
}

/// Entries of one mask.
#[derive(Debug)]
struct Tuple {
    mask: Box<[u64]>,
    buckets: Buckets,
    /// How many entries have each priority.
    priorities: BTreeMap<i32, usize>,
    /// No entry of it comes before this.
    first: Place,
}

impl Tuple {
    fn new(mask: Box<[u64]>) -> Self {
        let first = (Reverse(i32::MIN), u64::MAX);
        Self { mask, buckets: Buckets::default(), priorities: BTreeMap::new(), first }
    }

    fn insert(&mut self, value: &Limbs, row: Row) {
        *self.priorities.entry(row.priority).or_default() += 1;
        self.first = self.first.min(row.place());
        self.buckets.insert(value, row);
    }

    /// Takes an entry out; whether it was there.
    fn remove(&mut self, entry: u32, value: &[u64]) -> bool {
        let Some(priority) = self.buckets.remove(entry, value) else { return false };
        if let Some(count) = self.priorities.get_mut(&priority) {
            *count -= 1;
            if *count == 0 {
                self.priorities.remove(&priority);
            }
        }
        // Which of the next priority is the oldest is not known; that it is not older than the first ever is enough.
        if let Some((highest, _)) = self.priorities.last_key_value()
            && self.first.0 != Reverse(*highest)
        {
            self.first = (Reverse(*highest), 0);
        }
        true
    }
}

impl Prioritized {
    /// The most urgent entry for a packet's key.
    #[inline]
    pub fn find(&self, key: &[u64]) -> Option<u32> {
        let mut best: Option<&Row> = None;
        for tuple in &self.tuples {
            if best.is_some_and(|best| best.place() < tuple.first) {
                break;
            }
            if let Some(row) = tuple.buckets.find(key, &tuple.mask)
                && best.is_none_or(|best| row.place() < best.place())
            {
                best = Some(row);
            }
        }
        best.map(|row| row.entry)
    }

    /// Adds an entry; its value has no bits outside of its mask.
    pub fn insert(&mut self, value: &Limbs, mask: &[u64], row: Row) {
        let at = self.tuples.iter().position(|tuple| *tuple.mask == *mask);
        let mut tuple = at.map_or_else(|| Tuple::new(mask.into()), |at| self.tuples.remove(at));
        tuple.insert(value, row);
        self.put_back(tuple);
    }

    /// Takes an entry out, if it is there.
    pub fn remove(&mut self, entry: u32, value: &[u64]) {
        if let Some(at) = self.tuples.iter_mut().position(|tuple| tuple.remove(entry, value)) {
            let tuple = self.tuples.remove(at);
            if !tuple.buckets.is_empty() {
                self.put_back(tuple);
            }
        }
    }

    fn put_back(&mut self, tuple: Tuple) {
        let at = self.tuples.partition_point(|other| other.first < tuple.first);
        self.tuples.insert(at, tuple);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::row::{FieldRange, less, shared_prefix};

    /// An entry that is compared with every key, as the definition says.
    struct Plain {
        value: Vec<u64>,
        mask: Vec<u64>,
        row: Row,
    }

    impl Plain {
        fn matches(&self, key: &[u64]) -> bool {
            (0..key.len()).all(|limb| key[limb] & self.mask[limb] == self.value[limb]) && self.row.holds(key)
        }
    }

    /// Numbers that repeat often, so that keys hit.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }

        fn one_of<const N: usize>(&mut self, choices: [u64; N]) -> u64 {
            choices[self.below(N as u64) as usize]
        }

        /// A field with a mask, a field with a range of 8 bits, and one with a range over two limbs.
        fn row(&mut self, entry: u32, with_ranges: bool) -> Plain {
            let mask = self.one_of([0, 0xf, 0xf0, 0xff, u64::MAX]);
            let mut value = vec![self.below(256) & mask, 0, 0, 0];
            let mut masks = vec![mask, 0, 0, 0];
            let mut ranges = Vec::new();
            if with_ranges {
                let (low, high) = (self.below(256), self.below(256));
                ranges.push((1, vec![low.min(high)], vec![low.max(high)], vec![0xff]));
                let (low, high) = ([self.below(4), self.below(3)], [self.below(4), self.below(3)]);
                let (low, high) = if less(&high, &low) { (high, low) } else { (low, high) };
                ranges.push((2, low.to_vec(), high.to_vec(), vec![u64::MAX, 0xff]));
            }
            let fields = ranges.into_iter().map(|(limb, low, high, whole)| {
                for (index, mask) in shared_prefix(&low, &high, &whole).into_iter().enumerate() {
                    (value[limb + index], masks[limb + index]) = (low[index] & mask, mask);
                }
                FieldRange { limb, low: low.into(), high: high.into() }
            });
            let ranges = fields.collect();
            let row = Row { priority: self.below(6) as i32 - 2, entry, sequence: u64::from(entry), ranges };
            Plain { value, mask: masks, row }
        }
    }

    fn copy(row: &Row) -> Row {
        Row { priority: row.priority, entry: row.entry, sequence: row.sequence, ranges: row.ranges.clone() }
    }

    /// Puts entries in, takes some out, and looks keys up in between: as one comparison after the other finds them.
    fn agrees(seed: u64, with_ranges: bool) {
        let mut numbers = Numbers(seed);
        let (mut index, mut plain) = (Prioritized::default(), Vec::<Plain>::new());
        let mut hits = 0;
        for entry in 0..400 {
            if numbers.below(3) == 0 && !plain.is_empty() {
                let gone = plain.remove(numbers.below(plain.len() as u64) as usize);
                index.remove(gone.row.entry, &gone.value);
            } else {
                let one = numbers.row(entry, with_ranges);
                index.insert(&one.value.clone().into(), &one.mask, copy(&one.row));
                plain.push(one);
            }
            for _ in 0..20 {
                let key = [numbers.below(256), numbers.below(256), numbers.below(4), numbers.below(3)];
                let matching = plain.iter().filter(|one| one.matches(&key)).map(|one| &one.row);
                let expected = matching.max_by_key(|row| (row.priority, std::cmp::Reverse(row.sequence)));
                assert_eq!(index.find(&key), expected.map(|row| row.entry), "seed {seed}, key {key:?}");
                hits += usize::from(expected.is_some());
            }
        }
        assert!(hits > 1000, "only {hits} keys hit");
        for one in plain {
            index.remove(one.row.entry, &one.value);
        }
        assert!(index.tuples.is_empty(), "{index:?}");
    }

    #[test]
    fn finds_what_one_comparison_after_the_other_finds() {
        for seed in 0..40 {
            agrees(seed, seed % 2 == 0);
        }
    }

    #[test]
    fn entries_that_share_a_mask_are_in_one_tuple() {
        let mut index = Prioritized::default();
        for entry in 0..1000 {
            let row = Row { priority: entry as i32, entry, sequence: u64::from(entry), ranges: Box::default() };
            index.insert(&vec![u64::from(entry) << 8].into(), &[0xffff_ff00], row);
        }
        assert_eq!(index.tuples.len(), 1);
        assert_eq!(index.find(&[(777 << 8) + 5]), Some(777));
    }
}
