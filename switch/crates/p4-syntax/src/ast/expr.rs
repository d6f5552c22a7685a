//! Expressions.

use super::{Ident, Path, Type};
use crate::source::Span;
use num_bigint::BigInt;
use std::rc::Rc;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
    /// Height of the tree below; bounded by the parser, so later passes may recurse.
    pub depth: u32,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The parameter it is for, if written `name = value`.
    pub name: Option<Ident>,
    /// Its value; [`ExprKind::Any`] for `_`.
    pub value: Expr,
}

/// The kinds of expressions, sets of values included.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number; width and sign if it has a prefix.
    Integer(BigInt, Option<(u32, bool)>, u32),
    /// `true`, `false`
    Bool(bool),
    /// `"…"`
    String(Rc<str>),
    /// `...`: take the default value.
    Dots,
    /// `this`
    This,
    /// A name that is not that of a type.
    Path(Path),
    /// A type where a value is expected, as in `E.a` or `H.minSizeInBits()`.
    Type(Type),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `base[high:low]`
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `base[low+:width]`
    PlusSlice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `{ a, b }`
    List(Vec<Expr>),
    /// `{ a = x, b = y }`, possibly with `...` at the end
    Struct {
        /// The fields given.
        fields: Vec<(Ident, Expr)>,
        /// `...` follows: the others get default values.
        dots: bool,
    },
    /// `{#}`
    Invalid,
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `base.name`
    Member(Box<Expr>, Ident),
    /// `callee<T>(args)`
    Call {
        /// The callee.
        callee: Box<Expr>,
        /// Type arguments given.
        type_args: Vec<Type>,
        /// Arguments given.
        args: Vec<Argument>,
    },
    /// `T<A>(args)`: an object of type T.
    Construct {
        /// Its type.
        ty: Type,
        /// Arguments given.
        args: Vec<Argument>,
    },
    /// `(T) value`
    Cast(Type, Box<Expr>),
    /// `default` or `_`
    Any,
    /// `value &&& mask`
    Mask(Box<Expr>, Box<Expr>),
    /// `low .. high`
    Range(Box<Expr>, Box<Expr>),
    /// `(a, b)` of sets
    Tuple(Vec<Expr>),
    /// Something that could not be understood; a message has been given.
    Invalidated,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    BitNot,
    Negate,
    Plus,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    SaturatingAdd,
    SaturatingSub,
    Mul,
    Div,
    Mod,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Concat,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl BinaryOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::SaturatingAdd => "|+|",
            Self::SaturatingSub => "|-|",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Concat => "++",
            Self::And => "&&",
            Self::Or => "||",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}
