//! `exit`: parameters around it are copied out before the pipeline ends.

use crate::calls::call::CopyBack;
use crate::code::structured::{AfterTable, BlockLabel, Code};
use crate::lowerer::Lowerer;
use p4_ir::control::TableId;
use p4_ir::expr::{Expr, Ty};
use p4_ir::ops::Op;
use p4_ir::storage::FieldRef;

/// The action of a table that is being made. It is the same wherever the table is applied, so it cannot copy out for
/// the calls around the table. Instead it sets a flag when it exits, and the code after each application of the table
/// checks the flag.
#[derive(Clone, Copy)]
pub struct TableAction {
    /// How many calls are around the table.
    pub(crate) outside: usize,
    /// The action's body.
    pub(crate) label: BlockLabel,
}

impl Lowerer<'_> {
    /// Lowers a callee; `copies` are made when it ends, however it ends.
    pub fn within_copies(&mut self, copies: Vec<CopyBack>, lower: impl FnOnce(&mut Self)) {
        if copies.is_empty() {
            return lower(self);
        }
        self.enclosing.copies.push(copies);
        lower(self);
        if let Some(copies) = self.enclosing.copies.pop() {
            self.copy_back(&copies);
        }
    }

    /// Lowers an action of a table.
    pub fn within_table_action(&mut self, lower: impl FnOnce(&mut Self)) {
        let label = self.new_label();
        let action = TableAction { outside: self.enclosing.copies.len(), label };
        let around = self.enclosing.table_action.replace(action);
        let (code, ()) = self.capture(lower);
        self.enclosing.table_action = around;
        if crate::calls::call::leaves(&code, label) {
            self.emitter.push(Code::Block(label, code));
        } else {
            self.emitter.extend(code);
        }
    }

    /// `exit` in a pipeline.
    pub fn exit(&mut self) {
        let action = self.enclosing.table_action;
        self.copy_out_from(action.map_or(0, |action| action.outside));
        match action {
            Some(TableAction { outside: 1.., label }) => {
                let flag = self.make_exit_flag();
                self.emit(Op::Assign(flag, Expr::bool(true)));
                self.emitter.push(Code::Leave(label));
            }
            _ => {
                let source = self.here();
                self.emitter.push(Code::Exit(source));
            }
        }
    }

    /// Applies a table; if its action says that it exits, so does the pipeline.
    pub fn push_application(&mut self, table: TableId, then: AfterTable) {
        let Some(flag) = self.exit_flag.filter(|flag| self.may_set(table, *flag)) else {
            self.emitter.push(Code::Apply { table, then });
            return;
        };
        self.emit(Op::Assign(flag, Expr::bool(false)));
        let (check, ()) = self.capture(|this| {
            this.branch(
                Expr::field(flag, Ty::Bool),
                |this| {
                    this.copy_out_from(0);
                    let source = this.here();
                    this.emitter.push(Code::Exit(source));
                },
                |_| {},
            );
        });
        let checked = |code: Vec<Code>| [check.clone(), code].concat();
        let then = match then {
            AfterTable::Nothing => {
                self.emitter.push(Code::Apply { table, then });
                self.emitter.extend(check);
                return;
            }
            AfterTable::HitMiss(hit, miss) => AfterTable::HitMiss(checked(hit), checked(miss)),
            AfterTable::Actions(cases, others) => AfterTable::Actions(
                cases.into_iter().map(|(actions, code)| (actions, checked(code))).collect(),
                checked(others),
            ),
        };
        self.emitter.push(Code::Apply { table, then });
    }

    fn may_set(&self, table: TableId, flag: FieldRef) -> bool {
        let sets = |op: &Op| matches!(op, Op::Assign(field, _) if *field == flag);
        self.ir.tables[table.index()]
            .actions
            .iter()
            .any(|action| self.ir.actions[action.index()].body.iter().any(|statement| sets(&statement.op)))
    }

    /// The innermost calls end first.
    fn copy_out_from(&mut self, outermost: usize) {
        for copies in self.enclosing.copies[outermost..].to_vec().iter().rev() {
            self.copy_back(copies);
        }
    }

    fn make_exit_flag(&mut self) -> FieldRef {
        if let Some(known) = self.exit_flag {
            return known;
        }
        let flag = self.storage.new_scalar("exited", Ty::Bool);
        self.exit_flag = Some(flag);
        flag
    }
}
