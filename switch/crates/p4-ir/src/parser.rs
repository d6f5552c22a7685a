//! Parsers as graphs of states.

use crate::Source;
use crate::expr::Expr;
use crate::index_type;
use crate::ops::Stmt;
use num_bigint::BigInt;

index_type!(
    /// A [`State`] of one parser.
    StateId
);
index_type!(
    /// A [`ValueSet`].
    ValueSetId
);

/// A parser; its first state is state 0.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    /// All states.
    pub states: Vec<State>,
    /// The declaration.
    pub source: Source,
}

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// Name, unique in the parser.
    pub name: String,
    /// Operations before it decides where to go.
    pub ops: Vec<Stmt>,
    /// Where it goes.
    pub transition: Transition,
    /// The state of the source that it is (a part of); none if the compiler made it.
    pub source: Source,
}

/// Where a state goes.
#[derive(Clone, Debug)]
pub enum Transition {
    /// Always there.
    Direct(Target),
    /// To the first case that matches; if none does, parsing ends with the error `NoMatch`.
    Select {
        /// Fields, last-element fields or look-aheads only.
        keys: Vec<Expr>,
        /// In order.
        cases: Vec<Case>,
    },
}

/// The next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A state of this parser.
    State(StateId),
    /// Done.
    Accept,
    /// Done, with an error.
    Reject,
}

/// One case of a `select`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The values that the keys are compared with.
    pub matcher: Matcher,
    /// Where to go then.
    pub target: Target,
}

/// The values that the keys of a `select` are compared with.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Anything.
    Any,
    /// For every key a value and a mask (all ones for exact matches).
    Masked(Vec<(BigInt, BigInt)>),
    /// Members of a value set.
    ValueSet(ValueSetId),
}

/// A parser value set.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Control-plane name.
    pub name: String,
    /// Sum of the widths of all parts.
    pub bits: u32,
    /// Greatest number of members.
    pub size: u64,
}
