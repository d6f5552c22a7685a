//! The accesses of expressions and statements to variables, in the order of execution.

use crate::typed::{
    ActionId, Block, Call, Callee, Direction, Expr, ExprKind, ForDomain, Object, Program, Span, Statement,
    StatementKind, SwitchCase, TableAction, TableId, Type, VarId,
};

/// An access to a variable, or the use of an action or a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// A variable is declared by a statement.
    Declare(VarId),
    /// A variable, or a part of it, is read.
    Read(VarId, Span),
    /// A variable, or a part of it, gets a value.
    Write(VarId),
    /// As [`Access::Write`], but by a call that does more than giving this value: the variable may be there because
    /// the call needs one.
    Take(VarId),
    /// An action runs.
    Action(ActionId),
    /// A table is applied.
    Table(TableId, Span),
}

/// The accesses of an expression.
pub(super) fn of_expr(program: &Program, expr: &Expr) -> Vec<Access> {
    let mut walk = Walk { program, output: Vec::new() };
    walk.expr(expr);
    walk.output
}

/// The accesses of a statement, going through its parts in the order of the source.
pub(super) fn of_statement(program: &Program, statement: &Statement) -> Vec<Access> {
    let mut walk = Walk { program, output: Vec::new() };
    walk.statement(statement);
    walk.output
}

/// The accesses of a block, as [`of_statement`].
pub(super) fn of_block(program: &Program, block: &Block) -> Vec<Access> {
    let mut walk = Walk { program, output: Vec::new() };
    walk.block(block);
    walk.output
}

/// The accesses that evaluate the domain of a loop.
pub(super) fn of_domain(program: &Program, domain: &ForDomain) -> Vec<Access> {
    let mut walk = Walk { program, output: Vec::new() };
    domain.expressions().for_each(|part| walk.expr(part));
    walk.output
}

/// The accesses of a table to the arguments of one of its actions, if that action runs. The action itself comes last.
pub(super) fn of_table_action(program: &Program, item: &TableAction) -> Vec<Access> {
    let mut walk = Walk { program, output: Vec::new() };
    let written = walk.arguments(item.bound_args.iter().map(|arg| (arg.direction, arg.value.as_ref())));
    walk.output.extend(written.into_iter().map(|(id, _)| Access::Take(id)));
    walk.output.push(Access::Action(item.action));
    walk.output
}

struct Walk<'a> {
    program: &'a Program,
    output: Vec<Access>,
}

impl Walk<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(id) => self.output.push(Access::Read(*id, expr.span)),
            ExprKind::Field { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::StackLastIndex(base)
            | ExprKind::Slice { base, .. }
            | ExprKind::Unary(_, base)
            | ExprKind::Cast(base) => self.expr(base),
            ExprKind::Index { base, index: other }
            | ExprKind::PlusSlice { base, low: other, .. }
            | ExprKind::Binary(_, base, other) => {
                self.expr(base);
                self.expr(other);
            }
            ExprKind::Ternary { condition, yes, no } => {
                self.expr(condition);
                self.expr(yes);
                self.expr(no);
            }
            ExprKind::Struct(items) | ExprKind::List(items) => items.iter().for_each(|item| self.expr(item)),
            ExprKind::Call(call) => self.call(call),
            ExprKind::TableHit(id) | ExprKind::TableMiss(id) => self.output.push(Access::Table(*id, expr.span)),
            ExprKind::Literal(_) | ExprKind::Object(_) | ExprKind::Invalid | ExprKind::Invalidated => {}
        }
    }

    /// Goes through the indices of a place that is written; returns the variable that the place is a part of.
    fn place(&mut self, expr: &Expr) -> Option<(VarId, Span)> {
        match &expr.kind {
            ExprKind::Var(id) => Some((*id, expr.span)),
            ExprKind::Field { base, .. }
            | ExprKind::Slice { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base) => self.place(base),
            ExprKind::Index { base, index: other } | ExprKind::PlusSlice { base, low: other, .. } => {
                self.expr(other);
                self.place(base)
            }
            _ => {
                self.expr(expr);
                None
            }
        }
    }

    fn write(&mut self, target: &Expr) {
        if let Some((id, _)) = self.place(target) {
            self.output.push(Access::Write(id));
        }
    }

    fn call(&mut self, call: &Call) {
        match &call.callee {
            Callee::IsValid(base) => self.expr(base),
            Callee::SetValid(base)
            | Callee::SetInvalid(base)
            | Callee::PushFront(base, _)
            | Callee::PopFront(base, _) => self.write(base),
            Callee::Table(id) => self.output.push(Access::Table(*id, call.span)),
            _ => {}
        }
        let written = self.arguments(call.args.iter().map(|arg| (arg.direction, arg.value.as_ref())));
        if let Callee::Action(id) = call.callee {
            self.output.push(Access::Action(id));
        }
        let only_this = written.len() == 1 && self.only_gives_a_value(call);
        for (id, _) in written {
            self.output.push(if only_this { Access::Write(id) } else { Access::Take(id) });
        }
    }

    /// Goes through the arguments before the call; returns the variables that the call writes.
    fn arguments<'e>(&mut self, args: impl Iterator<Item = (Direction, Option<&'e Expr>)>) -> Vec<(VarId, Span)> {
        let mut written = Vec::new();
        for (direction, value) in args {
            let Some(value) = value else { continue };
            match direction {
                Direction::None | Direction::In => self.expr(value),
                Direction::Out => written.extend(self.place(value)),
                Direction::InOut => {
                    let place = self.place(value);
                    self.output.extend(place.map(|(id, span)| Access::Read(id, span)));
                    written.extend(place);
                }
            }
        }
        written
    }

    /// Is the call for nothing if nobody reads the variable that it writes (`register.read`, `hash`)?
    fn only_gives_a_value(&self, call: &Call) -> bool {
        let is_extern = match &call.callee {
            Callee::ExternFunction(_) => true,
            // Extracting goes on in the packet.
            Callee::Method { object, .. } => !self.is_packet(*object),
            _ => false,
        };
        is_extern && call.result == Type::Void
    }

    fn is_packet(&self, object: Object) -> bool {
        let ty = match object {
            Object::Instance(id) => &self.program[id].ty,
            Object::Parameter(id) => &self.program[id].ty,
        };
        matches!(ty, Type::Extern(id, _) if &*self.program[*id].name == "packet_in")
    }

    fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    fn statements(&mut self, list: &[Statement]) {
        list.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Variable(id, value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
                self.output.push(Access::Declare(*id));
            }
            StatementKind::Assign { target, value, .. } => {
                let place = self.place(target);
                self.expr(value);
                self.output.extend(place.map(|(id, _)| Access::Write(id)));
            }
            StatementKind::Call(expr) => self.expr(expr),
            StatementKind::If { condition, yes, no } => {
                self.expr(condition);
                self.block(yes);
                if let Some(no) = no {
                    self.block(no);
                }
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Return(Some(value)) => self.expr(value),
            StatementKind::SwitchAction { table, cases } => {
                self.output.push(Access::Table(*table, statement.span));
                self.cases(cases);
            }
            StatementKind::SwitchValue { value, cases } => {
                self.expr(value);
                self.cases(cases);
            }
            StatementKind::For { init, condition, update, body } => {
                self.statements(init);
                self.expr(condition);
                self.block(body);
                self.statements(update);
            }
            StatementKind::ForIn { variable, domain, body } => {
                domain.expressions().for_each(|part| self.expr(part));
                self.output.push(Access::Take(*variable));
                self.block(body);
            }
            StatementKind::Instance(_)
            | StatementKind::Return(None)
            | StatementKind::Exit
            | StatementKind::Break
            | StatementKind::Continue => {}
        }
    }

    fn cases<L>(&mut self, cases: &[SwitchCase<L>]) {
        cases.iter().for_each(|case| self.block(&case.body));
    }
}
