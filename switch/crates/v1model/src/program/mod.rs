//! A loaded program: BMv2 JSON, checked and lowered.

mod actions;
pub(crate) mod ast;
mod builder;
mod entries;
mod expr;
mod externs;
mod headers;
mod json;
mod lower;
mod parsers;
mod pipelines;
mod primitives;
mod range;
mod source;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use crate::control::{
    ActionInfo, ActionProfileInfo, ArrayInfo, MeterInfo, RegisterInfo, TableEntry, TableId, TableInfo, ValueSetInfo,
};
use crate::exec::calculation::Calculation;
use crate::exec::deparser::{Checksum, Deparser};
use crate::exec::ops::Action;
use crate::exec::parser::Parser;
use crate::exec::pipeline::{Step, Table};
use crate::layout::Layout;
use crate::phv::FieldLoc;

pub(crate) use source::{Label, SourceMap};

/// Stack of the thread that reads a program: expressions are walked recursively, and their depth is limited.
const LOADER_STACK: usize = 64 << 20;

/// Why a BMv2 JSON file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ProgramError {
    /// Where in the JSON, for people: `pipelines[0] "ingress" / tables[2] "MyIngress.ipv4_lpm"`.
    pub place: String,
    /// What is wrong and, where known, what was expected.
    pub message: String,
}

/// A checked and lowered program. Immutable; share it between switches with `Arc`.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) tables: Vec<TableInfo>,
    pub(crate) actions: Vec<ActionInfo>,
    pub(crate) action_profiles: Vec<ActionProfileInfo>,
    pub(crate) counters: Vec<ArrayInfo>,
    pub(crate) meters: Vec<MeterInfo>,
    pub(crate) registers: Vec<RegisterInfo>,
    pub(crate) value_sets: Vec<ValueSetInfo>,

    pub(crate) layout: Layout,
    pub(crate) metadata: StandardMetadata,
    pub(crate) parser: Parser,
    pub(crate) checksums: Vec<Checksum>,
    pub(crate) deparser: Deparser,
    pub(crate) calculations: Vec<Calculation>,
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

/// A pipeline and its first step.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub steps: Vec<Step>,
    pub start: u32,
}

/// What a digest contains.
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
}

impl Program {
    /// Reads BMv2 JSON (as p4c or this repository's compiler writes it), checks it and lowers it.
    ///
    /// # Errors
    /// Not JSON, not BMv2 JSON of major version 2, a reference to something that is not there, an operation or hash
    /// algorithm that this switch does not have.
    pub fn from_json(json: &str) -> Result<Self, ProgramError> {
        let failed = |message: String| ProgramError { place: "JSON".to_owned(), message };
        std::thread::scope(|scope| {
            let loader = std::thread::Builder::new().stack_size(LOADER_STACK).spawn_scoped(scope, || {
                let value = json::parse(json)?;
                let program = builder::build(&json::Node::root(&value));
                drop(value);
                program
            });
            let loader = loader.map_err(|e| failed(format!("cannot start a thread to read it: {e}")))?;
            loader.join().unwrap_or_else(|_| Err(failed("reading it failed; please report this".to_owned())))
        })
    }

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
}
