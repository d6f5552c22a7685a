//! The preprocessor. It makes of a text the same as GNU cpp with the options that p4c gives it (`-C -undef -nostdinc
//! -x assembler-with-cpp`), byte for byte.
//!
//! It works on C's tokens and writes text ([`output::Output`]), from which P4's tokens are made ([`relex`]). Every
//! token keeps its own place in its own file, so messages need no translation back.

mod clean;
mod condition;
mod conditional;
mod define;
mod directive;
mod expand;
mod file;
mod include;
mod macros;
mod output;
mod pp_token;
mod relex;

use crate::Options;
use crate::diagnostic::Diagnostics;
use crate::kind::Kind;
use crate::lexer::Interner;
use crate::source::{SourceMap, Span};
use crate::token::{Token, TokenKind};
use expand::Context;
use file::Buffer;
pub use include::{EMBEDDED, EMBEDDED_FOLDER};
use macros::Macros;
use output::Output;
use pp_token::{PpKind, PpToken};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Reads `path` and everything it includes, and gives the tokens for the parser, [`TokenKind::End`] last.
pub fn preprocess_file(
    path: &Path,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    match read(path, sources, diagnostics) {
        Ok(text) => preprocess_text(&path.display().to_string(), &text, options, sources, diagnostics),
        Err(place) => vec![end_token(place)],
    }
}

/// As [`preprocess_file`], for a text in memory that is called `path`.
pub fn preprocess_text(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let (output, end) = run(path, text, options, sources, diagnostics);
    let mut tokens = relex::tokens(&output, diagnostics);
    tokens.push(end_token(end));
    tokens
}

/// The preprocessed text of a file, as `p4c -E` prints it.
pub fn text_of_file(path: &Path, options: &Options, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> String {
    match read(path, sources, diagnostics) {
        Ok(text) => text_of_text(&path.display().to_string(), &text, options, sources, diagnostics),
        Err(_) => String::new(),
    }
}

/// As [`text_of_file`], for a text in memory that is called `path`.
pub fn text_of_text(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> String {
    run(path, text, options, sources, diagnostics).0.text().to_owned()
}

/// A file's text; or after a message, the place to give the end of the program.
fn read(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Result<String, Span> {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| {
        let shown = path.display().to_string();
        let file = sources.add(&shown, "".into(), false);
        let place = Span::new(file, 0, 0);
        diagnostics.error_of(Kind::Io, place, format!("cannot read '{shown}': {error}"));
        place
    })
}

fn run(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> (Output, Span) {
    let defines: String = options.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let command_line = sources.add("<command line>", defines.into(), true);
    let file = sources.add(path, text.into(), false);
    let mut preprocessor = Preprocessor {
        options,
        sources,
        diagnostics,
        names: Interner::default(),
        macros: Macros::default(),
        output: Output::default(),
        buffers: Vec::new(),
        base_file: path.into(),
        once: HashSet::new(),
        includes: 0,
        are_includes_over: false,
        guards: Default::default(),
        contexts: Vec::new(),
        lookahead: None,
        in_directive: false,
        arguments_of: Arguments::None,
        prevent_expansion: 0,
        depth: 0,
        produced: 0,
        counter: 0,
        use_span: Span::nowhere(),
    };
    preprocessor.definitions(command_line);
    preprocessor.main(file);
    (preprocessor.output, Span::new(file, text.len(), text.len()))
}

fn end_token(span: Span) -> Token {
    Token { kind: TokenKind::End, span, space_before: true, starts_line: true }
}

/// Is the call of a macro being read, and how far is it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arguments {
    None,
    /// Its `(` is looked for.
    Opening,
    Inside,
}

/// State of one run.
struct Preprocessor<'a> {
    options: &'a Options,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    names: Interner,
    macros: Macros,
    output: Output,
    /// The files that are being read, the innermost last.
    buffers: Vec<Buffer>,
    base_file: Rc<str>,
    /// Files that are not read again.
    once: HashSet<PathBuf>,
    /// How many files have been included.
    includes: usize,
    /// There were too many: none is included any more.
    are_includes_over: bool,
    /// Macros that guard a whole file against being read twice, by the file's path.
    guards: std::collections::HashMap<String, Rc<str>>,
    /// Tokens that come before those of the file, the innermost last.
    contexts: Vec<Context>,
    lookahead: Option<PpToken>,
    in_directive: bool,
    arguments_of: Arguments,
    prevent_expansion: usize,
    depth: usize,
    produced: usize,
    counter: u64,
    /// The macro in the file whose expansion is being read.
    use_span: Span,
}

impl Preprocessor<'_> {
    /// Reads definitions, without writing anything.
    fn definitions(&mut self, file: crate::source::FileId) {
        self.push_buffer(file, "<command line>".into(), None);
        while self.next_expanded().kind != PpKind::End {}
        self.buffers.clear();
        self.output = Output::default();
    }

    fn main(&mut self, file: crate::source::FileId) {
        let name = self.base_file.clone();
        for (line, name) in [(0, &*name), (0, "<built-in>"), (0, "<command-line>"), (1, &*name)] {
            self.output.line_marker(line, name, "");
        }
        self.push_buffer(file, name, None);
        loop {
            let token = self.next_expanded();
            match token.kind {
                PpKind::End => break,
                PpKind::Padding => self.output.pad(&token),
                _ => {
                    let span = if self.contexts.is_empty() { token.span } else { self.use_span };
                    self.output.token(&token, span, self.sources);
                }
            }
        }
        self.output.end();
    }
}
