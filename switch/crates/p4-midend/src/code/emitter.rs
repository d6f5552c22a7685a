//! Where code goes, and the statement it belongs to.

use crate::code::structured::{BlockLabel, Code};
use p4_ir::Source;
use p4_ir::ops::Op;
use p4_syntax::Span;

/// The code of the body being lowered, so far.
#[derive(Default)]
pub struct Emitter {
    code: Vec<Code>,
    emitted: usize,
    next_label: BlockLabel,
    source: Source,
    span: Span,
}

impl Emitter {
    /// Emits an operation of the current statement.
    pub fn emit(&mut self, op: Op) {
        let source = self.source.clone();
        self.push(Code::Op(op.at(source)));
    }

    /// Emits a piece of code.
    pub fn push(&mut self, code: Code) {
        self.emitted += 1;
        self.code.push(code);
    }

    /// How many pieces have been emitted, of all bodies.
    pub fn emitted(&self) -> usize {
        self.emitted
    }

    /// Goes on with pieces of code that were emitted elsewhere.
    pub fn extend(&mut self, code: impl IntoIterator<Item = Code>) {
        self.code.extend(code);
    }

    /// The piece of code that was emitted last.
    pub fn last(&self) -> Option<&Code> {
        self.code.last()
    }

    /// Goes on with other code; returns the code so far.
    pub fn replace_code(&mut self, code: Vec<Code>) -> Vec<Code> {
        std::mem::replace(&mut self.code, code)
    }

    /// A label nobody has yet.
    pub fn new_label(&mut self) -> BlockLabel {
        self.next_label += 1;
        self.next_label
    }

    /// The place of the current statement, for the output.
    pub fn source(&self) -> Source {
        self.source.clone()
    }

    /// The place of the current statement.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Goes on with another statement; returns the place of the former.
    pub fn replace_place(&mut self, source: Source, span: Span) -> (Source, Span) {
        (std::mem::replace(&mut self.source, source), std::mem::replace(&mut self.span, span))
    }
}
