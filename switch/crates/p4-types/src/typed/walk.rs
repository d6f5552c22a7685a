//! All expressions and statements of bodies.

use super::{Block, Callee, Expr, ExprKind, KeySet, Statement, StatementKind};

impl Expr {
    /// Calls `visit` for every expression within this one and then for itself, but not within calls' bodies.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Field { base, .. }
            | ExprKind::Slice { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::StackLastIndex(base)
            | ExprKind::Cast(base)
            | ExprKind::Unary(_, base) => base.walk_mut(visit),
            ExprKind::Index { base, index: other }
            | ExprKind::PlusSlice { base, low: other, .. }
            | ExprKind::Binary(_, base, other) => {
                base.walk_mut(visit);
                other.walk_mut(visit);
            }
            ExprKind::Ternary { condition, yes, no } => {
                [condition, yes, no].into_iter().for_each(|part| part.walk_mut(visit));
            }
            ExprKind::Struct(parts) | ExprKind::List(parts) => parts.iter_mut().for_each(|part| part.walk_mut(visit)),
            ExprKind::Call(call) => {
                match &mut call.callee {
                    Callee::IsValid(base)
                    | Callee::SetValid(base)
                    | Callee::SetInvalid(base)
                    | Callee::PushFront(base, _)
                    | Callee::PopFront(base, _) => base.walk_mut(visit),
                    Callee::Function(_)
                    | Callee::Action(_)
                    | Callee::ExternFunction(_)
                    | Callee::Method { .. }
                    | Callee::Apply(_)
                    | Callee::Table(_) => {}
                }
                call.args.iter_mut().filter_map(|arg| arg.value.as_mut()).for_each(|value| value.walk_mut(visit));
            }
            ExprKind::Literal(_)
            | ExprKind::Var(_)
            | ExprKind::Object(_)
            | ExprKind::Invalid
            | ExprKind::TableHit(_)
            | ExprKind::TableMiss(_)
            | ExprKind::Invalidated => {}
        }
        visit(self);
    }
}

impl Block {
    /// Calls `visit` for every expression within, the targets of assignments included, but not within calls' bodies.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.each_statement(&mut |statement| statement.expressions(&mut |part| part.walk(visit)));
    }

    /// Calls `visit` for every statement within, those around others first.
    pub fn each_statement(&self, visit: &mut dyn FnMut(&Statement)) {
        self.statements.iter().for_each(|statement| statement.each(visit));
    }

    /// As [`Block::each_statement`], for changing them.
    pub fn each_statement_mut(&mut self, visit: &mut dyn FnMut(&mut Statement)) {
        self.statements.iter_mut().for_each(|statement| statement.each_mut(visit));
    }
}

impl Statement {
    /// Calls `visit` for the expressions of this statement itself, whole, without those of statements within.
    pub fn expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            StatementKind::Variable(_, value) | StatementKind::Return(value) => value.iter().for_each(visit),
            StatementKind::Assign { target, value, .. } => {
                visit(target);
                visit(value);
            }
            StatementKind::Call(value)
            | StatementKind::If { condition: value, .. }
            | StatementKind::SwitchValue { value, .. }
            | StatementKind::For { condition: value, .. } => visit(value),
            StatementKind::ForIn { domain, .. } => domain.expressions().for_each(visit),
            StatementKind::Instance(_)
            | StatementKind::Block(_)
            | StatementKind::SwitchAction { .. }
            | StatementKind::Exit
            | StatementKind::Break
            | StatementKind::Continue => {}
        }
    }

    /// Calls `visit` for this statement and then for every one within.
    pub fn each(&self, visit: &mut dyn FnMut(&Statement)) {
        visit(self);
        match &self.kind {
            StatementKind::If { yes, no, .. } => {
                yes.each_statement(visit);
                no.iter().for_each(|no| no.each_statement(visit));
            }
            StatementKind::Block(block) | StatementKind::ForIn { body: block, .. } => block.each_statement(visit),
            StatementKind::For { init, update, body, .. } => {
                init.iter().chain(update).for_each(|part| part.each(visit));
                body.each_statement(visit);
            }
            StatementKind::SwitchAction { cases, .. } => {
                cases.iter().for_each(|case| case.body.each_statement(visit));
            }
            StatementKind::SwitchValue { cases, .. } => {
                cases.iter().for_each(|case| case.body.each_statement(visit));
            }
            StatementKind::Variable(..)
            | StatementKind::Instance(_)
            | StatementKind::Assign { .. }
            | StatementKind::Call(_)
            | StatementKind::Return(_)
            | StatementKind::Exit
            | StatementKind::Break
            | StatementKind::Continue => {}
        }
    }

    /// As [`Statement::each`], for changing them.
    pub fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Statement)) {
        visit(self);
        match &mut self.kind {
            StatementKind::If { yes, no, .. } => {
                yes.each_statement_mut(visit);
                no.iter_mut().for_each(|no| no.each_statement_mut(visit));
            }
            StatementKind::Block(block) | StatementKind::ForIn { body: block, .. } => block.each_statement_mut(visit),
            StatementKind::For { init, update, body, .. } => {
                init.iter_mut().chain(update).for_each(|part| part.each_mut(visit));
                body.each_statement_mut(visit);
            }
            StatementKind::SwitchAction { cases, .. } => {
                cases.iter_mut().for_each(|case| case.body.each_statement_mut(visit));
            }
            StatementKind::SwitchValue { cases, .. } => {
                cases.iter_mut().for_each(|case| case.body.each_statement_mut(visit));
            }
            StatementKind::Variable(..)
            | StatementKind::Instance(_)
            | StatementKind::Assign { .. }
            | StatementKind::Call(_)
            | StatementKind::Return(_)
            | StatementKind::Exit
            | StatementKind::Break
            | StatementKind::Continue => {}
        }
    }
}

impl KeySet {
    /// The expressions of a set, in order.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            KeySet::Value(value) => (Some(value), None),
            KeySet::Mask(first, second) | KeySet::Range(first, second) => (Some(first), Some(second)),
            KeySet::Any | KeySet::ValueSet(_) => (None, None),
        };
        first.into_iter().chain(second)
    }
}
