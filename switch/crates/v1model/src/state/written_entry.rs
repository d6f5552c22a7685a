//! Entries as the control plane has written them. They are kept so only where the form of the packet path lacks a part.

use super::encode::to_bytes;
use super::table::{Chosen, Entry};
use crate::code::Program;
use crate::code::ops::ActionEntry;
use crate::phv::limbs;
use crate::types::{ActionCall, ActionId, ActionSpec, KeyMatch, MatchKind, TableEntry};

/// An entry as it was written.
#[derive(Debug)]
pub(crate) enum WrittenEntry {
    /// An entry with exact keys or a prefix, an action, a member or a group, and nothing else: [`Entry`] has all of it.
    Plain,
    /// The entry, padded and masked, and the identity that tells it from others of a table with priorities.
    Whole(Box<(TableEntry, Option<Box<[u64]>>)>),
}

impl WrittenEntry {
    /// In the shortest form.
    pub fn new(program: &Program, table: usize, entry: TableEntry, identity: Option<Box<[u64]>>) -> Self {
        let keys = &program.table_code[table].keys;
        let is_plain = identity.is_none()
            && entry.idle_timeout_ns == 0
            && entry.metadata.is_empty()
            && !matches!(entry.action, ActionSpec::OneShot(_))
            && keys.iter().filter(|key| key.kind == MatchKind::Lpm).count() <= 1
            && keys.iter().all(|key| matches!(key.kind, MatchKind::Exact | MatchKind::Lpm));
        if is_plain { Self::Plain } else { Self::Whole(Box::new((entry, identity))) }
    }

    /// The key and priority that tell it from others, where entries have priorities.
    pub fn identity(&self) -> Option<&[u64]> {
        match self {
            Self::Plain => None,
            Self::Whole(whole) => whole.1.as_deref(),
        }
    }
}

impl Entry {
    /// As it was written, padded and masked.
    pub fn written(&self, program: &Program, table: usize) -> TableEntry {
        if let WrittenEntry::Whole(whole) = &self.written {
            return whole.0.clone();
        }
        let key = program.table_code[table].keys.iter().map(|field| {
            let width = field.loc.width;
            let value = to_bytes(&self.value[field.limb..field.limb + field.limbs], width);
            match field.kind {
                MatchKind::Lpm => KeyMatch::Lpm { value, prefix_len: self.prefix_length },
                _ => KeyMatch::Exact(value),
            }
        });
        let action = match &self.chosen {
            Chosen::Call(call) => ActionSpec::Call(shown(program, call)),
            Chosen::Member(member) => ActionSpec::Member(*member),
            Chosen::Group(group) => ActionSpec::Group(*group),
            // Never plain.
            Chosen::OneShot(_) => ActionSpec::Group(0),
        };
        TableEntry { key: key.collect(), priority: 0, action, idle_timeout_ns: 0, metadata: Vec::new() }
    }

    /// Gives it another action, time-out and metadata; `written` is the whole.
    pub fn rewrite(&mut self, program: &Program, table: usize, written: TableEntry) {
        let identity = self.written.identity().map(Box::from);
        self.written = WrittenEntry::new(program, table, written, identity);
    }

    /// When it is idle; 0: never.
    pub fn idle_timeout_ns(&self) -> u64 {
        match &self.written {
            WrittenEntry::Plain => 0,
            WrittenEntry::Whole(whole) => whole.0.idle_timeout_ns,
        }
    }
}

/// An action call for the control plane.
pub(crate) fn shown(program: &Program, call: &ActionEntry) -> ActionCall {
    let params = program.action_code[call.action as usize].params.iter().map(|(limb, width)| {
        let start = *limb as usize;
        to_bytes(call.data.get(start..start + limbs(*width)).unwrap_or(&[]), *width)
    });
    ActionCall { action: ActionId(call.action), params: params.collect() }
}
