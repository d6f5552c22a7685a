//! Divisions that a compiler cannot do: an error, unless nothing uses the result.
//!
//! A division stays a division in the typed program. When the whole program is known, this module decides on the
//! program itself which divisions may stay. Divisions that it neither refuses nor removes are computed.

use super::Checker;
use crate::eval;
use crate::typed::{
    ActionId, BinaryOp, Block, Expr, ExprKind, Local, Parser, Program, Statement, StatementKind, Table, Transition,
    Value, VarId, VariableKind,
};
use crate::warnings;
use p4_syntax::Kind;
use std::collections::HashSet;
use std::mem::take;

impl Checker<'_> {
    /// Takes out the divisions whose results nothing uses, and gives errors about all others that a compiler cannot do.
    pub(super) fn refuse_divisions(&mut self) {
        let mut all = Found { program: &self.program, list: Vec::new() };
        all.in_program();
        if all.list.is_empty() {
            return;
        }
        remove_unused(&mut self.program);
        let mut left = Found { program: &self.program, list: Vec::new() };
        left.in_program();
        for (span, symbol) in left.list {
            let message = format!("operator '{symbol}' needs values known at compile time, or a power of two");
            self.error_of(Kind::Invalid, span, message)
                .help("P4 has no division at run time: subtract and shift, or look the result up in a table");
        }
    }
}

/// The symbol of the operator, if it is a division that a compiler cannot do: one where not all is known, and that
/// neither a shift nor a mask does.
fn run_time_division(program: &Program, expr: &Expr) -> Option<&'static str> {
    let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), left, right) = &expr.kind else { return None };
    let power_of_two = match &right.kind {
        ExprKind::Literal(Value::Int(number)) => number.magnitude().count_ones() == 1,
        _ => true,
    };
    let can = eval::is_known(program, right) && (power_of_two || eval::is_known(program, left));
    (!can).then_some(if *op == BinaryOp::Div { "/" } else { "%" })
}

/// The divisions in code that may run.
struct Found<'a> {
    program: &'a Program,
    list: Vec<(crate::typed::Span, &'static str)>,
}

impl Found<'_> {
    fn in_program(&mut self) {
        let program = self.program;
        for (position, action) in program.actions.iter().enumerate() {
            if program.mentions.actions.contains(&ActionId::from_index(position)) {
                self.block(&action.body);
            }
        }
        program.functions.iter().for_each(|function| self.block(&function.body));
        program.tables.iter().for_each(|table| self.table(table));
        for control in &program.controls {
            self.locals(&control.locals);
            self.block(&control.body);
        }
        program.parsers.iter().for_each(|parser| self.parser(parser));
        for instance in &program.instances {
            instance.args.iter().filter_map(|arg| arg.value.as_ref()).for_each(|value| self.value(value));
            self.locals(&instance.locals);
        }
    }

    fn parser(&mut self, parser: &Parser) {
        self.locals(&parser.locals);
        for state in &parser.states {
            state.body.iter().for_each(|statement| self.statement(statement));
            if let Transition::Select { keys, cases, .. } = &state.transition {
                keys.iter().for_each(|key| self.value(key));
                let sets = cases.iter().flat_map(|case| &case.sets);
                sets.flat_map(|set| set.expressions()).for_each(|value| self.value(value));
            }
        }
    }

    fn table(&mut self, table: &Table) {
        table.keys.iter().for_each(|key| self.value(&key.value));
        let bound = table.actions.iter().flat_map(|action| &action.bound_args);
        bound.filter_map(|arg| arg.value.as_ref()).for_each(|value| self.value(value));
        let calls = table.default_action.iter().chain(table.entries.iter().map(|entry| &entry.action));
        calls.flat_map(|call| &call.args).for_each(|value| self.value(value));
        let sets = table.entries.iter().flat_map(|entry| &entry.keys);
        sets.flat_map(|set| set.expressions()).for_each(|value| self.value(value));
    }

    fn locals(&mut self, locals: &[Local]) {
        for local in locals {
            if let Local::Variable(_, Some(value)) = local {
                self.value(value);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        block.each_statement(&mut |statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            // `x /= y` passes, as it does in p4c: BMv2 divides.
            StatementKind::Assign { target, value, operator: Some(BinaryOp::Div | BinaryOp::Mod) } => {
                self.value(target);
                match &value.kind {
                    ExprKind::Binary(_, left, right) => [left, right].into_iter().for_each(|part| self.value(part)),
                    _ => self.value(value),
                }
            }
            _ => statement.expressions(&mut |value| self.value(value)),
        }
    }

    fn value(&mut self, value: &Expr) {
        value.walk(&mut |part| {
            self.list.extend(run_time_division(self.program, part).map(|symbol| (part.span, symbol)));
        });
    }
}

/// Removes divisions from the values given to variables that are never read.
fn remove_unused(program: &mut Program) {
    let read = warnings::read_variables(program);
    let (mut actions, mut functions) = (take(&mut program.actions), take(&mut program.functions));
    let (mut controls, mut parsers) = (take(&mut program.controls), take(&mut program.parsers));
    let remover = Remover { program, read };
    actions.iter_mut().for_each(|action| remover.block(&mut action.body));
    functions.iter_mut().for_each(|function| remover.block(&mut function.body));
    for control in &mut controls {
        remover.locals(&mut control.locals);
        remover.block(&mut control.body);
    }
    for parser in &mut parsers {
        remover.locals(&mut parser.locals);
        let statements = parser.states.iter_mut().flat_map(|state| &mut state.body);
        statements.for_each(|statement| statement.each_mut(&mut |one| remover.statement(one)));
    }
    (program.actions, program.functions) = (actions, functions);
    (program.controls, program.parsers) = (controls, parsers);
}

struct Remover<'a> {
    /// Without the bodies, which are being changed.
    program: &'a Program,
    read: HashSet<VarId>,
}

impl Remover<'_> {
    fn is_unused(&self, var: VarId) -> bool {
        matches!(self.program[var].kind, VariableKind::Local) && !self.read.contains(&var)
    }

    fn locals(&self, locals: &mut [Local]) {
        for local in locals {
            if let Local::Variable(var, value) = local
                && self.is_unused(*var)
            {
                *value = value.take().and_then(|value| self.what_remains(value));
            }
        }
    }

    fn block(&self, block: &mut Block) {
        block.each_statement_mut(&mut |statement| self.statement(statement));
    }

    fn statement(&self, statement: &mut Statement) {
        match &mut statement.kind {
            StatementKind::Variable(var, value) if self.is_unused(*var) => {
                *value = value.take().and_then(|value| self.what_remains(value));
            }
            StatementKind::Assign { target: Expr { kind: ExprKind::Var(var), .. }, value, operator: None }
                if self.is_unused(*var) =>
            {
                match self.what_remains(value.clone()) {
                    Some(remains) => *value = remains,
                    None => statement.kind = StatementKind::Block(Block::default()),
                }
            }
            _ => {}
        }
    }

    /// The part of an unused value that still has to be evaluated. It is all of the value or, where a division is in
    /// the way, the effects of its parts.
    fn what_remains(&self, mut value: Expr) -> Option<Expr> {
        let mut divides = false;
        value.walk_mut(&mut |part| {
            if run_time_division(self.program, part).is_some()
                && let ExprKind::Binary(op, ..) = &mut part.kind
            {
                *op = BinaryOp::BitXor;
                divides = true;
            }
        });
        (!divides || value.has_effects()).then_some(value)
    }
}
