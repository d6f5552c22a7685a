//! Operations, the only parts with an effect: the primitives of actions and parser states.

use crate::Source;
use crate::expr::Expr;
use crate::index_type;
use crate::storage::{FieldRef, HeaderId, StackId, UnionId, UnionStackId};

index_type!(
    /// A [`crate::control::Calculation`].
    CalculationId
);
index_type!(
    /// A list of fields: [`crate::Program::field_lists`].
    FieldListId
);
index_type!(
    /// A list of fields sent by a digest: [`crate::Program::learn_lists`].
    LearnListId
);
index_type!(
    /// A jump target within one action.
    Label
);

/// An operation and where it comes from.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The operation.
    pub op: Op,
    /// The source statement.
    pub source: Source,
}

/// A stack of headers or of header unions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyStack {
    /// Of headers.
    Headers(StackId),
    /// Of header unions.
    Unions(UnionStackId),
}

/// The target of `extract`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractTarget {
    /// One header.
    Header(HeaderId),
    /// The next element of a stack.
    StackNext(StackId),
    /// A member of the next element of a union stack.
    UnionStackNext(UnionStackId, u32),
}

/// The packet that `clone` copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloneKind {
    /// `CloneType.I2E`.
    IngressToEgress,
    /// `CloneType.E2E`.
    EgressToEgress,
}

/// An argument of an extern that only some other target knows.
#[derive(Clone, Debug)]
pub enum ExternArg {
    /// A value.
    Value(Expr),
    /// A field that may be written.
    Field(FieldRef),
    /// A header.
    Header(HeaderId),
    /// A string.
    Text(String),
}

/// The operations.
#[derive(Clone, Debug)]
pub enum Op {
    /// Field := value.
    Assign(FieldRef, Expr),
    /// `varbit` field := `varbit` field, length included.
    AssignVarbit(FieldRef, FieldRef),
    /// Header := header, validity included.
    AssignHeader(HeaderId, HeaderId),
    /// Union := union, validity included.
    AssignUnion(UnionId, UnionId),
    /// Stack := stack, validities included.
    AssignStack(AnyStack, AnyStack),
    /// `setValid()`.
    SetValid(HeaderId),
    /// `setInvalid()`.
    SetInvalid(HeaderId),
    /// `push_front(count)`.
    PushFront(AnyStack, u32),
    /// `pop_front(count)`.
    PopFront(AnyStack, u32),
    /// Register array `register`, element `index`, into a field.
    RegisterRead {
        /// Receives the value.
        dst: FieldRef,
        /// Name of the register array.
        register: String,
        /// Element.
        index: Expr,
    },
    /// Value into a register.
    RegisterWrite {
        /// Name of the register array.
        register: String,
        /// Element.
        index: Expr,
        /// New value.
        value: Expr,
    },
    /// Uniformly distributed number, both bounds included.
    Random {
        /// Receives the number.
        dst: FieldRef,
        /// Smallest.
        low: Expr,
        /// Greatest.
        high: Expr,
    },
    /// `dst := base + calculation mod max`.
    Hash {
        /// Receives the value.
        dst: FieldRef,
        /// Added.
        base: Expr,
        /// The fields that are hashed, and the algorithm.
        calculation: CalculationId,
        /// Number of different results.
        max: Expr,
    },
    /// Counts the packet in an indirect counter.
    Count {
        /// Name of the counter array.
        counter: String,
        /// Element.
        index: Expr,
    },
    /// Runs an indirect meter.
    ExecuteMeter {
        /// Name of the meter array.
        meter: String,
        /// Element.
        index: Expr,
        /// Receives the colour.
        dst: FieldRef,
    },
    /// v1model's `mark_to_drop`.
    MarkToDrop,
    /// Sends a learn list to the control plane.
    Digest {
        /// v1model's receiver (ignored by BMv2).
        receiver: Expr,
        /// The fields that are sent.
        list: LearnListId,
    },
    /// Copies the packet.
    Clone {
        /// Of which.
        kind: CloneKind,
        /// Clone session.
        session: Expr,
        /// Metadata that the copy keeps.
        fields: FieldListId,
    },
    /// Back to the ingress parser, unmodified.
    Resubmit(FieldListId),
    /// Back to the ingress parser after deparsing.
    Recirculate(FieldListId),
    /// Cuts the packet to this many bytes.
    Truncate(Expr),
    /// Logs; every `{}` stands for one of the values.
    LogMessage(String, Vec<Expr>),
    /// Stops the switch if false.
    Assert(Expr),
    /// Same as `Assert`, with another meaning for verifiers.
    Assume(Expr),
    /// A method of an extern that only some other target knows: extern type, method, object.
    ExternMethod {
        /// Name of the extern type.
        kind: String,
        /// Name of the method.
        method: String,
        /// Name of the object.
        object: String,
        /// Arguments.
        args: Vec<ExternArg>,
    },
    /// An extern function that only some other target knows.
    ExternFunction(String, Vec<ExternArg>),
    /// Ends the pipeline after this action.
    Exit,

    /// A place to jump to (actions only).
    Label(Label),
    /// Continue at the label (actions only; always forward).
    Jump(Label),
    /// Continue at the label if the condition is false (actions only; always forward).
    JumpUnless(Expr, Label),

    /// Fills a header from the packet (parsers only).
    Extract {
        /// The header that is filled.
        target: ExtractTarget,
        /// Number of bits of the `varbit` field, if the header has one.
        varbit_bits: Option<Expr>,
    },
    /// Skips this many bits (parsers only).
    Advance(Expr),
    /// Ends parsing with an error unless the condition holds (parsers only).
    Verify(Expr, Expr),
}

impl Op {
    /// With a source position.
    pub fn at(self, source: Source) -> Stmt {
        Stmt { op: self, source }
    }
}
