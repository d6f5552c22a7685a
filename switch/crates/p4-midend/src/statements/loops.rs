//! Loops: unrolled where the number of turns is known, else jumps back within an action.

use crate::code::enclosing::Stage;
use crate::code::structured::{Code, fits_action};
use crate::expressions::constant_folding as fold;
use crate::lowerer::Lowerer;
use crate::storage::place::{Binding, Value};
use num_bigint::BigInt;
use p4_ir::expr::{BinaryOp, Expr};
use p4_syntax::{Kind, Span};
use p4_types::typed::{self, Block, ExprKind, ForDomain, KeySet, Statement, StatementKind, VarId};

/// Loops with more turns are not unrolled.
const MAX_TURNS: usize = 4096;

impl Lowerer<'_> {
    /// `for (init; condition; update) body`
    pub fn for_loop(
        &mut self,
        span: Span,
        init: &[Statement],
        condition: &typed::Expr,
        update: &[Statement],
        body: &Block,
    ) {
        if self.unroll(init, condition, update, body) {
            return;
        }
        let (leave, go_on) = (self.new_label(), self.new_label());
        self.statements(init);
        let (code, ()) = self.capture(|this| {
            let condition = this.scalar(condition);
            this.branch(condition, |_| {}, |this| this.emitter.push(Code::Leave(leave)));
            this.turn(body, leave, go_on);
            this.statements(update);
        });
        self.push_loop(leave, code, span);
    }

    /// One turn of a loop.
    fn turn(&mut self, body: &Block, leave: u32, go_on: u32) {
        self.enclosing.loops.push((leave, go_on));
        let (code, _) = self.capture(|this| this.expansion(body.span, |this| this.block(body)));
        self.enclosing.loops.pop();
        self.emitter.push(Code::Block(go_on, code));
    }

    fn push_loop(&mut self, leave: u32, code: Vec<Code>, span: Span) {
        let piece = Code::Loop(leave, code);
        if self.enclosing.stage != Stage::Parser && !fits_action(std::slice::from_ref(&piece)) {
            self.error_of(
                Kind::Unsupported,
                span,
                "the number of turns of this loop must be known at compile time, \
                 because it applies a table or returns from within",
            );
        }
        self.emitter.push(piece);
    }

    /// Unrolls the loop if its variables are known in every turn.
    fn unroll(&mut self, init: &[Statement], condition: &typed::Expr, update: &[Statement], body: &Block) -> bool {
        let written = self.effects.written_by_block(self.typed, body);
        let mut first_values = vec![];
        for statement in init {
            let StatementKind::Variable(var, Some(value)) = &statement.kind else {
                return false;
            };
            if written.contains(var) {
                return false;
            }
            let Some(value) = self.known(value) else {
                return false;
            };
            first_values.push((*var, value));
            self.set_known(&first_values);
        }
        let variables: Vec<VarId> = first_values.iter().map(|(var, _)| *var).collect();
        let Some(turns) = self.known_turns(condition, update, &variables) else {
            for var in variables {
                self.bindings.variables.remove(&var);
            }
            return false;
        };
        self.set_known(&first_values);
        let leave = self.new_label();
        let all_turns = |this: &mut Self| {
            for _ in 0..turns {
                let go_on = this.new_label();
                this.turn(body, leave, go_on);
                this.advance(update, &variables);
            }
        };
        let (code, _) = self.capture(|this| this.expansion(body.span, all_turns));
        self.emitter.push(Code::Block(leave, code));
        true
    }

    /// Gives variables values that are known.
    fn set_known(&mut self, values: &[(VarId, Expr)]) {
        let bindings = values.iter().map(|(var, value)| (*var, Binding::Value(Value::Scalar(value.clone()))));
        self.bindings.variables.extend(bindings);
    }

    /// The number of turns of a loop whose variables have their first values. Afterwards they have their last ones. The
    /// body is not looked at: it does not write them.
    fn known_turns(&mut self, condition: &typed::Expr, update: &[Statement], variables: &[VarId]) -> Option<usize> {
        for turns in 0..MAX_TURNS {
            if !self.known(condition)?.as_bool()? {
                return Some(turns);
            }
            if !self.advance(update, variables) {
                return None;
            }
        }
        None
    }

    /// The value of a simple expression, if it is known and computing it emits nothing.
    fn known(&mut self, expr: &typed::Expr) -> Option<Expr> {
        if expr.has_effects() {
            return None;
        }
        let (code, value) = self.capture(|this| this.value(expr));
        let value = value.scalar()?;
        let known = value.as_const().is_some() || value.as_bool().is_some();
        (known && code.is_empty()).then(|| value.clone())
    }

    /// Carries the update out on known values.
    fn advance(&mut self, update: &[Statement], variables: &[VarId]) -> bool {
        for statement in update {
            let StatementKind::Assign { target, value, .. } = &statement.kind else {
                return false;
            };
            let ExprKind::Var(var) = target.kind else {
                return false;
            };
            let Some(value) = self.known(value) else {
                return false;
            };
            if !variables.contains(&var) {
                return false;
            }
            self.bindings.variables.insert(var, Binding::Value(Value::Scalar(value)));
        }
        true
    }

    /// `for (variable in domain) body`
    pub fn for_in(&mut self, span: Span, variable: VarId, domain: &ForDomain, body: &Block) {
        match domain {
            ForDomain::Elements(list) => {
                let values = match self.place(list) {
                    Some(place) => {
                        let elements = self.elements(&place);
                        elements.iter().map(|e| self.read(e)).collect()
                    }
                    None => match self.value(list) {
                        Value::Struct(parts) | Value::Stack(parts) => parts.to_vec(),
                        _ => vec![],
                    },
                };
                self.turns(variable, values, body);
            }
            ForDomain::Set(KeySet::Range(low, high)) => {
                let (low, high) = (self.scalar(low), self.scalar(high));
                let known = low.as_const().zip(high.as_const());
                match known.map(|(low, high)| (low.clone(), high.clone())) {
                    Some((first, last)) if &last - &first < BigInt::from(MAX_TURNS) => {
                        let mut values = vec![];
                        let mut number = first;
                        while number <= last {
                            let value = fold::constant(number.clone(), low.ty);
                            values.push(Value::Scalar(value));
                            number += 1;
                        }
                        self.turns(variable, values, body);
                    }
                    _ => self.range_loop(span, variable, low, high, body),
                }
            }
            ForDomain::Set(_) => self.error_of(Kind::Unsupported, span, "a loop runs over a range or a list"),
        }
    }

    /// One turn for each value.
    fn turns(&mut self, variable: VarId, values: Vec<Value>, body: &Block) {
        let written = self.effects.written_by_block(self.typed, body);
        let leave = self.new_label();
        let all_turns = |this: &mut Self| {
            for value in values {
                let known = matches!(&value, Value::Scalar(e) if e.as_const().is_some());
                if known && !written.contains(&variable) {
                    this.bindings.variables.insert(variable, Binding::Value(value));
                } else {
                    let place = this.storage.local_place(variable);
                    let ty = this.typed[variable].ty.clone();
                    this.assign(&place, &value, &ty, Span::default());
                    this.bindings.variables.insert(variable, Binding::Place(place));
                }
                let go_on = this.new_label();
                this.turn(body, leave, go_on);
            }
        };
        let (code, _) = self.capture(|this| this.expansion(body.span, all_turns));
        self.emitter.push(Code::Block(leave, code));
    }

    /// A range whose bounds are known at run time only.
    fn range_loop(&mut self, span: Span, variable: VarId, low: Expr, high: Expr, body: &Block) {
        let ty = self.typed[variable].ty.clone();
        let high = self.save(high);
        let place = self.storage.local_place(variable);
        self.assign(&place, &Value::Scalar(low), &ty, span);
        self.bindings.variables.insert(variable, crate::storage::place::Binding::Place(place.clone()));
        let (leave, go_on) = (self.new_label(), self.new_label());
        let (code, ()) = self.capture(|this| {
            let Value::Scalar(here) = this.read(&place) else {
                return;
            };
            let inside = fold::binary(BinaryOp::Le, here.clone(), high.clone(), p4_ir::expr::Ty::Bool);
            this.branch(inside, |_| {}, |this| this.emitter.push(Code::Leave(leave)));
            this.turn(body, leave, go_on);
            let last = fold::equal(here.clone(), high.clone());
            this.branch(last, |this| this.emitter.push(Code::Leave(leave)), |_| {});
            let one = Expr::constant(1, here.ty);
            let next = fold::binary(BinaryOp::Add, here.clone(), one, here.ty);
            this.assign(&place, &Value::Scalar(next), &ty, span);
        });
        self.push_loop(leave, code, span);
    }
}
