//! Actions.

use super::builder::Builder;
use super::expr::Locals;
use crate::code::ops::{Action, Op};
use crate::phv::limbs;
use crate::types::{ActionId, ActionInfo, ParamInfo};
use bmv2_json::{Node, ProgramError};

impl Builder {
    pub(super) fn actions(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("actions").each(|node| {
            let index = self.program.actions.len() as u32;
            let name = node.get("name").string()?;
            if self.names.action_ids.insert(node.get("id").i64()?, index).is_some() {
                return Err(node.error("another action has the same id"));
            }
            self.names.actions.entry(name.clone()).or_insert(index);
            let params = node.get("runtime_data").map(|param| {
                Ok(ParamInfo { name: param.get("name").string()?, width: param.get("bitwidth").u32()? })
            })?;
            let mut places = Vec::with_capacity(params.len());
            let mut next = 0u32;
            for param in &params {
                if param.width > 65_536 {
                    return Err(node.error(format!("parameter {} is too wide", param.name)));
                }
                places.push((next, param.width));
                next += limbs(param.width) as u32;
            }
            let ops = self.body(&node.get("primitives"), Locals::Params(&places))?;
            self.program.action_code.push(Action { ops, params: places, limbs: next });
            self.program.actions.push(ActionInfo { id: ActionId(index), name, params });
            Ok(())
        })
    }

    /// A list of primitives. Jumps count JSON primitives, of which some vanish in lowering.
    pub(super) fn body(&self, primitives: &Node, locals: Locals) -> Result<Vec<Op>, ProgramError> {
        let mut ops = Vec::new();
        let mut places = Vec::new();
        primitives.each(|node| {
            places.push(ops.len() as u32);
            ops.extend(self.primitive(&node, locals)?);
            Ok(())
        })?;
        let end = ops.len() as u32;
        for op in &mut ops {
            if let Op::Jump(target) | Op::JumpIfZero(_, target) = op {
                *target = places.get(*target as usize).copied().unwrap_or(end);
            }
        }
        Ok(ops)
    }
}
