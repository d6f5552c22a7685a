//! The syntax tree: the structure of the source with the place of everything, and no meaning added.

mod decl;
mod expr;
mod stmt;
mod types;

pub use decl::*;
pub use expr::*;
pub use stmt::*;
pub use types::*;

use crate::source::Span;
use std::rc::Rc;

/// A name in the source.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name.
    pub name: Rc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A name, possibly with a leading dot (`.x`: the one of the top level).
#[derive(Clone, Debug)]
pub struct Path {
    /// True for `.x`.
    pub absolute: bool,
    /// The name.
    pub name: Ident,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The declarations of the top level, in order.
    pub declarations: Vec<Declaration>,
    /// The annotations that are options of the compiler, `@diagnostic` and `@command_line`, in order, wherever they
    /// stand.
    pub options: Vec<Annotation>,
}

/// An annotation.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Its name, without `@`.
    pub name: Ident,
    /// Its contents.
    pub body: AnnotationBody,
    /// All of it.
    pub span: Span,
}

/// The contents of an annotation.
#[derive(Clone, Debug)]
pub enum AnnotationBody {
    /// `@a`
    Empty,
    /// `@a(…)`: the tokens between the parentheses.
    Tokens {
        /// The tokens.
        tokens: Vec<crate::token::Token>,
        /// The same, if they are a list of expressions.
        expressions: Option<Vec<Expr>>,
        /// The same, if they are `key = value` pairs.
        pairs: Option<Vec<(Ident, Expr)>>,
    },
    /// `@a[v, …]`
    Expressions(Vec<Expr>),
    /// `@a[k = v, …]`
    Pairs(Vec<(Ident, Expr)>),
}
