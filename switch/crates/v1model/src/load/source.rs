//! Reading names and source lines of a program's parts, for people only.

use super::builder::Builder;
use crate::code::source_map::{Label, SourceMap};
use crate::trace::SourceLine;
use bmv2_json::{FRAGMENT_CHARS, Node, ProgramError, SourceInfo, source_info};

/// Where a part of the program comes from, if the compiler has said.
fn source_of(node: &Node) -> Option<SourceLine> {
    let SourceInfo { file, line, fragment } = source_info(node)?;
    let mut text = fragment.trim().trim_end_matches([';', '{']).trim_end().to_owned();
    if fragment.len() == FRAGMENT_CHARS {
        text.push_str(" …");
    }
    Some(SourceLine { file, line, text })
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
        let named = parsers.index_named("parser")?;
        map.states = parsers.at(named.unwrap_or(0)).get("parse_states").map(|state| state.get("name").string())?;
        map.actions = root.get("actions").map(|action| {
            let mut all = labels(&action.get("primitives"), "op")?;
            // They vanish in lowering.
            all.retain(|label| label.name != "no_op");
            Ok(all)
        })?;
        let pipelines = root.get("pipelines");
        for name in ["ingress", "egress"] {
            let index = pipelines.index_named(name)?;
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
