//! Digest lists: buffering, duplicates and acknowledgements (specification, section "DigestEntry").
//!
//! Pure bookkeeping; time is an argument.

use std::collections::{BTreeMap, HashMap, HashSet};

use p4runtime_proto::runtime::P4Data;

use crate::extras::DigestSettings;

/// One message of a digest as the data plane sends it: its fields, and whether their headers are valid.
pub type Fields = Vec<(Vec<u8>, bool)>;

/// A list that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// P4Info id of the digest.
    pub digest: u32,
    /// For the acknowledgement.
    pub id: u64,
    /// The messages.
    pub data: Vec<P4Data>,
}

/// Lists are cut at this length where the settings give no limit.
const DEFAULT_LIST_SIZE: u64 = 1000;
/// Messages remembered as not acknowledged; beyond that duplicates may be sent.
const MAX_REMEMBERED: usize = 1 << 20;

/// The digests of a switch.
#[derive(Debug, Default)]
pub struct DigestLists {
    buffers: BTreeMap<u32, Buffer>,
    last_list: u64,
}

#[derive(Debug, Default)]
struct Buffer {
    enabled_ns: u64,
    since_ns: u64,
    data: Vec<P4Data>,
    buffered: HashSet<Fields>,
    /// Messages sent and not acknowledged, with the list they were in.
    unacknowledged: HashMap<Fields, u64>,
    /// Those lists, with the time they were sent.
    lists: BTreeMap<u64, (u64, Vec<Fields>)>,
}

impl DigestLists {
    /// Takes a message; the answer is a list that is now due.
    pub fn offer(
        &mut self,
        digest: u32,
        settings: &DigestSettings,
        fields: Fields,
        write: impl FnOnce(&Fields) -> P4Data,
        now_ns: u64,
    ) -> Option<List> {
        let buffer = self.buffers.entry(digest).or_default();
        if buffer.enabled_ns != settings.enabled_ns {
            *buffer = Buffer { enabled_ns: settings.enabled_ns, ..Buffer::default() };
        }
        buffer.expire(settings, now_ns);
        if buffer.unacknowledged.contains_key(&fields) || buffer.buffered.contains(&fields) {
            return None;
        }
        if buffer.data.is_empty() {
            buffer.since_ns = now_ns;
        }
        buffer.data.push(write(&fields));
        buffer.buffered.insert(fields);
        let limit = if settings.max_list_size == 0 { DEFAULT_LIST_SIZE } else { settings.max_list_size };
        let full = buffer.data.len() as u64 >= limit || settings.max_timeout_ns == 0;
        if full { self.flush(digest, settings, now_ns) } else { None }
    }

    /// The lists whose first message has waited long enough. Digests without settings are forgotten.
    pub fn due(&mut self, settings: &BTreeMap<u32, DigestSettings>, now_ns: u64) -> Vec<List> {
        self.buffers
            .retain(|digest, buffer| settings.get(digest).is_some_and(|now| now.enabled_ns == buffer.enabled_ns));
        let waiting: Vec<(u32, DigestSettings)> = self
            .buffers
            .iter()
            .filter(|(_, buffer)| !buffer.data.is_empty())
            .filter_map(|(digest, buffer)| {
                let settings = settings.get(digest)?;
                (now_ns.saturating_sub(buffer.since_ns) >= settings.max_timeout_ns).then_some((*digest, *settings))
            })
            .collect();
        waiting.iter().filter_map(|(digest, settings)| self.flush(*digest, settings, now_ns)).collect()
    }

    /// When [`due`](Self::due) is to be called next.
    pub fn next_due_ns(&self, settings: &BTreeMap<u32, DigestSettings>) -> Option<u64> {
        let waiting = self.buffers.iter().filter(|(_, buffer)| !buffer.data.is_empty());
        waiting
            .filter_map(|(digest, buffer)| Some(buffer.since_ns.saturating_add(settings.get(digest)?.max_timeout_ns)))
            .min()
    }

    /// Handles an acknowledgement; unknown lists (old ones) are nothing to worry about.
    pub fn acknowledge(&mut self, digest: u32, list: u64) {
        if let Some(buffer) = self.buffers.get_mut(&digest) {
            buffer.forget(list);
        }
    }

    /// Forgets everything: another pipeline, or another primary client.
    pub fn clear(&mut self) {
        self.buffers.clear();
    }

    fn flush(&mut self, digest: u32, settings: &DigestSettings, now_ns: u64) -> Option<List> {
        let buffer = self.buffers.get_mut(&digest)?;
        let data = std::mem::take(&mut buffer.data);
        let fields = std::mem::take(&mut buffer.buffered);
        if data.is_empty() {
            return None;
        }
        self.last_list += 1;
        let id = self.last_list;
        if settings.ack_timeout_ns > 0 && buffer.unacknowledged.len() + fields.len() <= MAX_REMEMBERED {
            let fields: Vec<Fields> = fields.into_iter().collect();
            buffer.unacknowledged.extend(fields.iter().map(|fields| (fields.clone(), id)));
            buffer.lists.insert(id, (now_ns, fields));
        }
        Some(List { digest, id, data })
    }
}

impl Buffer {
    /// Forgets lists that were not acknowledged in time. Lists are sent in the order of their ids.
    ///
    /// The specification wants them kept for at least the time-out. BMv2's server, which clients know, looks only once a time-out and
    /// so forgets after one to two of them: here it is always in the middle of that.
    fn expire(&mut self, settings: &DigestSettings, now_ns: u64) {
        let kept_ns = settings.ack_timeout_ns.saturating_add(settings.ack_timeout_ns / 2);
        while let Some((&list, &(sent_ns, _))) = self.lists.first_key_value() {
            if now_ns.saturating_sub(sent_ns) < kept_ns {
                break;
            }
            self.forget(list);
        }
    }

    fn forget(&mut self, list: u64) {
        for fields in self.lists.remove(&list).map(|(_, fields)| fields).unwrap_or_default() {
            self.unacknowledged.remove(&fields);
        }
    }
}

#[cfg(test)]
#[path = "digests_tests.rs"]
mod tests;
