//! P4_16 source text to syntax tree: preprocessor, lexer, parser, diagnostics.

pub mod ast;
pub mod diagnostic;
mod kind;
pub mod lexer;
pub mod option_annotations;
pub mod parser;
pub mod preprocess;
pub mod severities;
pub mod source;
pub mod token;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use kind::Kind;
pub use source::{FileId, Position, SourceFile, SourceMap, Span};

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The settings of the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Directories searched by `#include`, in order (`-I`).
    pub include_dirs: Vec<PathBuf>,
    /// Directories searched after the compiler's own include files (`P4C_16_INCLUDE_PATH`).
    pub later_include_dirs: Vec<PathBuf>,
    /// Macros: name (with its parameters, if it has any) and value (`-D`).
    pub defines: Vec<(String, String)>,
    /// Texts that take the place of files, such as an editor's texts that are not saved yet. Their paths are absolute
    /// and without `.` and `..`. Only included files are looked for here.
    pub texts: HashMap<PathBuf, Arc<str>>,
}

impl Options {
    /// The text that takes the place of a file, if there is one.
    fn text_of(&self, path: &Path) -> Option<&str> {
        if self.texts.is_empty() {
            return None;
        }
        self.texts.get(&plain_path(path)).map(|text| &**text)
    }
}

/// A path that is absolute and without `.` and `..`, without asking whether there is a file; links stay.
pub fn plain_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    plain
}

/// Preprocesses and parses a file; messages go to `diagnostics`.
///
/// Always gives a tree, with the parts that could be understood.
pub fn parse_file(
    path: &Path,
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
