//! Members of parser value sets.

/// A member: value and mask over the set's fields, each field rounded up to bytes, in order. An all-ones mask is an exact
/// match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSetMember {
    /// Value; bits outside the mask are ignored.
    pub value: Vec<u8>,
    /// Mask; `None`: exact.
    pub mask: Option<Vec<u8>>,
    /// Fields that are matched as ranges; the mask is zero there.
    pub ranges: Vec<ValueSetRange>,
}

/// A field of a member that is matched as a range: the bytes from `start` on are between `low` and `high`, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSetRange {
    /// First byte of the field.
    pub start: usize,
    /// Smallest value, as long as the field.
    pub low: Vec<u8>,
    /// Largest value, as long as the field.
    pub high: Vec<u8>,
}

impl ValueSetRange {
    /// Whether a key lies in it.
    pub(crate) fn holds(&self, key: &[u8]) -> bool {
        let part = key.get(self.start..self.start.saturating_add(self.low.len()));
        part.is_some_and(|part| part >= self.low.as_slice() && part <= self.high.as_slice())
    }
}
