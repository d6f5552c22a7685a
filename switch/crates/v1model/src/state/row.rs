//! An entry with a priority, and the ranges of its key.

use std::cmp::Reverse;

/// An entry with a priority.
#[derive(Debug)]
pub(crate) struct Row {
    pub priority: i32,
    pub entry: u32,
    pub sequence: u64,
    pub ranges: Box<[FieldRange]>,
}

/// Where an entry stands among others: the highest priority first, then the oldest entry.
pub(crate) type Place = (Reverse<i32>, u64);

/// A field of the key that must be in a range.
#[derive(Debug, Clone)]
pub(crate) struct FieldRange {
    /// First limb of the field in the key.
    pub limb: usize,
    pub low: Box<[u64]>,
    pub high: Box<[u64]>,
}

impl FieldRange {
    fn holds(&self, key: &[u64]) -> bool {
        key.get(self.limb..self.limb + self.low.len())
            .is_some_and(|field| !less(field, &self.low) && !less(&self.high, field))
    }
}

impl Row {
    /// Its place among the entries that match.
    pub fn place(&self) -> Place {
        (Reverse(self.priority), self.sequence)
    }

    /// Whether a key is in its ranges.
    pub fn holds(&self, key: &[u64]) -> bool {
        self.ranges.iter().all(|range| range.holds(key))
    }
}

/// Compares numbers in limbs, least significant first.
pub(crate) fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Ones where all numbers of a range have the same bits: in front of the first that its bounds do not share.
pub(crate) fn shared_prefix(low: &[u64], high: &[u64], whole: &[u64]) -> Vec<u64> {
    let mut mask = whole.to_vec();
    for (index, (low, high)) in low.iter().zip(high).enumerate().rev() {
        let differ = low ^ high;
        if differ != 0 {
            // All bits from the highest that differs on; a shift by 64 leaves none.
            mask[index] &= u64::MAX.checked_shl(u64::BITS - differ.leading_zeros()).unwrap_or(0);
            mask[..index].fill(0);
            break;
        }
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_counts_as_the_prefix_its_bounds_share() {
        let whole = [u64::MAX, 0xff];
        for (low, high, mask) in [
            ([5, 1], [5, 1], [u64::MAX, 0xff]),
            ([4, 1], [7, 1], [!3, 0xff]),
            ([0, 1], [u64::MAX, 1], [0, 0xff]),
            ([9, 0], [9, 1], [0, 0xfe]),
            ([0, 0], [u64::MAX, 0xff], [0, 0]),
        ] {
            assert_eq!(shared_prefix(&low, &high, &whole), mask, "{low:?} to {high:?}");
        }
    }
}
