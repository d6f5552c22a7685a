//! The mid-end: from the typed program to the intermediate representation.
//!
//! [`lower`] walks the instance tree from `main` and interprets the program symbolically, once. Every call is inlined
//! where it stands. Every structure is a tree of places ([`storage`]) whose leaves are fields. Every parameter is bound
//! to a place or a value of the caller ([`calls`]); a copy is made only where the callee could see the difference.
//!
//! A body becomes structured code ([`code`]) of primitive operations. From that code, `code::graph` makes the graph of
//! tables and conditionals, and `parsers::graph` the graph of parser states. Constants are folded on the way
//! (`expressions::constant_folding`), so code that depends on constructor parameters or on the variables of unrolled
//! loops disappears.
//!
//! There is no recursion in P4, so storage of local variables can be static: one place for each
//! declaration, however often it is inlined. Temporaries are reused after the statement.
//!
//! [`control_plane`] collects the objects that the control plane sees, while tables and instances are lowered.

mod blocks;
mod calls;
mod code;
mod control_plane;
mod expressions;
mod externs;
mod lowerer;
mod messages;
mod parsers;
mod statements;
mod storage;
mod tables;

use lowerer::Lowerer;
use p4_syntax::{Diagnostics, SourceMap};
use p4_types::typed;

/// The choices that the caller has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Pass externs that v1model does not have on to the target instead of refusing them.
    pub emit_externs: bool,
}

/// Lowers a typed program for the v1model architecture.
///
/// `file` is the path of the main source file as it shall stand in the output. Messages go to
/// `diagnostics`; the result is `None` exactly if there is an error among them.
pub fn lower(
    program: &typed::Program,
    sources: &SourceMap,
    file: &str,
    settings: Settings,
    diagnostics: &mut Diagnostics,
) -> Option<p4_ir::Program> {
    let mut lowerer = Lowerer::new(program, sources, file, diagnostics);
    lowerer.settings = settings;
    lowerer.program();
    lowerer.finish()
}
