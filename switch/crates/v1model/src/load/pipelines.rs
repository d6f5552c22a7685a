//! Ingress and egress: the graph of tables, conditions and action calls.

use bmv2_json::{Node, ProgramError};
use std::collections::HashMap;

use super::builder::{Builder, find, note};
use super::expr::Locals;
use super::lower::lower_bool;
use crate::code::pipeline::Pipeline;
use crate::code::pipeline::{END, Step};
use crate::types::{ActionProfileId, ActionProfileInfo, TableKind};

impl Builder {
    pub(super) fn pipelines(&mut self, root: &Node) -> Result<(), ProgramError> {
        let pipelines = root.get("pipelines");
        for name in ["ingress", "egress"] {
            let index = pipelines.index_named(name)?;
            let index = index.ok_or_else(|| pipelines.error(format!("there is no pipeline \"{name}\"")))?;
            let pipeline = self.pipeline(&pipelines.at(index))?;
            match name {
                "ingress" => self.program.ingress = pipeline,
                _ => self.program.egress = pipeline,
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, node: &Node) -> Result<Pipeline, ProgramError> {
        let (tables, branches, calls) = (node.get("tables"), node.get("conditionals"), node.get("action_calls"));
        let mut names = HashMap::new();
        for part in [&tables, &branches, &calls] {
            part.each(|step| {
                let index = names.len();
                note(&mut names, &step, "step", index)
            })?;
        }
        node.get("action_profiles").each(|profile| self.profile(&profile))?;
        let target = |next: &Node| {
            if next.is_null() { Ok(END) } else { find(&names, next, "step") }
        };
        let mut steps = Vec::new();
        tables.each(|table| {
            steps.push(self.table(&table, &target)?);
            Ok(())
        })?;
        branches.each(|branch| {
            let condition = lower_bool(&self.boolean(&branch.get("expression"), Locals::None)?);
            steps.push(Step::Branch(condition, target(&branch.get("true_next"))?, target(&branch.get("false_next"))?));
            Ok(())
        })?;
        calls.each(|call| {
            let id = call.get("action_id");
            let action = self.names.action_ids.get(&id.i64()?).copied();
            let action = action.ok_or_else(|| id.error("there is no action with this id"))?;
            if !self.program.actions[action as usize].params.is_empty() {
                return Err(id.error("an action with parameters cannot be called directly"));
            }
            steps.push(Step::Call(action, target(&call.get("next_node"))?));
            Ok(())
        })?;
        let start = target(&node.get("init_table"))?;
        Ok(Pipeline { steps, start })
    }

    fn profile(&mut self, node: &Node) -> Result<(), ProgramError> {
        let index = self.program.action_profiles.len() as u32;
        note(&mut self.names.profiles, node, "action profile", index as usize)?;
        let selector = node.get("selector");
        if !selector.is_null() {
            let calculation = self.calculation(&selector)?;
            self.profile_selectors.insert(index, self.program.calculations.len() as u32);
            self.program.calculations.push(calculation);
        }
        self.program.action_profiles.push(ActionProfileInfo {
            id: ActionProfileId(index),
            name: node.get("name").string()?,
            max_size: node.get("max_size").usize().unwrap_or(usize::MAX),
            with_selector: !selector.is_null(),
            tables: Vec::new(),
        });
        Ok(())
    }

    /// Where a table keeps its actions.
    pub(super) fn table_kind(&mut self, node: &Node) -> Result<TableKind, ProgramError> {
        let kind = node.get("type");
        let with_groups = match kind.str()? {
            "simple" => return Ok(TableKind::Direct),
            "indirect" => false,
            "indirect_ws" => true,
            other => return Err(kind.error(format!("unknown kind of table \"{other}\""))),
        };
        if !node.has("action_profile") && node.has("act_prof_name") {
            // Old JSON: the profile belongs to the table.
            let profile =
                serde_json::json!({"name": node.get("act_prof_name").value, "selector": node.get("selector").value});
            self.profile(&Node::root(&profile)).map_err(|e| node.error(e.message))?;
        }
        let key = if node.has("action_profile") { "action_profile" } else { "act_prof_name" };
        let index = find(&self.names.profiles, &node.get(key), "action profile")?;
        if with_groups && !self.program.action_profiles[index as usize].with_selector {
            return Err(node.get(key).error("the action profile has no selector"));
        }
        let id = ActionProfileId(index);
        Ok(if with_groups { TableKind::Selector(id) } else { TableKind::Profile(id) })
    }
}
