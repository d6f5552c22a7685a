//! Tables: the keys that they match, their sizes, and the memory that their actions need.

use crate::{pipelines, place};
use p4_ir::Program;
use p4_ir::control::{MatchKind, Node, TableId};
use serde::Serialize;
use std::collections::HashMap;

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Control-plane name.
    pub name: String,
    /// `exact`, `lpm`, `ternary`, `range` or `optional`.
    #[serde(rename = "match")]
    pub kind: &'static str,
    /// Width in bits.
    pub bits: u32,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Control-plane name.
    pub name: String,
    /// `ingress` or `egress`.
    pub pipeline: &'static str,
    /// The kind that decides which memory it needs: the costliest of its keys', or `none` without keys.
    #[serde(rename = "match")]
    pub kind: &'static str,
    /// Its keys, in order.
    pub keys: Vec<Key>,
    /// Width of all keys together in bits.
    pub key_bits: u32,
    /// Number of entries it must have room for; 0 without keys.
    pub entries: u64,
    /// Number of actions.
    pub actions: usize,
    /// Bits of the data that come with an entry: those of the action that takes most.
    pub action_data_bits: u32,
    /// Name of the action profile that has the actions' data, if the table has none of its own.
    pub profile: Option<String>,
    /// Elements of that profile, or else the entries: so many times the action data are stored.
    pub action_data_entries: u64,
    /// Its declaration, `file:line`.
    pub source: String,
}

/// Sums over the tables of one match kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchTotal {
    /// The kind.
    #[serde(rename = "match")]
    pub kind: &'static str,
    /// How many tables.
    pub tables: usize,
    /// Entries times key bits.
    pub match_memory_bits: u64,
    /// Stored action data in bits. Data that several tables share through a profile counts once for each.
    pub action_data_memory_bits: u64,
}

/// Match kinds from the cheapest memory to the costliest.
const KINDS: [&str; 6] = ["none", "exact", "lpm", "optional", "ternary", "range"];

/// The tables that the program declares and applies, ingress first, in the order of their declarations.
pub fn tables(program: &Program) -> Vec<Table> {
    let profiles: HashMap<&str, u64> = pipelines(program)
        .iter()
        .flat_map(|(_, pipeline)| &pipeline.profiles)
        .map(|profile| (profile.name.as_str(), profile.size))
        .collect();
    let mut found = Vec::new();
    for (name, pipeline) in pipelines(program) {
        let applied = pipeline.nodes.iter().filter_map(|node| match node {
            Node::Table { table, .. } => Some(*table),
            Node::If { .. } => None,
        });
        let mut applied: Vec<TableId> = applied.collect();
        applied.sort_unstable();
        applied.dedup();
        found.extend(applied.into_iter().filter_map(|id| table(program, name, id, &profiles)));
    }
    found
}

fn table(program: &Program, pipeline: &'static str, id: TableId, profiles: &HashMap<&str, u64>) -> Option<Table> {
    let table = &program.tables[id.index()];
    if table.synthesized {
        return None;
    }
    let key = |key: &p4_ir::control::Key| Key { name: key.name.clone(), kind: key.kind.name(), bits: key.width };
    let action_bits = |id: &p4_ir::control::ActionId| -> u32 {
        program.actions[id.index()].params.iter().map(|(_, bits)| *bits).sum()
    };
    let entries = if table.keys.is_empty() { 0 } else { table.size };
    let shared = table.profile.as_deref().and_then(|name| profiles.get(name).copied());
    Some(Table {
        name: table.name.clone(),
        pipeline,
        kind: kind(table.keys.iter().map(|key| key.kind)),
        keys: table.keys.iter().map(key).collect(),
        key_bits: table.keys.iter().map(|key| key.width).sum(),
        entries,
        actions: table.actions.len(),
        action_data_bits: table.actions.iter().map(action_bits).max().unwrap_or(0),
        profile: table.profile.clone(),
        action_data_entries: shared.unwrap_or(entries),
        source: place(&table.source),
    })
}

fn rank(kind: &str) -> usize {
    KINDS.iter().position(|known| *known == kind).unwrap_or(0)
}

/// The costliest of some kinds.
fn kind(kinds: impl Iterator<Item = MatchKind>) -> &'static str {
    kinds.map(|kind| rank(kind.name())).max().map_or(KINDS[0], |rank| KINDS[rank])
}

/// Sums for each match kind that there is, the cheapest kind first.
pub fn totals(tables: &[Table]) -> Vec<MatchTotal> {
    let mut totals = Vec::new();
    for kind in KINDS {
        let of_kind: Vec<&Table> = tables.iter().filter(|table| table.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let sum = |bits: &dyn Fn(&Table) -> (u64, u32)| {
            let product = |table: &&Table| {
                let (entries, bits) = bits(table);
                entries.saturating_mul(bits.into())
            };
            of_kind.iter().map(product).fold(0, u64::saturating_add)
        };
        totals.push(MatchTotal {
            kind,
            tables: of_kind.len(),
            match_memory_bits: sum(&|table| (table.entries, table.key_bits)),
            action_data_memory_bits: sum(&|table| (table.action_data_entries, table.action_data_bits)),
        });
    }
    totals
}
