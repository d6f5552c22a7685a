//! P4_16 source text to syntax tree: preprocessor, lexer, parser, diagnostics.

pub mod ast;
pub mod diagnostic;
mod kind;
pub mod lexer;
pub mod parser;
pub mod preprocess;
pub mod source;
pub mod token;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use kind::Kind;
pub use source::{FileId, Position, SourceFile, SourceMap, Span};

/// What the preprocessor is told on the command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Directories searched by `#include`, in order (`-I`).
    pub include_dirs: Vec<std::path::PathBuf>,
    /// Directories searched after the compiler's own include files (`P4C_16_INCLUDE_PATH`).
    pub later_include_dirs: Vec<std::path::PathBuf>,
    /// Macros: name (with its parameters, if it has any) and value (`-D`).
    pub defines: Vec<(String, String)>,
}

/// Preprocesses and parses a file; messages go to `diagnostics`.
///
/// Always gives a tree, with what could be understood.
pub fn parse_file(
    path: &std::path::Path,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> ast::Program {
    let tokens = preprocess::preprocess_file(path, options, sources, diagnostics);
    parser::parse(&tokens, diagnostics)
}

/// As [`parse_file`], for a text in memory that messages call `name`.
pub fn parse_text(
    name: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> ast::Program {
    let tokens = preprocess::preprocess_text(name, text, options, sources, diagnostics);
    parser::parse(&tokens, diagnostics)
}
