//! Types as written.

use super::{Expr, Path};
use crate::source::Span;

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `bool`
    Bool,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `string`
    String,
    /// `int`
    Integer,
    /// `bit<W>` (`bit` alone is `bit<1>`)
    Bit(Option<Box<Expr>>),
    /// `int<W>`
    Int(Box<Expr>),
    /// `varbit<W>`
    Varbit(Box<Expr>),
    /// A name.
    Name(Path),
    /// `Name<A, B>`
    Specialized(Path, Vec<Type>),
    /// `T[n]`
    Stack(Box<Type>, Box<Expr>),
    /// `tuple<A, B>`
    Tuple(Vec<Type>),
    /// `list<T>`
    List(Box<Type>),
    /// `_` as a type argument.
    Any,
}
