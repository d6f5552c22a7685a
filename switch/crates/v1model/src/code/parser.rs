//! Parsers, lowered.

use super::expr::{Cond, N64};
use super::ops::Op;
use crate::phv::FieldLoc;

/// No further state: the parser is done.
pub(crate) const DONE: u32 = u32::MAX;

/// A parser.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    pub states: Vec<State>,
    pub start: u32,
    pub errors: CoreErrors,
}

/// The program's numbers of the core library's errors.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CoreErrors {
    pub none: u32,
    pub packet_too_short: u32,
    pub stack_out_of_bounds: u32,
    pub header_too_short: u32,
    pub parser_timeout: u32,
    pub parser_invalid_argument: u32,
}

/// A parser state.
#[derive(Debug)]
pub(crate) struct State {
    pub ops: Vec<ParserOp>,
    pub select: Option<Select>,
    pub default: u32,
}

/// Something a parser state does.
#[derive(Debug)]
pub(crate) enum ParserOp {
    Extract(Target),
    /// The length of the variable-length field in bits.
    ExtractVarbit(Target, N64),
    /// The length is computed from the header's own earlier fields (P4_14).
    ExtractSelfSized(u32, N64),
    Lookahead {
        dst: FieldLoc,
        bit: usize,
        width: u32,
    },
    Verify(Cond, N64),
    /// Bits; a multiple of 8.
    Advance(N64),
    Ops(Vec<Op>),
}

/// The header that is extracted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    Header(u32),
    /// The next element of a stack.
    Stack(u32),
    /// A member of the next element of a union stack.
    UnionStack(u32, u32),
}

/// The choice of the next state.
#[derive(Debug)]
pub(crate) struct Select {
    pub parts: Vec<KeyPart>,
    /// Bytes of the key: every part is rounded up to bytes.
    pub bytes: usize,
    pub cases: Vec<Case>,
}

/// A part of the key.
#[derive(Debug)]
pub(crate) enum KeyPart {
    Field(FieldLoc),
    StackLast(u32, FieldLoc),
    UnionStackLast(u32, u32, FieldLoc),
    Lookahead { bit: usize, width: u32 },
}

/// A way on.
#[derive(Debug)]
pub(crate) struct Case {
    pub matcher: Matcher,
    pub next: u32,
}

/// When a case applies.
#[derive(Debug)]
pub(crate) enum Matcher {
    /// For keys of up to eight bytes; the value is masked.
    Word {
        value: u64,
        mask: u64,
    },
    /// For longer keys; the value is masked.
    Bytes {
        value: Vec<u8>,
        mask: Vec<u8>,
    },
    Set {
        set: u32,
        mask: Option<Vec<u8>>,
    },
}
