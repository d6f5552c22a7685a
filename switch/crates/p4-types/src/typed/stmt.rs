//! Statements.

use super::{ActionId, Annotation, BinaryOp, Expr, InstanceId, KeySet, Span, TableId, VarId};

/// A block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its statements, in order.
    pub statements: Vec<Statement>,
    /// Annotations (`@atomic`, …).
    pub annotations: Vec<Annotation>,
    /// Where it is.
    pub span: Span,
}

/// A statement.
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
    /// Declares a variable; without initial value it is undefined (headers: invalid).
    Variable(VarId, Option<Expr>),
    /// An instance declared among statements.
    Instance(InstanceId),
    /// `target = value`; `target` is an l-value of the same type.
    ///
    /// For `target op= value`, `operator` says which it was, and `value` is already the whole right-hand
    /// side `target op value`.
    Assign {
        /// Where to.
        target: Expr,
        /// The value.
        value: Expr,
        /// The operator of an operator assignment, for messages only.
        operator: Option<BinaryOp>,
    },
    /// A call for its effect; the expression's kind is [`super::ExprKind::Call`].
    Call(Expr),
    /// `if`
    If {
        /// The condition.
        condition: Expr,
        /// If true.
        yes: Block,
        /// If false.
        no: Option<Block>,
    },
    /// `{ … }`
    Block(Block),
    /// `return`
    Return(Option<Expr>),
    /// `exit`
    Exit,
    /// `switch (t.apply().action_run) …`
    SwitchAction {
        /// The table to apply.
        table: TableId,
        /// The cases; at most one is the default.
        cases: Vec<SwitchCase<ActionId>>,
    },
    /// `switch (expression) …`
    SwitchValue {
        /// The value.
        value: Expr,
        /// The cases, labels are literals of the same type; at most one is the default.
        cases: Vec<SwitchCase<Expr>>,
    },
    /// `for (init; condition; update) body`
    For {
        /// Before the loop (the variables live in the loop only).
        init: Vec<Statement>,
        /// Goes on while true.
        condition: Expr,
        /// After each turn, also after `continue`.
        update: Vec<Statement>,
        /// The body.
        body: Block,
    },
    /// `for (variable in domain) body`
    ForIn {
        /// The loop variable: a fresh one for each loop if declared in its head.
        variable: VarId,
        /// The domain it runs over.
        domain: ForDomain,
        /// The body.
        body: Block,
    },
    /// `break` out of the innermost loop.
    Break,
    /// `continue` with the innermost loop.
    Continue,
}

/// The domain of a `for (x in …)` loop.
#[derive(Clone, Debug)]
pub enum ForDomain {
    /// `low..high`, both included ([`KeySet::Range`] of values of the variable's type).
    Set(KeySet),
    /// All elements of a header stack, tuple or list.
    Elements(Expr),
}

impl ForDomain {
    /// The expressions that the loop evaluates before its first turn, in their order.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (element, set) = match self {
            ForDomain::Elements(value) => (Some(value), None),
            ForDomain::Set(set) => (None, Some(set)),
        };
        element.into_iter().chain(set.into_iter().flat_map(KeySet::expressions))
    }
}

/// A case of a switch. Labels that fall through to it are among its labels.
#[derive(Clone, Debug)]
pub struct SwitchCase<L> {
    /// Its labels; may be empty if it is the default.
    pub labels: Vec<L>,
    /// True if it is (also) the default.
    pub is_default: bool,
    /// The statements to run; none if the last labels have no body.
    pub body: Block,
    /// Where it is.
    pub span: Span,
}
