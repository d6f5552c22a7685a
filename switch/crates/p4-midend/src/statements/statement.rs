//! Statements.

use crate::code::enclosing::Stage;
use crate::code::structured::{AfterTable, Code};
use crate::expressions::constant_folding as fold;
use crate::expressions::expression::binary_op;
use crate::lowerer::Lowerer;
use crate::storage::place::{Binding, Value};
use p4_syntax::Kind;
use p4_types::typed::{BinaryOp, Block, Callee, Expr, ExprKind, Statement, StatementKind, TableId, UnaryOp, VarId};

impl Lowerer<'_> {
    /// A block.
    pub fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    /// Statements up to the first that never goes on.
    pub fn statements(&mut self, statements: &[Statement]) {
        for (position, statement) in statements.iter().enumerate() {
            if self.enclosing.exited || matches!(self.emitter.last(), Some(Code::Leave(_) | Code::Exit(_))) {
                for unreachable in &statements[position..] {
                    self.mention(unreachable);
                }
                return;
            }
            self.statement_scope(statement.span, |this| this.statement(statement));
        }
    }

    /// Declares a variable.
    pub fn declare(&mut self, var: VarId, init: Option<&Expr>) {
        let place = self.storage.local_place(var);
        match init {
            Some(init) => {
                let value = self.value(init);
                self.bindings.variables.insert(var, Binding::Place(place.clone()));
                self.assign(&place, &value, &init.ty, init.span);
            }
            None => {
                self.bindings.variables.insert(var, Binding::Place(place.clone()));
                self.reset_headers(&place);
            }
        }
    }

    /// The control plane sees actions that are called where the program never gets.
    fn mention(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Call(Expr { kind: ExprKind::Call(call), .. }) => {
                if let Callee::Action(id) = &call.callee
                    && self.enclosing.action_depth == 0
                {
                    let name = self.action_name(*id);
                    self.visible.direct_actions.push((self.enclosing.context, *id, name));
                }
            }
            StatementKind::Block(block) => block.statements.iter().for_each(|inner| self.mention(inner)),
            StatementKind::If { yes, no, .. } => {
                let inner = yes.statements.iter().chain(no.iter().flat_map(|block| &block.statements));
                inner.for_each(|inner| self.mention(inner));
            }
            _ => {}
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Variable(var, init) => self.declare(*var, init.as_ref()),
            StatementKind::Instance(id) => {
                self.instantiate(self.enclosing.context, *id);
            }
            StatementKind::Assign { target, value, operator } => {
                let twice = operator.is_some() && target.has_effects();
                match (&value.kind, twice) {
                    (ExprKind::Binary(op, _, operand), true) => {
                        self.operator_assignment(target, *op, operand);
                    }
                    _ => self.assignment(target, value),
                }
            }
            StatementKind::Call(call) => {
                self.value(call);
            }
            StatementKind::If { condition, yes, no } => self.decision(condition, yes, no.as_ref()),
            StatementKind::Block(block) => self.block(block),
            StatementKind::Return(value) => {
                let Some((label, place)) = self.enclosing.returns.last().cloned() else {
                    return;
                };
                if let Some(expr) = value {
                    let value = self.value(expr);
                    self.assign(&place, &value, &expr.ty, expr.span);
                }
                self.emitter.push(Code::Leave(label));
            }
            StatementKind::Exit => {
                if matches!(self.enclosing.stage, Stage::Ingress | Stage::Egress) {
                    self.exit();
                } else if self.enclosing.stage != Stage::Parser
                    && self.enclosing.conditions.is_empty()
                    && self.enclosing.branches == 0
                {
                    self.enclosing.exited = true;
                } else {
                    self.error(statement.span, "BMv2 has no way to make 'exit' here depend on a condition");
                }
            }
            StatementKind::SwitchAction { table, cases } => self.switch_action(*table, cases),
            StatementKind::SwitchValue { value, cases } => self.switch_value(value, cases),
            StatementKind::For { init, condition, update, body } => {
                self.for_loop(statement.span, init, condition, update, body)
            }
            StatementKind::ForIn { variable, domain, body } => self.for_in(statement.span, *variable, domain, body),
            StatementKind::Break => {
                if let Some((label, _)) = self.enclosing.loops.last() {
                    self.emitter.push(Code::Leave(*label));
                }
            }
            StatementKind::Continue => {
                if let Some((_, label)) = self.enclosing.loops.last() {
                    self.emitter.push(Code::Leave(*label));
                }
            }
        }
    }

    /// `target op= operand` where finding the target has side effects, which must happen once.
    fn operator_assignment(&mut self, target: &Expr, op: BinaryOp, operand: &Expr) {
        let place = self.place(target).map(|place| self.settled(&place));
        let Some((place, Value::Scalar(old))) = place.map(|p| (p.clone(), self.read(&p))) else {
            self.error_of(Kind::TypeError, target.span, "this cannot be assigned to");
            return;
        };
        let old = if operand.has_effects() { self.save(old) } else { old };
        let operand = self.scalar(operand);
        let ty = old.ty;
        let new = fold::binary(binary_op(op), old, operand, ty);
        self.assign(&place, &Value::Scalar(new), &target.ty, target.span);
    }

    fn assignment(&mut self, target: &Expr, value: &Expr) {
        let Some(mut place) = self.place(target) else {
            self.error_of(Kind::TypeError, target.span, "this cannot be assigned to");
            return;
        };
        if value.has_effects() {
            place = self.settled(&place);
        }
        let new = self.value(value);
        self.assign(&place, &new, &target.ty, target.span);
    }

    fn decision(&mut self, condition: &Expr, yes: &Block, no: Option<&Block>) {
        if let Some((table, hit)) = table_condition(condition) {
            let (yes, ()) = self.capture(|this| this.block(yes));
            let (no, ()) = self.capture(|this| {
                if let Some(no) = no {
                    this.block(no);
                }
            });
            let (hit, miss) = if hit { (yes, no) } else { (no, yes) };
            self.apply_table(table, AfterTable::HitMiss(hit, miss));
            return;
        }
        let condition = self.scalar(condition);
        self.branch(
            condition,
            |this| this.block(yes),
            |this| {
                if let Some(no) = no {
                    this.block(no);
                }
            },
        );
    }
}

/// Is the condition just whether a table hit (true) or missed (false)?
fn table_condition(condition: &Expr) -> Option<(TableId, bool)> {
    match &condition.kind {
        ExprKind::TableHit(table) => Some((*table, true)),
        ExprKind::TableMiss(table) => Some((*table, false)),
        ExprKind::Unary(UnaryOp::Not, inner) => table_condition(inner).map(|(table, hit)| (table, !hit)),
        _ => None,
    }
}
