//! Scopes of bodies.

use std::collections::BTreeSet;

use super::types::Type;
use super::{Callable, Context, Generator, Header, Instance, Table, Variable};

/// The declarations that a body sees, and the headers that it leaves valid or makes invalid.
#[derive(Default)]
pub(super) struct Scope {
    headers: Vec<Header>,
    variables: Vec<Variable>,
    valid: BTreeSet<usize>,
    invalidated: BTreeSet<usize>,
    actions: Vec<Callable>,
    tables: Vec<Table>,
    instances: Vec<Instance>,
    registers: Vec<(String, Type)>,
    counters: Vec<String>,
    meters: Vec<String>,
    context: Context,
}

impl Scope {
    /// A body that sees these, of which nothing is known.
    pub fn of(headers: Vec<Header>, variables: Vec<Variable>) -> Self {
        Self { headers, variables, ..Self::default() }
    }
}

impl Generator {
    /// Exchanges the scope.
    pub(super) fn enter(&mut self, scope: Scope) -> Scope {
        Scope {
            headers: std::mem::replace(&mut self.headers, scope.headers),
            variables: std::mem::replace(&mut self.variables, scope.variables),
            valid: std::mem::replace(&mut self.valid, scope.valid),
            invalidated: std::mem::replace(&mut self.invalidated, scope.invalidated),
            actions: std::mem::replace(&mut self.actions, scope.actions),
            tables: std::mem::replace(&mut self.tables, scope.tables),
            instances: std::mem::replace(&mut self.instances, scope.instances),
            registers: std::mem::replace(&mut self.registers, scope.registers),
            counters: std::mem::replace(&mut self.counters, scope.counters),
            meters: std::mem::replace(&mut self.meters, scope.meters),
            context: std::mem::replace(&mut self.context, scope.context),
        }
    }
}
