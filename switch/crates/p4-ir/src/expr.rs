//! Expressions without side effects, with P4's meaning.

use crate::ops::AnyStack;
use crate::storage::{FieldRef, HeaderId, StackId, UnionId, UnionStackId};
use num_bigint::BigInt;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// `bit<width>` or `int<width>`; also enums and errors (as `bit<32>`) and serializable enums.
    Bits {
        /// Number of bits.
        width: u32,
        /// Two's complement?
        signed: bool,
    },
    /// `bool`.
    Bool,
}

impl Ty {
    /// `bit<width>`.
    pub fn bit(width: u32) -> Self {
        Self::Bits { width, signed: false }
    }

    /// The number of bits; 1 for `bool`.
    pub fn width(self) -> u32 {
        match self {
            Self::Bits { width, .. } => width,
            Self::Bool => 1,
        }
    }

    /// Is it `int<W>`?
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Bits { signed: true, .. })
    }
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`, modulo 2^width.
    Neg,
    /// `~`.
    BitNot,
    /// `!` on `bool`.
    Not,
    /// Conversion to the type of the expression: `bit` ↔ `int` of any width (sign extension by the
    /// operand's signedness), `bool` ↔ `bit<1>`.
    Cast,
}

/// Operations on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// Modulo 2^width.
    Add,
    /// Modulo 2^width.
    Sub,
    /// Modulo 2^width.
    Mul,
    /// Unsigned division; by zero is undefined.
    Div,
    /// Unsigned remainder; by zero is undefined.
    Mod,
    /// Saturating at the type's bounds.
    SatAdd,
    /// Saturating at the type's bounds.
    SatSub,
    /// Logical to the left.
    Shl,
    /// To the right: arithmetic on `int`, logical on `bit`.
    Shr,
    /// Bitwise.
    BitAnd,
    /// Bitwise.
    BitOr,
    /// Bitwise.
    BitXor,
    /// Concatenation; the left operand holds the more significant bits.
    Concat,
    /// Equality of numbers or of booleans.
    Eq,
    /// Inequality of numbers or of booleans.
    Ne,
    /// Comparison by the operands' signedness.
    Lt,
    /// Comparison by the operands' signedness.
    Le,
    /// Comparison by the operands' signedness.
    Gt,
    /// Comparison by the operands' signedness.
    Ge,
    /// On `bool`; the right operand is side-effect free, so evaluation order cannot be seen.
    And,
    /// On `bool`.
    Or,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its form.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number (within the bounds of its type).
    Const(BigInt),
    /// `true` or `false`.
    Bool(bool),
    /// A field of fixed width.
    Field(FieldRef),
    /// A parameter of the enclosing action that comes with the table entry.
    ActionParam(u32),
    /// A field of the last valid element of a stack (parsers only).
    StackLast(StackId, u32),
    /// Field of a member of the last valid element of a union stack (parsers only):
    /// stack, member, field.
    UnionStackLast(UnionStackId, u32, u32),
    /// Index of the last element of a stack that was extracted (parsers only).
    StackLastIndex(AnyStack),
    /// Index of the element of a stack that is extracted next (parsers only).
    StackNextIndex(AnyStack),
    /// Bits ahead of the parser's position, which they do not move (parsers only).
    Lookahead {
        /// Bits to skip first.
        offset: u32,
    },
    /// Validity of a header.
    Valid(HeaderId),
    /// Validity of any member of a union.
    ValidUnion(UnionId),
    /// An operation on one value.
    Unary(UnaryOp, Box<Expr>),
    /// An operation on two values.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `[high:low]`, both included.
    Slice {
        /// Taken from.
        base: Box<Expr>,
        /// Most significant bit.
        high: u32,
        /// Least significant bit.
        low: u32,
    },
    /// `condition ? then : otherwise`.
    Ternary(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// A number of type `ty`.
    pub fn constant(value: impl Into<BigInt>, ty: Ty) -> Self {
        Self { kind: ExprKind::Const(value.into()), ty }
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Self {
        Self { kind: ExprKind::Bool(value), ty: Ty::Bool }
    }

    /// A field, of the given type (booleans are kept in one-bit fields).
    pub fn field(field: FieldRef, ty: Ty) -> Self {
        Self { kind: ExprKind::Field(field), ty }
    }

    /// An operation on one value.
    pub fn unary(op: UnaryOp, operand: Expr, ty: Ty) -> Self {
        Self { kind: ExprKind::Unary(op, Box::new(operand)), ty }
    }

    /// An operation on two values.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Ty) -> Self {
        Self { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
    }

    /// `condition ? then : otherwise`.
    pub fn ternary(condition: Expr, then: Expr, otherwise: Expr) -> Self {
        let ty = then.ty;
        Self { kind: ExprKind::Ternary(Box::new(condition), Box::new(then), Box::new(otherwise)), ty }
    }

    /// The number, if it is a constant one.
    pub fn as_const(&self) -> Option<&BigInt> {
        match &self.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value, if it is a constant one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            ExprKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The field, if it is nothing but a field.
    pub fn as_field(&self) -> Option<FieldRef> {
        match self.kind {
            ExprKind::Field(field) => Some(field),
            _ => None,
        }
    }

    /// Calls `visit` for this expression and all parts of it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Unary(_, a) | ExprKind::Slice { base: a, .. } => a.walk(visit),
            ExprKind::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExprKind::Ternary(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            _ => {}
        }
    }
}
