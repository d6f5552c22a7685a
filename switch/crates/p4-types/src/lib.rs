//! Name resolution and type checking of P4_16 programs.
//!
//! [`check`] takes a syntax tree and gives a [`typed::Program`], or messages; [`warnings::warn`] reports parts of it
//! that look unfinished.

mod checker;
pub mod eval;
pub mod format;
pub mod typed;
pub mod warnings;

use p4_syntax::Diagnostics;

/// Checks a program.
///
/// Messages go to `diagnostics`; the result is `None` exactly if there is an error among them (also one that was
/// there before: a tree with syntax errors is not worth checking).
pub fn check(program: &p4_syntax::ast::Program, diagnostics: &mut Diagnostics) -> Option<typed::Program> {
    if diagnostics.has_errors() {
        return None;
    }
    checker::check(program, diagnostics)
}
