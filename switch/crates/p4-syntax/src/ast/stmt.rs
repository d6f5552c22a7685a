//! Statements.

use super::{Annotation, Argument, BinaryOp, ConstantDecl, Expr, InstanceDecl, Type, VariableDecl};
use crate::ast::Ident;
use crate::source::Span;

/// `{ … }`
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Where it is, brackets included.
    pub span: Span,
}

/// A statement, or a declaration among statements.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
    /// Where it is.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// A variable.
    Variable(VariableDecl),
    /// A constant.
    Constant(ConstantDecl),
    /// An instance.
    Instance(InstanceDecl),
    /// `target = value` or `target op= value`
    Assign {
        /// Where to.
        target: Expr,
        /// The operator of `op=`.
        operator: Option<BinaryOp>,
        /// The value.
        value: Expr,
    },
    /// A call; the expression is [`super::ExprKind::Call`].
    Call(Expr),
    /// `T.apply(…)` or `T<A>.apply(…)`.
    DirectApply {
        /// The parser or control.
        ty: Type,
        /// The method (only `apply` exists).
        method: Ident,
        /// Arguments.
        args: Vec<Argument>,
    },
    /// `if`
    If {
        /// The condition.
        condition: Expr,
        /// If true.
        yes: Box<Statement>,
        /// If false.
        no: Option<Box<Statement>>,
    },
    /// `{ … }`
    Block(Block),
    /// `return`
    Return(Option<Expr>),
    /// `exit`
    Exit,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `;`
    Empty,
    /// `switch`
    Switch {
        /// The value that the labels are compared with.
        value: Expr,
        /// The cases.
        cases: Vec<SwitchCase>,
    },
    /// `for (a; b; c)`
    For {
        /// Annotations of the loop.
        annotations: Vec<Annotation>,
        /// Before.
        init: Vec<Statement>,
        /// While.
        condition: Expr,
        /// After each turn.
        update: Vec<Statement>,
        /// The body.
        body: Box<Statement>,
    },
    /// `for (T x in …)` or `for (x in …)`
    ForIn {
        /// Annotations of the loop.
        annotations: Vec<Annotation>,
        /// Type of the variable, if it is declared here.
        ty: Option<Type>,
        /// Its annotations.
        variable_annotations: Vec<Annotation>,
        /// The variable.
        variable: Ident,
        /// The domain it runs over.
        domain: Expr,
        /// The body.
        body: Box<Statement>,
    },
}

/// A case of a switch.
#[derive(Clone, Debug)]
pub struct SwitchCase {
    /// The label; [`super::ExprKind::Any`] for `default`.
    pub label: Expr,
    /// The statements to run; None: those of the next case.
    pub body: Option<Block>,
    /// Where it is.
    pub span: Span,
}
