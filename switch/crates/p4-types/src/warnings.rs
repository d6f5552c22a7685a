//! Warnings about programs without errors: parts without a use, and variables that are read before they have a value.
//!
//! They are for people who learn, so they say nothing where they could be wrong.

mod accesses;
mod annotations;
mod flow;
mod states;
mod uninitialized;
mod unused;
mod unused_variables;
mod writes;

use crate::typed::{Program, Span};
use p4_syntax::{Diagnostic, Diagnostics, Kind};

pub(crate) use unused_variables::read_variables;

/// Looks at a whole program; warnings go to `diagnostics`.
///
/// `@noWarn("unused")` and `@noWarn("uninitialized_use")` at a declaration silence it and everything in it. A
/// declaration that is `@hidden` may be unused.
pub fn warn(program: &Program, diagnostics: &mut Diagnostics) {
    unused::check(program, diagnostics);
    unused_variables::check(program, diagnostics);
    states::check(program, diagnostics);
    uninitialized::check(program, diagnostics);
}

/// Gives a warning, unless it has been given: the checker looks at bodies of generic declarations once for each set of
/// type arguments.
fn report(diagnostics: &mut Diagnostics, kind: Kind, span: Span, message: String) -> Option<&mut Diagnostic> {
    if diagnostics.has(span, &message) {
        return None;
    }
    Some(diagnostics.warning_of(kind, span, message))
}
