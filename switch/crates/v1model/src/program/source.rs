//! Names and source lines of a program's parts, for people only.

use std::collections::HashMap;

use super::ProgramError;
use super::builder::Builder;
use super::json::Node;
use crate::trace::SourceLine;

/// What the lowered program does not need but a trace shows.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    /// Fields of each header.
    pub fields: Vec<Vec<String>>,
    /// Parser states.
    pub states: Vec<String>,
    /// Errors by number.
    pub errors: HashMap<u32, String>,
    /// Where each table is declared.
    pub tables: Vec<Option<SourceLine>>,
    /// Each action's primitives, one an operation.
    pub actions: Vec<Vec<Label>>,
    /// Steps of ingress and egress.
    pub ingress: Vec<Label>,
    pub egress: Vec<Label>,
}

/// A name and a place.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub name: String,
    pub source: Option<SourceLine>,
}

/// Length at which the compiler here cuts what it quotes.
const CUT_AT: usize = 60;

/// Where a part of the program comes from, if the compiler has said.
fn source_of(node: &Node) -> Option<SourceLine> {
    let info = node.get("source_info");
    let whole = info.get("source_fragment").str().unwrap_or_default();
    let mut text = whole.trim().trim_end_matches([';', '{']).trim_end().to_owned();
    if whole.len() == CUT_AT {
        text.push_str(" …");
    }
    Some(SourceLine {
        file: info.get("filename").string().ok()?,
        line: u64::try_from(info.get("line").i64().ok()?).ok()?,
        text,
    })
}

fn labels(nodes: &Node, name: &str) -> Result<Vec<Label>, ProgramError> {
    nodes.map(|node| Ok(Label { name: node.get(name).string()?, source: source_of(&node) }))
}

impl Builder {
    /// Notes the names; the program has been read without an error before.
    pub(super) fn source_map(&mut self, root: &Node) -> Result<(), ProgramError> {
        let mut map = SourceMap {
            errors: self.names.errors.iter().map(|(name, number)| (*number, name.clone())).collect(),
            ..SourceMap::default()
        };
        for header in &self.program.layout.headers {
            let mut names = vec![String::new(); header.fields.len()];
            for (name, index) in self.names.type_fields.get(header.type_id as usize).into_iter().flatten() {
                if let Some(slot) = names.get_mut(*index as usize) {
                    slot.clone_from(name);
                }
            }
            map.fields.push(names);
        }
        let parsers = root.get("parsers");
        let named = (0..parsers.len()?).find(|i| parsers.at(*i).get("name").value.as_str() == Some("parser"));
        map.states = parsers.at(named.unwrap_or(0)).get("parse_states").map(|state| state.get("name").string())?;
        map.actions = root.get("actions").map(|action| {
            let mut all = labels(&action.get("primitives"), "op")?;
            // They vanish in lowering.
            all.retain(|label| label.name != "no_op");
            Ok(all)
        })?;
        let pipelines = root.get("pipelines");
        for name in ["ingress", "egress"] {
            let index = (0..pipelines.len()?).find(|i| pipelines.at(*i).get("name").value.as_str() == Some(name));
            let pipeline = pipelines.at(index.unwrap_or(0));
            let mut steps = labels(&pipeline.get("tables"), "name")?;
            map.tables.extend(steps.iter().map(|label| label.source.clone()));
            steps.extend(labels(&pipeline.get("conditionals"), "name")?);
            steps.extend(labels(&pipeline.get("action_calls"), "name")?);
            *if name == "ingress" { &mut map.ingress } else { &mut map.egress } = steps;
        }
        self.program.source = map;
        Ok(())
    }
}
