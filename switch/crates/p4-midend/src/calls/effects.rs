//! The variables that bodies may write, and the expressions that have side effects.
//!
//! Used to decide where the inliner may pass places instead of copies and where an operand must be
//! saved before a later operand is evaluated. Both analyses are conservative and remembered.

use p4_types::typed::{
    ActionId, Block, Call, Callee, ControlId, Direction, Expr, ExprKind, FunctionId, InstanceOf, Local, Object,
    ParserId, Program, Statement, StatementKind, Type, VarId,
};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A body that can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// A function.
    Function(FunctionId),
    /// An action.
    Action(ActionId),
    /// A control's `apply`.
    Control(ControlId),
    /// A parser's states.
    Parser(ParserId),
}

/// Remembers the variables that bodies write.
#[derive(Default)]
pub struct Effects {
    written: HashMap<Body, Rc<HashSet<VarId>>>,
}

impl Effects {
    /// The variables (parameters, locals, those of the enclosing control) a body may write.
    pub fn written(&mut self, program: &Program, body: Body) -> Rc<HashSet<VarId>> {
        if let Some(known) = self.written.get(&body) {
            return known.clone();
        }
        // Recursion is impossible in P4; an entry made first keeps a wrong program from looping.
        self.written.insert(body, Rc::default());
        let mut found = HashSet::new();
        let mut visitor = Visitor { program, effects: self, found: &mut found };
        match body {
            Body::Function(id) => visitor.block(&program[id].body),
            Body::Action(id) => visitor.block(&program[id].body),
            Body::Control(id) => {
                visitor.locals(&program[id].locals);
                visitor.block(&program[id].body);
            }
            Body::Parser(id) => {
                visitor.locals(&program[id].locals);
                for state in &program[id].states {
                    visitor.statements(&state.body);
                }
            }
        }
        let found = Rc::new(found);
        self.written.insert(body, found.clone());
        found
    }

    /// The variables a block may write.
    pub fn written_by_block(&mut self, program: &Program, block: &Block) -> HashSet<VarId> {
        let mut found = HashSet::new();
        Visitor { program, effects: self, found: &mut found }.block(block);
        found
    }
}

struct Visitor<'a> {
    program: &'a Program,
    effects: &'a mut Effects,
    found: &'a mut HashSet<VarId>,
}

impl Visitor<'_> {
    fn locals(&mut self, locals: &[Local]) {
        for local in locals {
            match local {
                Local::Variable(_, Some(init)) => self.expr(init),
                Local::Table(id) => self.table(*id),
                _ => {}
            }
        }
    }

    fn table(&mut self, id: p4_types::typed::TableId) {
        let table = &self.program[id];
        for key in &table.keys {
            self.expr(&key.value);
        }
        for action in &table.actions {
            self.action(action.action);
            for arg in &action.bound_args {
                if matches!(arg.direction, Direction::Out | Direction::InOut)
                    && let Some(value) = &arg.value
                {
                    self.target(value);
                }
            }
        }
    }

    /// An action that is called. Its parameters are its own: their bindings at another call do not count.
    fn action(&mut self, id: ActionId) {
        let written = self.effects.written(self.program, Body::Action(id));
        let own: HashSet<VarId> = self.program[id].params.iter().map(|param| param.var).collect();
        self.found.extend(written.difference(&own));
    }

    fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Variable(var, init) => {
                self.found.insert(*var);
                if let Some(init) = init {
                    self.expr(init);
                }
            }
            StatementKind::Instance(_) | StatementKind::Exit => {}
            StatementKind::Break | StatementKind::Continue => {}
            StatementKind::Assign { target, value, .. } => {
                self.target(target);
                self.expr(target);
                self.expr(value);
            }
            StatementKind::Call(call) => self.expr(call),
            StatementKind::If { condition, yes, no } => {
                self.expr(condition);
                self.block(yes);
                if let Some(no) = no {
                    self.block(no);
                }
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            StatementKind::SwitchAction { table, cases } => {
                self.table(*table);
                for case in cases {
                    self.block(&case.body);
                }
            }
            StatementKind::SwitchValue { value, cases } => {
                self.expr(value);
                for case in cases {
                    self.block(&case.body);
                }
            }
            StatementKind::For { init, condition, update, body } => {
                self.statements(init);
                self.expr(condition);
                self.statements(update);
                self.block(body);
            }
            StatementKind::ForIn { variable, domain, body } => {
                self.found.insert(*variable);
                domain.expressions().for_each(|part| self.expr(part));
                self.block(body);
            }
        }
    }

    /// The variable an l-value belongs to.
    fn target(&mut self, target: &Expr) {
        if let Some(var) = root_variable(target) {
            self.found.insert(var);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        each_call(expr, &mut |call| self.call(call));
        each_table(expr, &mut |id| self.table(id));
    }

    fn call(&mut self, call: &Call) {
        for arg in &call.args {
            if matches!(arg.direction, Direction::Out | Direction::InOut)
                && let Some(value) = &arg.value
            {
                self.target(value);
            }
        }
        match &call.callee {
            Callee::Action(id) => self.action(*id),
            Callee::Table(id) => self.table(*id),
            Callee::SetValid(target)
            | Callee::SetInvalid(target)
            | Callee::PushFront(target, _)
            | Callee::PopFront(target, _) => self.target(target),
            _ => {}
        }
    }
}

/// The variable an l-value belongs to.
pub fn root_variable(target: &Expr) -> Option<VarId> {
    match &target.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Field { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::Slice { base, .. }
        | ExprKind::PlusSlice { base, .. }
        | ExprKind::StackNext(base)
        | ExprKind::StackLast(base) => root_variable(base),
        _ => None,
    }
}

fn each_call(expr: &Expr, visit: &mut dyn FnMut(&Call)) {
    expr.walk(&mut |part| {
        if let ExprKind::Call(call) = &part.kind {
            visit(call);
        }
    });
}

fn each_table(expr: &Expr, visit: &mut dyn FnMut(p4_types::typed::TableId)) {
    expr.walk(&mut |part| {
        if let ExprKind::TableHit(id) | ExprKind::TableMiss(id) = &part.kind {
            visit(*id);
        }
    });
}

/// For parts that are evaluated from left to right, of which `have_effects` tells which have effects: does a later part
/// have one? Then the values evaluated before must be saved.
pub fn later_effects(have_effects: impl DoubleEndedIterator<Item = bool>) -> Vec<bool> {
    let mut found = vec![];
    let mut later = false;
    for has in have_effects.rev() {
        found.push(later);
        later |= has;
    }
    found.reverse();
    found
}

/// Does a control have tables, itself or within?
pub fn has_tables(program: &Program, control: ControlId) -> bool {
    let declared = &program[control];
    let objects = &declared.constructor_params;
    if objects.iter().any(|p| matches!(p.ty, Type::Apply(..) | Type::Control(_))) {
        return true;
    }
    declared.locals.iter().any(|local| match local {
        Local::Table(_) => true,
        Local::Instance(id) => match program[*id].of {
            InstanceOf::Control(inner) => has_tables(program, inner),
            _ => false,
        },
        _ => false,
    })
}

/// How often each object is applied in a body; more than once needs parameters of its own.
pub fn applications(program: &Program, block: &Block, counts: &mut HashMap<Object, u32>) {
    for statement in &block.statements {
        statement_applications(program, statement, counts);
    }
}

/// As [`applications`], for one statement.
pub fn statement_applications(program: &Program, statement: &Statement, counts: &mut HashMap<Object, u32>) {
    let mut note = |expr: &Expr| {
        each_call(expr, &mut |call| {
            if let Callee::Apply(object) = &call.callee {
                let count = counts.entry(*object).or_default();
                *count = count.saturating_add(1);
            }
        });
    };
    match &statement.kind {
        StatementKind::Call(call) => note(call),
        StatementKind::If { yes, no, .. } => {
            applications(program, yes, counts);
            if let Some(no) = no {
                applications(program, no, counts);
            }
        }
        StatementKind::Block(block) => applications(program, block, counts),
        StatementKind::SwitchAction { cases, .. } => {
            for case in cases {
                applications(program, &case.body, counts);
            }
        }
        StatementKind::SwitchValue { cases, .. } => {
            for case in cases {
                applications(program, &case.body, counts);
            }
        }
        // The parts that a loop repeats count as several places.
        StatementKind::For { init, update, body, .. } => {
            for statement in init.iter().chain(update).chain(update) {
                statement_applications(program, statement, counts);
            }
            repeated_applications(program, body, counts);
        }
        StatementKind::ForIn { body, .. } => repeated_applications(program, body, counts),
        _ => {}
    }
}

/// As [`applications`], for the body of a loop.
fn repeated_applications(program: &Program, body: &Block, counts: &mut HashMap<Object, u32>) {
    let mut once = HashMap::new();
    applications(program, body, &mut once);
    for (object, number) in once {
        let count = counts.entry(object).or_default();
        *count = count.saturating_add(number.saturating_mul(2));
    }
}
