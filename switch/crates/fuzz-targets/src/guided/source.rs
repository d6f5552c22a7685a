//! The common part of the targets that take P4 source.

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::rc::Rc;

use p4_syntax::token::Token;
use p4_syntax::{Diagnostics, Options, SourceMap, preprocess};

use crate::p4_source::{Mutator, STACK_BYTES};

/// Files that have no end, or belong to this process.
const DEVICES: [&str; 2] = ["/dev/", "/proc/"];

/// The program that an input is; none if it wants to include what is no file.
pub fn text(data: &[u8]) -> Option<Cow<'_, str>> {
    let text = String::from_utf8_lossy(data);
    // Also where a line end is hidden in the name.
    let name = text.replace("\\\r\n", "").replace("\\\n", "");
    (!DEVICES.iter().any(|device| name.contains(device))).then_some(text)
}

/// Runs `work` on a stack as deep as the compiler's own.
pub fn on_deep_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        if let Err(panic) = thread.expect("a thread can be started").join() {
            resume_unwind(panic);
        }
    });
}

/// A preprocessed text.
pub struct Preprocessed {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// The messages.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
}

/// Preprocesses a text; includes are looked for in a folder that there is not.
pub fn preprocessed(text: &str) -> Preprocessed {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let tokens =
        preprocess::preprocess_text("nowhere/fuzz.p4", text, &Options::default(), &mut sources, &mut diagnostics);
    Preprocessed { tokens, diagnostics, sources }
}

/// The severities and texts of the messages, without places.
pub fn said(diagnostics: &Diagnostics) -> Vec<Rc<str>> {
    diagnostics.sorted().iter().map(|item| format!("{:?} {}", item.severity, item.message).into()).collect()
}

/// A program with pieces cut, repeated, mixed and nested.
pub fn mutated(data: &[u8], seed: u32) -> Vec<u8> {
    let programs = [String::from_utf8_lossy(data).into_owned()];
    Mutator::new(&programs, seed.into()).next_program().into_bytes()
}
