//! The compiler as a library: source text in, program or messages out.

use p4_syntax::severities::Severities;
use p4_syntax::{Diagnostics, SourceMap, option_annotations};
use std::path::Path;

/// The choices of the caller.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Include folders and macros.
    pub syntax: p4_syntax::Options,
    /// Pass externs that v1model does not have on to the target.
    pub emit_externs: bool,
    /// Parse and check types only; any architecture, or none, will do.
    pub check_only: bool,
    /// The severities of warnings.
    pub warnings: Severities,
    /// So many errors may be, one more ends the compilation; p4c's number if none is given.
    pub max_errors: Option<usize>,
}

/// The result for a program.
#[derive(Debug)]
pub enum Verdict {
    /// It is wrong; the messages say why.
    Refused,
    /// It has no `main`: there is nothing to compile, but something to tell the control plane.
    WithoutMain(Box<p4_ir::Program>),
    /// It is right, as far as it was looked at ([`Settings::check_only`]).
    Checked,
    /// It was compiled.
    Compiled(Box<p4_ir::Program>),
}

/// A compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The result for the program.
    pub verdict: Verdict,
    /// Errors and warnings as text for people.
    pub messages: String,
}

/// Compiles a file.
pub fn file(path: &Path, settings: &Settings) -> Compilation {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::with_max_errors(settings.max_errors));
    let tree = p4_syntax::parse_file(path, &settings.syntax, &mut sources, &mut diagnostics);
    compile(&tree, &path.to_string_lossy(), settings, &sources, diagnostics)
}

/// The preprocessed text of a file, unless there are errors; and the messages.
pub fn preprocessed(path: &Path, options: &p4_syntax::Options) -> (Option<String>, String) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let text = p4_syntax::preprocess::text_of_file(path, options, &mut sources, &mut diagnostics);
    ((!diagnostics.has_errors()).then_some(text), diagnostics.render(&sources))
}

/// Compiles a text that messages call `name`.
pub fn text(name: &str, text: &str, settings: &Settings) -> Compilation {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::with_max_errors(settings.max_errors));
    let tree = p4_syntax::parse_text(name, text, &settings.syntax, &mut sources, &mut diagnostics);
    compile(&tree, name, settings, &sources, diagnostics)
}

/// The BMv2 JSON of a text that messages call `name`.
///
/// # Errors
///
/// The messages, if the text is wrong or has no `main`.
pub fn json(name: &str, text: &str) -> Result<String, String> {
    let Compilation { verdict, messages } = self::text(name, text, &Settings::default());
    match verdict {
        Verdict::Compiled(program) => Ok(p4_bmv2::json::program(&program).to_string()),
        _ => Err(messages),
    }
}

fn compile(
    tree: &p4_syntax::ast::Program,
    name: &str,
    settings: &Settings,
    sources: &SourceMap,
    mut diagnostics: Diagnostics,
) -> Compilation {
    let severities = option_annotations::together(&settings.warnings, &tree.options, &mut diagnostics);
    let mut verdict = judge(tree, name, settings, sources, &mut diagnostics);
    diagnostics.choose(|kind| severities.severity(kind));
    if diagnostics.has_errors() {
        verdict = Verdict::Refused;
    }
    Compilation { verdict, messages: diagnostics.render(sources) }
}

fn judge(
    tree: &p4_syntax::ast::Program,
    name: &str,
    settings: &Settings,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Verdict {
    if diagnostics.has_errors() {
        return Verdict::Refused;
    }
    let Some(typed) = p4_types::check(tree, diagnostics) else {
        return Verdict::Refused;
    };
    let verdict = if settings.check_only {
        Verdict::Checked
    } else {
        let middle = p4_midend::Settings { emit_externs: settings.emit_externs };
        match p4_midend::lower(&typed, sources, name, middle, diagnostics) {
            Some(program) if typed.main.is_none() => Verdict::WithoutMain(Box::new(program)),
            Some(program) => Verdict::Compiled(Box::new(program)),
            None => return Verdict::Refused,
        }
    };
    p4_types::warnings::warn(&typed, diagnostics);
    verdict
}
