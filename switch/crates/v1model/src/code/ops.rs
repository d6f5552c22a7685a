//! The operations of actions.

use super::expr::{Big, Cond, HeaderRef, N64, N128, RegisterCell, UnionRef};
use crate::layout::StackRef;
use crate::limbs::Limbs;
use crate::phv::FieldLoc;

/// A number for a destination of known width: only its lowest bits count.
#[derive(Debug)]
pub(crate) enum Value {
    /// Up to 64 bits.
    Word(N64),
    /// Up to 128 bits.
    Double(N128),
    Big(Big),
}

/// Where a number goes.
#[derive(Debug)]
pub(crate) enum Dest {
    Field(FieldLoc),
    /// A field of a header found at run time.
    Dynamic(HeaderRef, FieldLoc),
    Register(RegisterCell),
}

/// One step of an action.
#[derive(Debug)]
pub(crate) enum Op {
    /// One-slot field ← number & mask.
    SetWord {
        slot: u32,
        mask: u64,
        value: N64,
    },
    SetConst {
        slot: u32,
        value: u64,
    },
    /// One-slot field ← one-slot field & mask.
    CopyWord {
        dst: u32,
        src: u32,
        mask: u64,
    },
    /// Several slots.
    CopySlots {
        dst: u32,
        src: u32,
        count: u32,
    },
    Set(Box<(Dest, Value)>),
    SetVarbit {
        dst: FieldLoc,
        src: FieldLoc,
    },
    CopyHeader(Box<(HeaderRef, HeaderRef)>),
    CopyUnion(Box<(UnionRef, UnionRef)>),
    CopyStack {
        dst: u32,
        src: u32,
    },
    CopyUnionStack {
        dst: u32,
        src: u32,
    },
    Push(StackRef, N64),
    Pop(StackRef, N64),
    /// Valid with all fields zero, unless it is valid already; counts its bytes.
    AddHeader(HeaderRef),
    /// Valid, nothing else.
    MarkValid(HeaderRef),
    RemoveHeader(HeaderRef),
    RegisterRead {
        dst: Dest,
        array: u32,
        index: N64,
    },
    RegisterWrite {
        array: u32,
        index: N64,
        value: Value,
    },
    Count {
        counter: u32,
        index: N64,
    },
    Meter {
        meter: u32,
        index: N64,
        dst: Dest,
    },
    Hash(Box<HashOp>),
    Random {
        dst: Dest,
        low: N64,
        high: N64,
    },
    MarkToDrop {
        egress_spec: FieldLoc,
        mcast_grp: Option<FieldLoc>,
    },
    Digest(N64),
    Clone {
        session: N64,
        list: N64,
    },
    Resubmit(N64),
    Recirculate(N64),
    Truncate(N64),
    Log(Box<LogOp>),
    Assert(Box<AssertOp>),
    Exit,
    Jump(u32),
    JumpIfZero(Cond, u32),
}

/// dst ← base + hash mod size.
#[derive(Debug)]
pub(crate) struct HashOp {
    pub dst: Dest,
    pub base: N64,
    pub size: N64,
    pub calculation: u32,
}

/// `log_msg`.
#[derive(Debug)]
pub(crate) struct LogOp {
    /// The text between the values.
    pub pieces: Vec<String>,
    pub values: Vec<Big>,
}

/// `assert` and `assume`.
#[derive(Debug)]
pub(crate) struct AssertOp {
    pub condition: Cond,
    /// For the log: the condition that failed, and its place in the source if that is known.
    pub text: String,
}

/// An action, lowered.
#[derive(Debug, Default)]
pub(crate) struct Action {
    pub ops: Vec<Op>,
    /// First limb and width of each parameter in an entry's data.
    pub params: Vec<(u32, u32)>,
    /// Limbs of all parameters.
    pub limbs: u32,
}

/// An action with its data, ready to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActionEntry {
    /// Index into the program's actions.
    pub action: u32,
    /// Parameters, in limbs.
    pub data: Limbs,
    /// The step after it (tables that keep their actions in the entries).
    pub next: u32,
}
