//! The digests that a client has been told of and has not acknowledged: the same is not told again before it does.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Unacknowledged samples of a list; with more, all are told again.
const MOST_WAITING: usize = 65_536;

/// The lists of digests of one switch, shared by the publisher of digests and the calls that acknowledge them.
#[derive(Debug, Default)]
pub struct Learning {
    lists: Mutex<HashMap<u32, List>>,
}

#[derive(Debug, Default)]
struct List {
    next_buffer: u64,
    /// The buffer that each sample was in.
    waiting: HashMap<Vec<u8>, u64>,
}

impl Learning {
    fn lists(&self) -> MutexGuard<'_, HashMap<u32, List>> {
        // Nothing is left half done by a thread that has failed.
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the buffer in which a sample is to be told of; none, if one like it has not been acknowledged.
    pub fn buffer_for(&self, list: u32, sample: &[u8]) -> Option<u64> {
        let mut lists = self.lists();
        let list = lists.entry(list).or_default();
        if list.waiting.contains_key(sample) {
            return None;
        }
        if list.waiting.len() >= MOST_WAITING {
            tracing::warn!("{MOST_WAITING} digests have not been acknowledged: they are told again");
            list.waiting.clear();
        }
        let buffer = list.next_buffer;
        list.next_buffer += 1;
        list.waiting.insert(sample.to_vec(), buffer);
        Some(buffer)
    }

    /// A client acknowledges a buffer: it knows the samples in it.
    pub(crate) fn acknowledge(&self, list: u32, buffer: u64) {
        if let Some(list) = self.lists().get_mut(&list) {
            list.waiting.retain(|_, other| *other != buffer);
        }
    }

    /// Back to the beginning.
    pub(crate) fn forget_all(&self) {
        self.lists().values_mut().for_each(|list| list.waiting.clear());
    }
}

#[cfg(test)]
mod tests {
    use super::Learning;

    #[test]
    fn a_sample_is_told_again_when_it_was_acknowledged() {
        let learning = Learning::default();
        assert_eq!(learning.buffer_for(1, b"a"), Some(0));
        assert_eq!(learning.buffer_for(1, b"b"), Some(1));
        assert_eq!(learning.buffer_for(2, b"a"), Some(0));
        assert_eq!(learning.buffer_for(1, b"a"), None);
        learning.acknowledge(1, 1);
        learning.acknowledge(1, 7);
        assert_eq!(learning.buffer_for(1, b"a"), None);
        learning.acknowledge(1, 0);
        assert_eq!(learning.buffer_for(1, b"a"), Some(2));
        learning.forget_all();
        assert_eq!(learning.buffer_for(2, b"a"), Some(1));
    }
}
