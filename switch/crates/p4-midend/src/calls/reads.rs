//! The variables that an action may read under their own names. An `out` or `inout` argument that is also read that way
//! needs a copy: until the action ends, only its parameter has the new value.

use crate::calls::effects::root_variable;
use p4_types::typed::{ActionId, Callee, Expr, ExprKind, Program};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Remembers the variables that actions read.
#[derive(Default)]
pub struct Reads {
    known: HashMap<ActionId, Rc<[Expr]>>,
}

impl Reads {
    /// The variables of the enclosing control, or fields of them, that an action reads, itself or in actions that it
    /// calls. An element of a stack, or a slice of bits, stands as the whole that it is a part of.
    pub fn of(&mut self, program: &Program, action: ActionId) -> Rc<[Expr]> {
        if let Some(known) = self.known.get(&action) {
            return known.clone();
        }
        // Recursion is impossible in P4; an entry made first keeps a wrong program from looping.
        self.known.insert(action, Rc::default());
        let mut found = vec![];
        // Expressions that are parts of a longer path; an expression is met before its parts.
        let mut parts: HashSet<*const Expr> = HashSet::new();
        let mut called = vec![];
        program[action].body.walk(&mut |expr| {
            if let ExprKind::Call(call) = &expr.kind
                && let Callee::Action(id) = &call.callee
            {
                called.push(*id);
            }
            if let Some(base) = base(expr) {
                parts.insert(base);
            }
            if !parts.contains(&std::ptr::from_ref(expr)) {
                found.extend(path(expr).cloned());
            }
        });
        for action in called {
            found.extend(self.of(program, action).iter().cloned());
        }
        let params = &program[action].params;
        found.retain(|expr| !params.iter().any(|param| root_variable(expr) == Some(param.var)));
        let mut seen = HashSet::new();
        found.retain(|expr| seen.insert((root_variable(expr), fields(expr))));
        let found: Rc<[Expr]> = found.into();
        self.known.insert(action, found.clone());
        found
    }
}

/// The fields that lead from a variable to the field of it that the expression is, the last one first.
fn fields(expr: &Expr) -> Vec<usize> {
    let field = |expr: &'_ Expr| match &expr.kind {
        ExprKind::Field { field, .. } => Some(*field),
        _ => None,
    };
    std::iter::successors(Some(expr), |expr| base(expr)).map_while(field).collect()
}

/// The whole of which the expression is a part.
fn base(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Field { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::Slice { base, .. }
        | ExprKind::PlusSlice { base, .. }
        | ExprKind::StackNext(base)
        | ExprKind::StackLast(base)
        | ExprKind::StackLastIndex(base) => Some(base),
        _ => None,
    }
}

/// The variable, or field of a field of it, that the expression is or is a part of.
fn path(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Var(_) => Some(expr),
        ExprKind::Field { base, .. } => {
            let whole = path(base)?;
            Some(if std::ptr::eq(whole, base.as_ref()) { expr } else { whole })
        }
        _ => path(base(expr)?),
    }
}
