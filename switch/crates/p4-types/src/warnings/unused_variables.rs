//! Local variables that nobody reads.

use super::accesses::{self, Access};
use super::annotations::{is_silenced, may_be_unused, silenced_actions};
use super::report;
use crate::typed::{ActionId, Annotation, Local, Program, VarId};
use p4_syntax::{Diagnostics, Kind};
use std::collections::{HashMap, HashSet};

/// Warns about local variables that are never read.
pub(super) fn check(program: &Program, diagnostics: &mut Diagnostics) {
    let found = Found::in_program(program);
    let read = found.all_read(program);
    for id in found.declared {
        let variable = &program[id];
        if read.contains(&id) || may_be_unused(&variable.annotations) {
            continue;
        }
        let what = if program.mentions.variables.contains_key(&id) { "read" } else { "used" };
        let message = format!("'{}' is never {what}", variable.name);
        report(diagnostics, Kind::Unused, variable.span, message);
    }
}

/// The variables whose values something looks at.
pub(crate) fn read_variables(program: &Program) -> HashSet<VarId> {
    Found::in_program(program).all_read(program)
}

/// The accesses of a program's bodies to variables.
#[derive(Default)]
struct Found {
    /// How often each variable gets a value.
    written: HashMap<VarId, usize>,
    /// The variables that are read, or given to a call that needs a variable to write to.
    read: HashSet<VarId>,
    /// Local variables that there may be a warning about.
    declared: Vec<VarId>,
}

impl Found {
    fn in_program(program: &Program) -> Self {
        let silenced = |annotations: &[Annotation]| is_silenced(annotations, Kind::Unused);
        let mut found = Self::default();
        for function in &program.functions {
            found.add(accesses::of_block(program, &function.body), silenced(&function.annotations));
        }
        let silenced_actions = silenced_actions(program, Kind::Unused);
        for (position, action) in program.actions.iter().enumerate() {
            let is_silenced = silenced_actions.contains(&ActionId::from_index(position));
            found.add(accesses::of_block(program, &action.body), is_silenced);
        }
        for control in &program.controls {
            let is_silenced = silenced(&control.annotations);
            found.locals(program, &control.locals, is_silenced);
            found.add(accesses::of_block(program, &control.body), is_silenced);
        }
        for parser in &program.parsers {
            let is_silenced = silenced(&parser.annotations);
            found.locals(program, &parser.locals, is_silenced);
            for state in &parser.states {
                for statement in &state.body {
                    found.add(accesses::of_statement(program, statement), is_silenced || silenced(&state.annotations));
                }
            }
        }
        found
    }

    /// A use that is no write is a read, also where folding left nothing of it.
    fn all_read(&self, program: &Program) -> HashSet<VarId> {
        let is_more_than_written =
            |(id, times): &(&VarId, &usize)| **times > self.written.get(*id).copied().unwrap_or_default();
        let elsewhere = program.mentions.variables.iter().filter(is_more_than_written);
        elsewhere.map(|(id, _)| *id).chain(self.read.iter().copied()).collect()
    }

    fn locals(&mut self, program: &Program, locals: &[Local], is_silenced: bool) {
        for local in locals {
            if let Local::Variable(id, value) = local {
                if let Some(value) = value {
                    self.add(accesses::of_expr(program, value), is_silenced);
                }
                self.add(vec![Access::Declare(*id)], is_silenced);
            }
        }
    }

    fn add(&mut self, list: Vec<Access>, is_silenced: bool) {
        for access in list {
            match access {
                Access::Declare(id) if !is_silenced => self.declared.push(id),
                Access::Read(id, _) | Access::Take(id) => {
                    self.read.insert(id);
                }
                Access::Write(id) => *self.written.entry(id).or_default() += 1,
                Access::Declare(_) | Access::Action(_) | Access::Table(..) => {}
            }
        }
    }
}
