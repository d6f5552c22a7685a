//! Messages of the lowering, which all parts of its state can give.

use p4_syntax::{Diagnostics, Kind, Span};
use std::cell::{Cell, RefCell};

/// Where messages go.
pub struct Messages<'a> {
    diagnostics: RefCell<&'a mut Diagnostics>,
    /// The program has been refused as too large: consequences of that are no faults.
    is_too_large: Cell<bool>,
}

impl<'a> Messages<'a> {
    /// Messages that are added to `diagnostics`.
    pub fn new(diagnostics: &'a mut Diagnostics) -> Self {
        Self { diagnostics: RefCell::new(diagnostics), is_too_large: Cell::new(false) }
    }

    /// Is there an error among them?
    pub fn has_errors(&self) -> bool {
        self.diagnostics.borrow().has_errors()
    }

    /// Reports an error of the kind that most are here: the target cannot do it.
    pub fn error(&self, span: Span, message: impl Into<String>) {
        self.error_of(Kind::Target, span, message);
    }

    /// Reports an error. Of a program that is too large only that is said.
    pub fn error_of(&self, kind: Kind, span: Span, message: impl Into<String>) {
        if !self.is_too_large() {
            self.diagnostics.borrow_mut().error_of(kind, span, message);
        }
    }

    /// Reports an error of a declaration: it is one in a program that is too large as well.
    pub fn error_of_declaration(&self, kind: Kind, span: Span, message: impl Into<String>) {
        self.diagnostics.borrow_mut().error_of(kind, span, message);
    }

    /// Reports an error that says where something else is.
    pub fn error_with_place(&self, kind: Kind, span: Span, message: impl Into<String>, other: Span, note: &str) {
        self.diagnostics.borrow_mut().error_of(kind, span, message).note_at(other, note);
    }

    /// Reports an error with a piece of advice.
    pub fn error_with_help(&self, kind: Kind, span: Span, message: impl Into<String>, help: &str) {
        self.diagnostics.borrow_mut().error_of(kind, span, message).help(help);
    }

    /// Reports a warning.
    pub fn warning_of(&self, kind: Kind, span: Span, message: impl Into<String>) {
        self.diagnostics.borrow_mut().warning_of(kind, span, message);
    }

    /// Reports a warning with a piece of advice.
    pub fn warning_with_help(&self, kind: Kind, span: Span, message: impl Into<String>, help: &str) {
        self.diagnostics.borrow_mut().warning_of(kind, span, message).help(help);
    }

    /// Whether the program has been refused as too large. Code lowered from then on is incomplete.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large.get()
    }

    /// Refuses the program as too large.
    pub fn refuse_size(&self, span: Span, message: impl Into<String>, help: &str) {
        self.error_with_help(Kind::Overlimit, span, message, help);
        self.is_too_large.set(true);
    }
}
