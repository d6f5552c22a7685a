//! Which variables actions and tables write to.

use super::accesses::{self, Access};
use crate::typed::{ActionId, Program, TableId, VarId};
use std::collections::HashMap;
use std::rc::Rc;

/// Finds writes, those of called actions and applied tables included.
pub(super) struct Writes<'a> {
    program: &'a Program,
    of_actions: HashMap<ActionId, Rc<[VarId]>>,
}

impl<'a> Writes<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        Self { program, of_actions: HashMap::new() }
    }

    /// The variables that these accesses write.
    pub(super) fn of_accesses(&mut self, list: &[Access]) -> Vec<VarId> {
        let mut output = Vec::new();
        for access in list {
            match access {
                Access::Write(id) | Access::Take(id) => output.push(*id),
                Access::Action(id) => output.extend_from_slice(&self.of_action(*id)),
                Access::Table(id, _) => output.extend(self.of_table(*id)),
                Access::Declare(_) | Access::Read(..) => {}
            }
        }
        output
    }

    /// The variables that an action writes.
    pub(super) fn of_action(&mut self, id: ActionId) -> Rc<[VarId]> {
        if let Some(known) = self.of_actions.get(&id) {
            return known.clone();
        }
        let list = accesses::of_block(self.program, &self.program[id].body);
        let writes: Rc<[VarId]> = self.of_accesses(&list).into();
        self.of_actions.insert(id, writes.clone());
        writes
    }

    /// The variables that a table writes, whichever of its actions runs.
    pub(super) fn of_table(&mut self, id: TableId) -> Vec<VarId> {
        let program = self.program;
        program[id]
            .actions
            .iter()
            .flat_map(|item| self.of_accesses(&accesses::of_table_action(program, item)))
            .collect()
    }
}
