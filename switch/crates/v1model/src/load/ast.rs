//! BMv2 JSON expressions with names resolved, before lowering.

use num_bigint::BigInt;

use crate::code::expr::CmpOp;
use crate::phv::FieldLoc;

/// Operations on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// A number: BMv2's semantics is that of unbounded integers.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    Const(BigInt),
    Field(FieldLoc),
    /// A field of a header found when the expression is evaluated; `loc.slot` counts from the header's first slot.
    DynField(HeaderExpr, FieldLoc),
    /// A parameter of the action.
    Local {
        limb: u32,
        width: u32,
    },
    Register {
        array: u32,
        width: u32,
        index: Box<Data>,
    },
    Bin(BinOp, Box<Data>, Box<Data>),
    Not(Box<Data>),
    TwoCompMod(Box<Data>, u32),
    USatCast(Box<Data>, u32),
    SatCast(Box<Data>, u32),
    FromBool(Box<Bool>),
    Ternary(Box<Bool>, Box<Data>, Box<Data>),
    /// Elements in use of the stack whose `next` is in this slot, plus this.
    StackCount {
        next: u32,
        size: u32,
        plus: i64,
    },
}

/// A truth value.
#[derive(Debug, Clone)]
pub(crate) enum Bool {
    Const(bool),
    And(Box<Bool>, Box<Bool>),
    Or(Box<Bool>, Box<Bool>),
    Not(Box<Bool>),
    /// `true`: the two differ.
    Differ(Box<Bool>, Box<Bool>),
    Ternary(Box<Bool>, Box<Bool>, Box<Bool>),
    Cmp(CmpOp, Box<Data>, Box<Data>),
    FromData(Box<Data>),
    Valid(HeaderExpr),
    ValidUnion(UnionExpr),
    HeadersEqual(HeaderExpr, HeaderExpr),
    UnionsEqual(UnionExpr, UnionExpr),
}

/// A header.
#[derive(Debug, Clone)]
pub(crate) enum HeaderExpr {
    Static(u32),
    StackAt(u32, Box<Data>),
    StackLast(u32),
    Member(Box<UnionExpr>, u32),
}

/// A header union.
#[derive(Debug, Clone)]
pub(crate) enum UnionExpr {
    Static(u32),
    StackAt(u32, Box<Data>),
    StackLast(u32),
}

/// Any expression.
#[derive(Debug, Clone)]
pub(crate) enum Ast {
    Data(Data),
    Bool(Bool),
    Header(HeaderExpr),
    Stack(u32),
    Union(UnionExpr),
    UnionStack(u32),
}

impl Ast {
    pub fn kind(&self) -> &'static str {
        match self {
            Ast::Data(_) => "a number",
            Ast::Bool(_) => "a boolean",
            Ast::Header(_) => "a header",
            Ast::Stack(_) => "a header stack",
            Ast::Union(_) => "a header union",
            Ast::UnionStack(_) => "a header union stack",
        }
    }
}
