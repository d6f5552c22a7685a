//! The state that P4Runtime keeps beside the switch's own.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use p4runtime_proto::runtime;
use v1model::ActionProfileId;

/// State of a pipeline that the switch does not keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extras {
    /// Metadata of default entries, by table id.
    pub default_metadata: BTreeMap<u32, EntryMetadata>,
    /// Digests that are enabled, by id.
    pub digests: BTreeMap<u32, DigestSettings>,
    /// The entities with ports in the deprecated fields, as plain numbers. They are read as they were written.
    pub with_port_numbers: BTreeSet<PortHolder>,
}

impl Extras {
    /// Notes the metadata of a table's default entry.
    pub fn note_default(&mut self, table: u32, metadata: EntryMetadata) {
        if metadata == EntryMetadata::default() {
            self.default_metadata.remove(&table);
        } else {
            self.default_metadata.insert(table, metadata);
        }
    }

    /// Notes how something that was written gives its ports.
    pub fn note_ports(&mut self, holder: PortHolder, as_numbers: bool) {
        if as_numbers {
            self.with_port_numbers.insert(holder);
        } else {
            self.with_port_numbers.remove(&holder);
        }
    }
}

/// An entity with ports in it, for which P4Runtime has an old and a new field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PortHolder {
    /// A multicast group.
    Multicast(u16),
    /// A clone session.
    Clone(u32),
    /// A group of a selector.
    Group(ActionProfileId, u32),
}

/// How a digest is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestSettings {
    /// Longest time a message waits for others, in nanoseconds.
    pub max_timeout_ns: u64,
    /// Most messages in one list; 0 for no limit.
    pub max_list_size: u64,
    /// For so long the same message is not sent again without an acknowledgement, in nanoseconds.
    pub ack_timeout_ns: u64,
    /// The time when it was enabled (the switch's clock): messages sent before are not remembered.
    pub enabled_ns: u64,
}

/// The controller's opaque metadata of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryMetadata {
    /// `controller_metadata`, deprecated.
    pub cookie: u64,
    /// `metadata`.
    pub metadata: Bytes,
    /// The selection mode and size semantics that a one-shot action set names.
    pub modes: [u8; 2],
}

impl EntryMetadata {
    /// The metadata of an entry.
    #[allow(deprecated)]
    pub fn of(entry: &runtime::TableEntry) -> Self {
        use runtime::table_action::Type;
        let modes = match entry.action.as_ref().and_then(|action| action.r#type.as_ref()) {
            Some(Type::ActionProfileActionSet(set)) => [set.action_selection_mode as u8, set.size_semantics as u8],
            _ => [0; 2],
        };
        EntryMetadata { cookie: entry.controller_metadata, metadata: entry.metadata.clone(), modes }
    }

    /// Both in one string, for the switch to keep.
    pub fn pack(&self) -> Vec<u8> {
        if *self == Self::default() {
            return Vec::new();
        }
        let mut packed = self.cookie.to_be_bytes().to_vec();
        packed.extend_from_slice(&self.modes);
        packed.extend_from_slice(&self.metadata);
        packed
    }

    /// The reverse of [`pack`](Self::pack).
    pub fn unpack(packed: &[u8]) -> Self {
        let Some((cookie, rest)) = packed.split_first_chunk::<8>() else { return EntryMetadata::default() };
        let Some((modes, metadata)) = rest.split_first_chunk::<2>() else { return EntryMetadata::default() };
        EntryMetadata { cookie: u64::from_be_bytes(*cookie), metadata: Bytes::copy_from_slice(metadata), modes: *modes }
    }
}
