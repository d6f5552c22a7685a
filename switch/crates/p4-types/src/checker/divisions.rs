//! Divisions by values that are known only at run time: an error, unless nothing uses the result.

use super::Checker;
use crate::typed::{Block, Expr, ExprKind, Local, Program, Span, Statement, StatementKind, VarId, VariableKind};
use crate::warnings;
use p4_syntax::{Kind, ast};
use std::collections::HashSet;

/// The divisions that a compiler cannot do.
#[derive(Debug, Default)]
pub(super) struct Divisions {
    list: Vec<Division>,
}

#[derive(Debug)]
struct Division {
    span: Span,
    symbol: &'static str,
    /// What cannot be left out even if nothing uses the result.
    divisor_acts: bool,
}

impl Divisions {
    /// Remembers one; whether it is an error is known when the whole program is.
    pub(super) fn note(&mut self, op: ast::BinaryOp, divisor: &Expr, span: Span) {
        self.list.push(Division { span, symbol: op.symbol(), divisor_acts: divisor.has_effects() });
    }
}

impl Checker<'_> {
    /// Gives the errors about the divisions whose results something uses.
    pub(super) fn refuse_divisions(&mut self) {
        let divisions = std::mem::take(&mut self.divisions).list;
        if divisions.is_empty() {
            return;
        }
        let unused = Unused::of(&self.program);
        // Bodies of generic declarations are checked once for each set of type arguments.
        let mut told = HashSet::new();
        for Division { span, symbol, divisor_acts } in divisions {
            if (!divisor_acts && unused.contains(span)) || !told.insert(span) {
                continue;
            }
            let message = format!("operator '{symbol}' needs values known at compile time, or a power of two");
            self.error_of(Kind::Invalid, span, message)
                .help("P4 has no division at run time: subtract and shift, or look the result up in a table");
        }
    }
}

/// Places whose values nothing uses: what is given to variables that are never read, and actions that never run.
struct Unused {
    read: HashSet<VarId>,
    places: Vec<Span>,
}

impl Unused {
    fn of(program: &Program) -> Self {
        let mut unused = Self { read: warnings::read_variables(program), places: Vec::new() };
        for (position, action) in program.actions.iter().enumerate() {
            let id = crate::typed::ActionId::from_index(position);
            if program.mentions.actions.contains(&id) {
                unused.block(program, &action.body);
            } else {
                unused.places.push(action.body.span);
            }
        }
        for function in &program.functions {
            unused.block(program, &function.body);
        }
        for control in &program.controls {
            unused.locals(program, &control.locals);
            unused.block(program, &control.body);
        }
        for parser in &program.parsers {
            unused.locals(program, &parser.locals);
            for state in &parser.states {
                state.body.iter().for_each(|statement| unused.statement(program, statement));
            }
        }
        unused
    }

    fn contains(&self, span: Span) -> bool {
        self.places.iter().any(|place| place.to(span) == *place)
    }

    fn locals(&mut self, program: &Program, locals: &[Local]) {
        for local in locals {
            if let Local::Variable(id, Some(value)) = local {
                self.value(program, *id, value);
            }
        }
    }

    fn value(&mut self, program: &Program, variable: VarId, value: &Expr) {
        if matches!(program[variable].kind, VariableKind::Local) && !self.read.contains(&variable) {
            self.places.push(value.span);
        }
    }

    fn block(&mut self, program: &Program, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(program, statement));
    }

    fn statement(&mut self, program: &Program, statement: &Statement) {
        match &statement.kind {
            StatementKind::Variable(id, Some(value)) => self.value(program, *id, value),
            StatementKind::Assign { target: Expr { kind: ExprKind::Var(id), .. }, value, operator: None } => {
                self.value(program, *id, value);
            }
            StatementKind::If { yes, no, .. } => {
                self.block(program, yes);
                no.iter().for_each(|no| self.block(program, no));
            }
            StatementKind::Block(block) => self.block(program, block),
            StatementKind::For { body, .. } | StatementKind::ForIn { body, .. } => self.block(program, body),
            StatementKind::SwitchAction { cases, .. } => cases.iter().for_each(|case| self.block(program, &case.body)),
            StatementKind::SwitchValue { cases, .. } => cases.iter().for_each(|case| self.block(program, &case.body)),
            _ => {}
        }
    }
}
