//! Expressions, calls and sets.

use super::{
    ActionId, ErrorId, ExternFunctionId, FunctionId, InstanceId, MatchKindId, Span, TableId, Type, ValueSetId, VarId,
};
use num_bigint::BigInt;
use std::rc::Rc;

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it is.
    pub span: Span,
}

impl Expr {
    /// May evaluating it change anything?
    pub fn has_effects(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| match &part.kind {
            ExprKind::Call(call) => found |= !matches!(call.callee, Callee::IsValid(_)),
            ExprKind::TableHit(_) | ExprKind::TableMiss(_) => found = true,
            _ => {}
        });
        found
    }

    /// Calls `visit` for every expression within this one, itself included, but not within calls' bodies.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Field { base, .. }
            | ExprKind::Slice { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::StackLastIndex(base)
            | ExprKind::Cast(base)
            | ExprKind::Unary(_, base) => base.walk(visit),
            ExprKind::Index { base, index } | ExprKind::PlusSlice { base, low: index, .. } => {
                base.walk(visit);
                index.walk(visit);
            }
            ExprKind::Binary(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            ExprKind::Ternary { condition, yes, no } => {
                condition.walk(visit);
                yes.walk(visit);
                no.walk(visit);
            }
            ExprKind::Struct(parts) | ExprKind::List(parts) => {
                for part in parts {
                    part.walk(visit);
                }
            }
            ExprKind::Call(call) => {
                match &call.callee {
                    Callee::IsValid(base)
                    | Callee::SetValid(base)
                    | Callee::SetInvalid(base)
                    | Callee::PushFront(base, _)
                    | Callee::PopFront(base, _) => base.walk(visit),
                    _ => {}
                }
                for arg in &call.args {
                    if let Some(value) = &arg.value {
                        value.walk(visit);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A compile-time known value of a simple type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A Boolean.
    Bool(bool),
    /// A number of type `bit<W>`, `int<W>` (in range), `int`, a serializable enumeration, or a `type` of them.
    Int(BigInt),
    /// A string, escapes resolved.
    String(Rc<str>),
    /// An error.
    Error(ErrorId),
    /// A match kind.
    MatchKind(MatchKindId),
    /// A member (by position) of the plain enumeration that is the expression's type.
    Enum(u32),
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A known value.
    Literal(Value),
    /// A variable, parameter, or constructor parameter (that is not an object). Never a constant.
    Var(VarId),
    /// An extern, parser, control or package object: an argument of a constructor, of a call with an extern
    /// parameter, or a property of a table (`implementation`, `counters`).
    Object(Object),
    /// Field number `field` of a structure, header, header union, or element of a tuple.
    Field {
        /// The whole that the field belongs to.
        base: Box<Expr>,
        /// Position in [`super::StructType::fields`], or in the tuple.
        field: usize,
    },
    /// An element of a header stack (or of a `list`).
    Index {
        /// The stack.
        base: Box<Expr>,
        /// Which one; a literal is within the bounds.
        index: Box<Expr>,
    },
    /// `stack.next`
    StackNext(Box<Expr>),
    /// `stack.last`
    StackLast(Box<Expr>),
    /// `stack.lastIndex` (`bit<32>`)
    StackLastIndex(Box<Expr>),
    /// `base[high:low]` with known bounds.
    Slice {
        /// The value to cut: `bit<W>` or `int<W>`.
        base: Box<Expr>,
        /// Highest bit.
        high: u32,
        /// Lowest bit.
        low: u32,
    },
    /// `base[low+:width]` where `low` is not known.
    PlusSlice {
        /// The value to cut: `bit<W>` or `int<W>`.
        base: Box<Expr>,
        /// Lowest bit: `bit<W>`.
        low: Box<Expr>,
        /// Number of bits.
        width: u32,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands, which have the same type except for shifts and `++`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? yes : no`
    Ternary {
        /// The condition.
        condition: Box<Expr>,
        /// Its value if true.
        yes: Box<Expr>,
        /// Its value if false.
        no: Box<Expr>,
    },
    /// Conversion to the expression's own type. Between: `bit`/`int` of any width; `bit<1>` ↔ `bool`;
    /// enumeration, `type` ↔ underlying type. Nothing else (structures are taken apart).
    Cast(Box<Expr>),
    /// A structure or (valid) header, all fields in order of declaration.
    Struct(Vec<Expr>),
    /// A tuple, list, or header stack, all elements in order.
    List(Vec<Expr>),
    /// `{#}`: an invalid header, or a header union without valid header.
    Invalid,
    /// A call with a result (or the expression of a call statement).
    Call(Box<Call>),
    /// Applies a table; true if it hit (`t.apply().hit`).
    TableHit(TableId),
    /// Applies a table; true if it missed (`t.apply().miss`).
    TableMiss(TableId),
    /// Something wrong was here; a message has been given. Never in a program without errors.
    Invalidated,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!` on `bool`
    Not,
    /// `~`
    BitNot,
    /// `-`
    Negate,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    /// `|+|`
    SaturatingAdd,
    /// `|-|`
    SaturatingSub,
    Mul,
    Div,
    Mod,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// `++`
    Concat,
    And,
    Or,
    /// `==`; also of structures, headers, unions, stacks, tuples and varbits.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// An object that methods are called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A declared (or anonymous, or directly applied) instance.
    Instance(InstanceId),
    /// A parameter or constructor parameter of an extern, parser, control or package type.
    Parameter(VarId),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The callee.
    pub callee: Callee,
    /// Values of the callee's own type parameters, in order (not those of the extern object).
    pub type_args: Vec<Type>,
    /// One for each parameter, in order of declaration.
    pub args: Vec<Argument>,
    /// The type of its result.
    pub result: Type,
    /// Where it is.
    pub span: Span,
}

/// The callee of a call.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function with a body.
    Function(FunctionId),
    /// An action called from a body (also from another action); all parameters have arguments.
    Action(ActionId),
    /// An extern function.
    ExternFunction(ExternFunctionId),
    /// A method of an extern object, by position in [`super::Extern::methods`].
    Method {
        /// The object.
        object: Object,
        /// Position of the method.
        method: usize,
    },
    /// `apply` of a parser or control object.
    Apply(Object),
    /// `apply` of a table, its result not used.
    Table(TableId),
    /// `isValid()` of a header or header union.
    IsValid(Box<Expr>),
    /// `setValid()` of a header.
    SetValid(Box<Expr>),
    /// `setInvalid()` of a header.
    SetInvalid(Box<Expr>),
    /// `push_front(n)` of a header stack.
    PushFront(Box<Expr>, u32),
    /// `pop_front(n)` of a header stack.
    PopFront(Box<Expr>, u32),
}

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// None: action data, compile-time values, extern objects.
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The parameter's name.
    pub name: Rc<str>,
    /// The parameter's direction.
    pub direction: Direction,
    /// The parameter's type, type arguments applied.
    pub ty: Type,
    /// The argument, cast to `ty`; an l-value if the direction is out or inout.
    /// None: an omitted `@optional` parameter, or `_` for an out parameter.
    pub value: Option<Expr>,
}

/// A set of values, as in select cases, table entries and `for` domains.
#[derive(Clone, Debug)]
pub enum KeySet {
    /// Everything: `default`, `_`.
    Any,
    /// One value.
    Value(Expr),
    /// `value &&& mask`
    Mask(Expr, Expr),
    /// `low..high`, both included.
    Range(Expr, Expr),
    /// The values of a parser value set.
    ValueSet(ValueSetId),
}
