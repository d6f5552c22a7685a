//! Goes through statements in the order of execution and keeps account of the variables that have no value yet.
//!
//! A variable counts as without value only if no way to that point gives it one, be it in part. Variables that a loop
//! writes count as written before it.

use super::accesses::{self, Access};
use super::annotations::is_silenced;
use super::report;
use super::writes::Writes;
use crate::typed::{
    Block, Direction, Expr, Parameter, Program, Span, Statement, StatementKind, SwitchCase, TableId, Type, VarId,
    VariableKind,
};
use p4_syntax::{Diagnostics, Kind};
use std::collections::{BTreeSet, HashSet};

/// A point of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    /// Does any way lead here?
    is_reached: bool,
    /// The variables without value.
    empty: BTreeSet<VarId>,
}

impl Point {
    /// Where something begins, with variables that have no value there.
    pub(super) fn start(empty: BTreeSet<VarId>) -> Self {
        Self { is_reached: true, empty }
    }

    /// Another way leads here; true if that changes anything.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        if !other.is_reached {
            return false;
        }
        if !self.is_reached {
            *self = other.clone();
            return true;
        }
        let before = self.empty.len();
        self.empty.retain(|id| other.empty.contains(id));
        self.empty.len() != before
    }

    /// The variables without value.
    pub(super) fn into_empty(self) -> BTreeSet<VarId> {
        self.empty
    }

    fn leave(&mut self) {
        *self = Self::default();
    }
}

/// Goes through bodies.
pub(super) struct Flow<'a> {
    program: &'a Program,
    diagnostics: &'a mut Diagnostics,
    pub(super) writes: Writes<'a>,
    /// Variables that get values where this does not look.
    written_elsewhere: HashSet<VarId>,
    /// The application of the table that is looked at.
    application: Option<Span>,
    /// Nothing is reported.
    pub(super) is_silent: bool,
}

impl<'a> Flow<'a> {
    /// Ready to go; variables that are `written_elsewhere` are left alone.
    pub(super) fn new(
        program: &'a Program,
        diagnostics: &'a mut Diagnostics,
        written_elsewhere: HashSet<VarId>,
    ) -> Self {
        let writes = Writes::new(program);
        Self { program, diagnostics, writes, written_elsewhere, application: None, is_silent: false }
    }

    /// Is this a variable that can be followed: a simple one that is only written here?
    fn can_follow(&self, id: VarId) -> bool {
        let simple = match self.program.representation(&self.program[id].ty) {
            Type::Bit(width) | Type::Int(width) => width > 0,
            Type::Bool | Type::Error | Type::Enum(_) => true,
            _ => false,
        };
        simple && !self.written_elsewhere.contains(&id)
    }

    /// The parameters that have no value at the beginning.
    pub(super) fn empty_parameters(&self, params: &[Parameter]) -> BTreeSet<VarId> {
        let out = params.iter().filter(|param| param.direction == Direction::Out).map(|param| param.var);
        out.filter(|id| self.can_follow(*id)).collect()
    }

    /// The declaration of a variable.
    pub(super) fn declare(&mut self, id: VarId, value: Option<&Expr>, point: &mut Point) {
        match value {
            Some(value) => self.expr(value, point),
            None if point.is_reached && self.can_follow(id) => {
                point.empty.insert(id);
            }
            None => {}
        }
    }

    pub(super) fn block(&mut self, block: &Block, point: &mut Point) {
        self.statements(&block.statements, point);
    }

    pub(super) fn statements(&mut self, list: &[Statement], point: &mut Point) {
        for statement in list {
            self.statement(statement, point);
        }
    }

    pub(super) fn expr(&mut self, expr: &Expr, point: &mut Point) {
        self.accesses(accesses::of_expr(self.program, expr), point);
    }

    fn statement(&mut self, statement: &Statement, point: &mut Point) {
        match &statement.kind {
            StatementKind::Variable(id, value) => self.declare(*id, value.as_ref(), point),
            StatementKind::Instance(_) => {}
            StatementKind::Assign { .. } | StatementKind::Call(_) => {
                self.accesses(accesses::of_statement(self.program, statement), point);
            }
            StatementKind::If { condition, yes, no } => {
                self.expr(condition, point);
                let mut other = point.clone();
                self.block(yes, point);
                if let Some(no) = no {
                    self.block(no, &mut other);
                }
                point.join(&other);
            }
            StatementKind::Block(block) => self.block(block, point),
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value, point);
                }
                point.leave();
            }
            StatementKind::Exit | StatementKind::Break | StatementKind::Continue => point.leave(),
            StatementKind::SwitchAction { table, cases } => {
                self.table(*table, statement.span, point);
                self.cases(cases, point);
            }
            StatementKind::SwitchValue { value, cases } => {
                self.expr(value, point);
                self.cases(cases, point);
            }
            StatementKind::For { init, condition, update, body } => {
                self.statements(init, point);
                self.fill_written(statement, point);
                self.expr(condition, point);
                let after = point.clone();
                self.block(body, point);
                self.statements(update, point);
                *point = after;
            }
            StatementKind::ForIn { domain, body, .. } => {
                self.accesses(accesses::of_domain(self.program, domain), point);
                self.fill_written(statement, point);
                let after = point.clone();
                self.block(body, point);
                *point = after;
            }
        }
    }

    fn cases<L>(&mut self, cases: &[SwitchCase<L>], point: &mut Point) {
        let start = point.clone();
        if cases.iter().any(|case| case.is_default) {
            point.leave();
        }
        for case in cases {
            let mut end = start.clone();
            self.block(&case.body, &mut end);
            point.join(&end);
        }
    }

    /// Counts all that a statement writes as written.
    fn fill_written(&mut self, statement: &Statement, point: &mut Point) {
        for id in self.writes.of_accesses(&accesses::of_statement(self.program, statement)) {
            point.empty.remove(&id);
        }
    }

    fn accesses(&mut self, list: Vec<Access>, point: &mut Point) {
        for access in list {
            match access {
                Access::Read(id, span) => {
                    // One warning a variable is enough: from here on it counts as having a value.
                    if point.empty.remove(&id) {
                        self.report(id, span);
                    }
                }
                Access::Write(id) | Access::Take(id) => {
                    point.empty.remove(&id);
                }
                Access::Action(id) => {
                    for id in self.writes.of_action(id).iter() {
                        point.empty.remove(id);
                    }
                }
                Access::Table(id, span) => self.table(id, span, point),
                Access::Declare(_) => {}
            }
        }
    }

    fn table(&mut self, id: TableId, application: Span, point: &mut Point) {
        let table = &self.program[id];
        let was_silent = self.is_silent;
        self.is_silent |= is_silenced(&table.annotations, Kind::UninitializedUse);
        let outer = self.application.replace(application);
        for key in &table.keys {
            self.expr(&key.value, point);
        }
        for item in &table.actions {
            self.accesses(accesses::of_table_action(self.program, item), point);
        }
        self.application = outer;
        self.is_silent = was_silent;
    }

    fn report(&mut self, id: VarId, span: Span) {
        let variable = &self.program[id];
        if self.is_silent || is_silenced(&variable.annotations, Kind::UninitializedUse) {
            return;
        }
        let message = format!("'{}' may be read before it has a value", variable.name);
        let Some(diagnostic) = report(self.diagnostics, Kind::UninitializedUse, span, message) else {
            return;
        };
        let note = match variable.kind {
            VariableKind::Parameter(_) => "an 'out' parameter has no value at the beginning",
            _ => "declared here without a value",
        };
        diagnostic.note_at(variable.span, note);
        if let Some(application) = self.application {
            diagnostic.note_at(application, "the table is applied here");
        }
    }
}
