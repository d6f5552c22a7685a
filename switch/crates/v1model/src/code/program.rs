//! A checked and lowered program, and its parts for the control plane.

use std::collections::HashMap;
use std::sync::Arc;

use bmv2_json::HeaderType;

use super::calculation::Calculation;
use super::deparser::{Checksum, Deparser};
use super::ops::Action;
use super::parser::Parser;
use super::pipeline::{Pipeline, Table};
use super::source_map::SourceMap;
use crate::layout::Layout;
use crate::phv::FieldLoc;
use crate::types::{
    ActionInfo, ActionProfileInfo, ArrayInfo, DirectCounterInfo, MeterInfo, RegisterInfo, TableEntry, TableId,
    TableInfo, ValueSetInfo,
};

/// A checked and lowered program. Immutable; share it between switches with `Arc`.
#[derive(Debug, Default)]
pub struct Program {
    /// The BMv2 JSON that it was made from, to the letter.
    pub(crate) json: String,
    pub(crate) tables: Vec<TableInfo>,
    pub(crate) actions: Vec<ActionInfo>,
    pub(crate) action_profiles: Vec<ActionProfileInfo>,
    pub(crate) counters: Vec<ArrayInfo>,
    pub(crate) direct_counters: Vec<DirectCounterInfo>,
    pub(crate) meters: Vec<MeterInfo>,
    pub(crate) registers: Vec<RegisterInfo>,
    pub(crate) value_sets: Vec<ValueSetInfo>,

    pub(crate) header_types: Vec<HeaderType>,
    pub(crate) layout: Layout,
    pub(crate) metadata: StandardMetadata,
    pub(crate) parser: Parser,
    pub(crate) checksums: Vec<Checksum>,
    pub(crate) deparser: Deparser,
    pub(crate) calculations: Vec<Calculation>,
    /// Those that have a name.
    pub(crate) calculation_names: HashMap<String, u32>,
    pub(crate) action_code: Vec<Action>,
    pub(crate) table_code: Vec<Table>,
    /// Entries the program brings for each table.
    pub(crate) initial_entries: Vec<Vec<TableEntry>>,
    pub(crate) ingress: Pipeline,
    pub(crate) egress: Pipeline,
    /// Metadata to preserve, by list id.
    pub(crate) field_lists: HashMap<u32, Vec<FieldLoc>>,
    /// Digests, by list id.
    pub(crate) learn_lists: HashMap<u32, LearnList>,
    /// Names and places for people.
    pub(crate) source: SourceMap,
}

/// The fields of a digest.
#[derive(Debug)]
pub(crate) struct LearnList {
    pub name: Arc<str>,
    /// The header and the field.
    pub fields: Vec<(u32, FieldLoc)>,
}

/// The metadata fields that the architecture reads and writes; programs may lack any of the optional ones.
#[derive(Debug, Default, Clone)]
pub(crate) struct StandardMetadata {
    pub ingress_port: Option<FieldLoc>,
    pub egress_spec: Option<FieldLoc>,
    pub egress_port: Option<FieldLoc>,
    pub instance_type: Option<FieldLoc>,
    pub packet_length: Option<FieldLoc>,
    pub enq_timestamp: Option<FieldLoc>,
    pub enq_qdepth: Option<FieldLoc>,
    pub deq_timedelta: Option<FieldLoc>,
    pub deq_qdepth: Option<FieldLoc>,
    pub qid: Option<FieldLoc>,
    pub ingress_global_timestamp: Option<FieldLoc>,
    pub egress_global_timestamp: Option<FieldLoc>,
    pub mcast_grp: Option<FieldLoc>,
    pub egress_rid: Option<FieldLoc>,
    pub priority: Option<FieldLoc>,
    pub checksum_error: Option<FieldLoc>,
    pub parser_error: Option<FieldLoc>,
    pub traffic_manager: TrafficManagerMetadata,
}

/// The program's own metadata that is about queues: fields named `traffic_manager.queue` and so on. A program that other
/// switches run too may have them: there they are fields like any other.
#[derive(Debug, Default, Clone)]
pub(crate) struct TrafficManagerMetadata {
    /// The queue that the program chooses.
    pub queue: Option<FieldLoc>,
    pub rank: Option<FieldLoc>,
    /// From here on for egress: when the packet came and left, and how long it waited.
    pub enqueue_ns: Option<FieldLoc>,
    pub dequeue_ns: Option<FieldLoc>,
    pub sojourn_ns: Option<FieldLoc>,
    /// Bytes left in its queue, packets and bytes left in all queues of the port.
    pub queue_bytes: Option<FieldLoc>,
    pub port_packets: Option<FieldLoc>,
    pub port_bytes: Option<FieldLoc>,
}

impl Program {
    /// Lets the control plane change a table's own entries and add others, up to `max_size`: `entries` without `const`,
    /// which BMv2 JSON does not tell from constant ones (P4Info does). If they have priorities, the last one gets 1 and
    /// each before it the next number, as the language says.
    pub fn make_preinitialized(&mut self, table: TableId, max_size: usize) {
        let (Some(info), Some(entries)) =
            (self.tables.get_mut(table.index()), self.initial_entries.get_mut(table.index()))
        else {
            return;
        };
        info.const_entries = false;
        info.max_size = max_size.max(entries.len());
        if let Some(meter) = info.direct_meter.and_then(|meter| self.meters.get_mut(meter.index())) {
            meter.size = info.max_size;
        }
        let lowest = entries.iter().map(|entry| entry.priority).min().unwrap_or(1);
        if info.has_priority {
            entries
                .iter_mut()
                .for_each(|entry| entry.priority = entry.priority.saturating_sub(lowest.saturating_sub(1)));
        }
    }

    /// The BMv2 JSON that the program was made from, to the letter.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The lists of digests: BMv2's number of each, and its name.
    pub fn digest_lists(&self) -> impl Iterator<Item = (u32, &str)> {
        self.learn_lists.iter().map(|(id, list)| (*id, &*list.name))
    }

    /// All tables, index = [`TableId`](crate::TableId). Includes the hidden ones the compiler makes for statements.
    #[must_use]
    pub fn tables(&self) -> &[TableInfo] {
        &self.tables
    }

    /// All actions, index = [`ActionId`](crate::ActionId). A name may occur several times (once a table).
    #[must_use]
    pub fn actions(&self) -> &[ActionInfo] {
        &self.actions
    }

    /// All action profiles and selectors, index = [`ActionProfileId`](crate::ActionProfileId).
    #[must_use]
    pub fn action_profiles(&self) -> &[ActionProfileInfo] {
        &self.action_profiles
    }

    /// All indirect counters, index = [`CounterId`](crate::CounterId).
    #[must_use]
    pub fn counters(&self) -> &[ArrayInfo] {
        &self.counters
    }

    /// The direct counters of the tables, in the program's order.
    #[must_use]
    pub fn direct_counters(&self) -> &[DirectCounterInfo] {
        &self.direct_counters
    }

    /// All meters, direct and indirect, index = [`MeterId`](crate::MeterId).
    #[must_use]
    pub fn meters(&self) -> &[MeterInfo] {
        &self.meters
    }

    /// All registers, index = [`RegisterId`](crate::RegisterId).
    #[must_use]
    pub fn registers(&self) -> &[RegisterInfo] {
        &self.registers
    }

    /// All parser value sets, index = [`ValueSetId`](crate::ValueSetId).
    #[must_use]
    pub fn value_sets(&self) -> &[ValueSetInfo] {
        &self.value_sets
    }

    /// All header types, with the names and widths of their fields.
    #[must_use]
    pub fn header_types(&self) -> &[HeaderType] {
        &self.header_types
    }
}
