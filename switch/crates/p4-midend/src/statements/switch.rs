//! `switch` on the action that a table ran, and on values.

use crate::code::structured::AfterTable;
use crate::expressions::constant_folding as fold;
use crate::lowerer::Lowerer;
use p4_ir::expr::Expr;
use p4_types::typed::{self, ActionId, SwitchCase, TableId};

impl Lowerer<'_> {
    /// `switch (table.apply().action_run)`
    pub fn switch_action(&mut self, table: TableId, cases: &[SwitchCase<ActionId>]) {
        let declared = &self.typed[table];
        let mut branches = vec![];
        let mut otherwise = vec![];
        for case in cases {
            let (code, ()) = self.capture(|this| this.block(&case.body));
            let positions: Vec<usize> =
                (0..declared.actions.len()).filter(|i| case.labels.contains(&declared.actions[*i].action)).collect();
            if case.is_default {
                otherwise.clone_from(&code);
            }
            if !positions.is_empty() {
                branches.push((positions, code));
            }
        }
        self.apply_table(table, AfterTable::Actions(branches, otherwise));
    }

    /// `switch (value)`: one comparison after the other.
    pub fn switch_value(&mut self, value: &typed::Expr, cases: &[SwitchCase<typed::Expr>]) {
        let value = self.scalar(value);
        let value = match value.as_field() {
            Some(_) => value,
            None => self.save(value),
        };
        self.switch_cases(&value, cases, cases);
    }

    fn switch_cases(&mut self, value: &Expr, cases: &[SwitchCase<typed::Expr>], all: &[SwitchCase<typed::Expr>]) {
        let Some((case, rest)) = cases.split_first() else {
            // No label matched.
            if let Some(default) = all.iter().find(|case| case.is_default) {
                self.block(&default.body);
            }
            return;
        };
        let mut matches = Expr::bool(false);
        for label in &case.labels {
            let label = self.scalar(label);
            matches = fold::or(matches, fold::equal(value.clone(), label));
        }
        self.branch(matches, |this| this.block(&case.body), |this| this.switch_cases(value, rest, all));
    }
}
