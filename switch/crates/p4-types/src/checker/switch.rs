//! `switch`, on the action that a table ran and on values.

use super::Checker;
use crate::typed::{ActionId, Block, Expr, ExprKind, Span, StatementKind, SwitchCase, TableId, Type};
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn switch(
        &mut self,
        value: &'a ast::Expr,
        cases: &'a [ast::SwitchCase],
        span: Span,
    ) -> Option<StatementKind> {
        if self.context.place == super::Place::Parser {
            self.error(span, "'switch' is not allowed in a parser; use 'select'");
        }
        self.check_default_is_last(cases);
        if let ast::ExprKind::Member(base, name) = &value.kind
            && &*name.name == "action_run"
            && let Some(table) = self.applied_table(base)
        {
            self.check_table_place(value.span);
            return Some(self.switch_action(table, cases));
        }
        let value = self.switch_value(value);
        match self.program.representation(&value.ty) {
            Type::Bit(_) | Type::Int(_) | Type::Enum(_) | Type::Error | Type::Bool => {}
            Type::Unknown => return None,
            Type::Integer => {}
            _ => {
                let message = format!("'switch' cannot look at a value of type '{}'", self.show(&value.ty));
                self.error(value.span, message);
                return None;
            }
        }
        Some(self.switch_on_value(value, cases))
    }

    fn check_default_is_last(&mut self, cases: &'a [ast::SwitchCase]) {
        let mut seen: Option<Span> = None;
        for (position, case) in cases.iter().enumerate() {
            if !matches!(case.label.kind, ast::ExprKind::Any) {
                continue;
            }
            if let Some(before) = seen {
                self.error_of(Kind::Invalid, case.label.span, "there are two 'default' cases")
                    .note_at(before, "the first one is here");
            }
            seen = Some(case.label.span);
            if position + 1 != cases.len() {
                self.diagnostics.warning_of(Kind::Ordering, case.label.span, "'default' is not the last case");
            }
        }
    }

    /// Brings cases into groups that share a body.
    fn grouped<L: Clone>(
        &mut self,
        cases: &'a [ast::SwitchCase],
        mut label: impl FnMut(&mut Self, &'a ast::Expr) -> Option<L>,
    ) -> Vec<SwitchCase<L>> {
        let mut output = Vec::new();
        let mut labels = Vec::new();
        let mut is_default = false;
        let mut start: Option<Span> = None;
        let last = cases.len();
        for (position, case) in cases.iter().enumerate() {
            start = start.or(Some(case.span));
            if matches!(case.label.kind, ast::ExprKind::Any) {
                is_default = true;
            } else if let Some(checked) = label(self, &case.label) {
                labels.push(checked);
            }
            let body = match &case.body {
                Some(body) => self.block(body),
                None if position + 1 == last => Block { span: case.span, ..Block::default() },
                None => continue,
            };
            output.push(SwitchCase {
                labels: std::mem::take(&mut labels),
                is_default: std::mem::take(&mut is_default),
                body,
                span: start.take().unwrap_or(case.span),
            });
        }
        output
    }

    fn switch_action(&mut self, table: TableId, cases: &'a [ast::SwitchCase]) -> StatementKind {
        let mut seen: Vec<ActionId> = Vec::new();
        let cases = self.grouped(cases, |checker, label| {
            let ast::ExprKind::Path(path) = &label.kind else {
                checker.error(label.span, "expected the name of an action of the table, or 'default'");
                return None;
            };
            let name = path.name.name.clone();
            let found = checker.program[table]
                .actions
                .iter()
                .map(|item| item.action)
                .find(|id| checker.program[*id].name == name);
            let Some(id) = found else {
                let message = format!("table '{}' has no action '{name}'", checker.program[table].name);
                checker.error(label.span, message);
                return None;
            };
            if seen.contains(&id) {
                checker.error_of(Kind::Invalid, label.span, format!("action '{name}' has two cases"));
            }
            seen.push(id);
            Some(id)
        });
        StatementKind::SwitchAction { table, cases }
    }

    fn switch_on_value(&mut self, value: Expr, cases: &'a [ast::SwitchCase]) -> StatementKind {
        let ty = value.ty.clone();
        let mut seen: Vec<crate::typed::Value> = Vec::new();
        let cases = self.grouped(cases, |checker, label| {
            let checked = checker.expr_as(label, &ty);
            match &checked.kind {
                ExprKind::Literal(value) => {
                    if seen.contains(value) {
                        checker.error(label.span, "this label stands here twice");
                    }
                    seen.push(value.clone());
                    Some(checked)
                }
                ExprKind::Invalidated => None,
                _ => {
                    checker.error(label.span, "the label of a case must be known at compile time");
                    None
                }
            }
        });
        StatementKind::SwitchValue { value, cases }
    }
}
