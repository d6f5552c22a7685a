//! Statements.

use super::scope::Symbol;
use super::{Checker, Place};
use crate::typed::{Block, Expr, ExprKind, Span, Statement, StatementKind, Type};
use p4_syntax::diagnostic::Stage;
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a ast::Block) -> Block {
        let annotations = self.annotations(&block.annotations);
        let statements = self.scoped(|checker| checker.statements(&block.statements));
        Block { statements, annotations, span: block.span }
    }

    pub(super) fn statements(&mut self, list: &'a [ast::Statement]) -> Vec<Statement> {
        let mut output = Vec::new();
        for statement in list {
            self.statement(statement, &mut output);
        }
        output
    }

    /// A statement as a block of its own.
    pub(super) fn statement_block(&mut self, statement: &'a ast::Statement) -> Block {
        if let ast::StatementKind::Block(block) = &statement.kind {
            return self.block(block);
        }
        let statements = self.scoped(|checker| {
            let mut output = Vec::new();
            checker.statement(statement, &mut output);
            output
        });
        Block { statements, annotations: Vec::new(), span: statement.span }
    }

    pub(super) fn statement(&mut self, statement: &'a ast::Statement, output: &mut Vec<Statement>) {
        if let Some(kind) = self.statement_kind(&statement.kind, statement.span) {
            output.push(Statement { kind, span: statement.span });
        }
    }

    fn statement_kind(&mut self, kind: &'a ast::StatementKind, span: Span) -> Option<StatementKind> {
        match kind {
            ast::StatementKind::Variable(decl) => {
                let (id, value) = self.variable(decl)?;
                Some(StatementKind::Variable(id, value))
            }
            ast::StatementKind::Constant(decl) => {
                self.constant(decl);
                None
            }
            ast::StatementKind::Instance(decl) => {
                self.error_of(Kind::Invalid, decl.name.span, "instances cannot be declared among statements")
                    .at_stage(Stage::Names)
                    .help("move it in front of 'apply' or of the first state");
                self.instance(decl);
                None
            }
            ast::StatementKind::Assign { target, operator, value } => self.assignment(target, *operator, value, span),
            ast::StatementKind::Call(expr) => {
                let call = self.expr(expr, None);
                match call.kind {
                    ExprKind::Call(_) => Some(StatementKind::Call(call)),
                    _ => None,
                }
            }
            ast::StatementKind::DirectApply { ty, method, args } => {
                if &*method.name != "apply" {
                    let message = format!("a type has no method '{}'", method.name);
                    self.error(method.span, message);
                    return None;
                }
                self.direct_apply(ty, method, args, span).map(StatementKind::Call)
            }
            ast::StatementKind::If { condition, yes, no } => {
                let condition = self.condition(condition);
                let yes = self.statement_block(yes);
                let no = no.as_ref().map(|no| self.statement_block(no));
                Some(StatementKind::If { condition, yes, no })
            }
            ast::StatementKind::Block(block) => Some(StatementKind::Block(self.block(block))),
            ast::StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            ast::StatementKind::Exit => {
                if !matches!(self.context.place, Place::Control | Place::Action) {
                    self.error_of(Kind::Invalid, span, "'exit' is only allowed in controls and actions");
                }
                Some(StatementKind::Exit)
            }
            ast::StatementKind::Break | ast::StatementKind::Continue => {
                let is_break = matches!(kind, ast::StatementKind::Break);
                if self.context.loops == 0 {
                    let word = if is_break { "break" } else { "continue" };
                    self.error_of(Kind::Invalid, span, format!("'{word}' is only allowed in a loop"));
                }
                Some(if is_break { StatementKind::Break } else { StatementKind::Continue })
            }
            ast::StatementKind::Empty => None,
            ast::StatementKind::Switch { value, cases } => self.switch(value, cases, span),
            ast::StatementKind::For { init, condition, update, body, .. } => {
                Some(self.for_loop(init, condition, update, body))
            }
            ast::StatementKind::ForIn { ty, variable_annotations, variable, domain, body, .. } => {
                self.for_in(ty.as_ref(), variable_annotations, variable, domain, body)
            }
        }
    }

    fn assignment(
        &mut self,
        target: &'a ast::Expr,
        operator: Option<ast::BinaryOp>,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<StatementKind> {
        let place = self.expr(target, None);
        if matches!(place.kind, ExprKind::Invalidated) {
            self.expr_after_error(value);
            return None;
        }
        let writable = self.require_lvalue(&place);
        let ty = place.ty.clone();
        let value = match operator {
            None => self.expr_as(value, &ty),
            Some(op) => {
                let right = self.expr(value, None);
                let whole = self.binary_of(op, place.clone(), right, span);
                self.coerce(whole, &ty)
            }
        };
        writable.then_some(StatementKind::Assign {
            target: place,
            value,
            operator: operator.map(super::operators::operator),
        })
    }

    /// The value of a wrong assignment: looked at for its own mistakes only.
    fn expr_after_error(&mut self, value: &'a ast::Expr) {
        if !matches!(
            value.kind,
            ast::ExprKind::List(_) | ast::ExprKind::Struct { .. } | ast::ExprKind::Invalid | ast::ExprKind::Dots
        ) {
            self.expr(value, None);
        }
    }

    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Option<StatementKind> {
        if matches!(self.context.place, Place::Parser | Place::TopLevel) {
            self.error_of(Kind::Invalid, span, "'return' is not allowed here");
        }
        let result = self.context.result.clone();
        let value = match (value, &result) {
            (None, Type::Void) => None,
            (None, Type::Unknown) => None,
            (None, _) => {
                let message = format!("'return' needs a value of type '{}'", self.show(&result));
                self.error(span, message);
                None
            }
            (Some(value), Type::Void) => {
                self.error(value.span, "'return' with a value is only allowed in functions with a result");
                None
            }
            (Some(value), _) => Some(self.expr_as(value, &result)),
        };
        Some(StatementKind::Return(value))
    }

    /// The variable that a name stands for, if it is one.
    pub(super) fn variable_named(&self, name: &ast::Ident) -> Option<crate::typed::VarId> {
        match self.scopes.find(&name.name).map(|entry| &entry.symbol) {
            Some(Symbol::Variable(id)) => Some(*id),
            _ => None,
        }
    }

    /// A value that is only looked at.
    pub(super) fn switch_value(&mut self, value: &'a ast::Expr) -> Expr {
        self.expr(value, None)
    }
}

/// Does the block end in `return` or `exit` whatever happens?
pub(super) fn always_leaves(block: &Block) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Return(_) | StatementKind::Exit => true,
        StatementKind::Block(inner) => always_leaves(inner),
        StatementKind::If { yes, no: Some(no), .. } => always_leaves(yes) && always_leaves(no),
        StatementKind::SwitchValue { cases, .. } => {
            cases.iter().any(|case| case.is_default) && cases.iter().all(|case| always_leaves(&case.body))
        }
        _ => false,
    })
}
