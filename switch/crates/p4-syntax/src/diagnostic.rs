//! Messages for people: the fault, its place, and the text that was expected.

use crate::kind::Kind;
use crate::source::{SourceMap, Span};
use std::collections::HashSet;
use std::fmt::Write as _;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is accepted; something looks wrong.
    Warning,
    /// Nothing is wrong.
    Info,
}

impl Severity {
    /// The word before the message, and the option that stands in its tag.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Error => ("error", "--Werror"),
            Self::Warning => ("warning", "--Wwarn"),
            Self::Info => ("info", "--Winfo"),
        }
    }
}

/// The stages of a check, in p4c's order. Faults of the names hide faults of the types, so messages about the names
/// come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The form of the text.
    Syntax,
    /// The meanings of names.
    Names,
    /// Types and all else.
    #[default]
    Types,
    /// Where the program goes.
    Flow,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind; syntax errors and the like have none, in p4c too.
    pub kind: Option<Kind>,
    /// Where.
    pub span: Span,
    /// The fault, in one sentence without a full stop.
    pub message: String,
    /// Further places that matter ("declared here"), or advice without a place.
    pub notes: Vec<(Option<Span>, String)>,
    /// The stage that finds it.
    pub stage: Stage,
}

impl Diagnostic {
    /// Adds a note that points at another place.
    pub fn note_at(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.notes.push((Some(span), message.into()));
        self
    }

    /// Sets its stage.
    pub fn at_stage(&mut self, stage: Stage) -> &mut Self {
        self.stage = stage;
        self
    }

    /// Adds advice.
    pub fn help(&mut self, message: impl Into<String>) -> &mut Self {
        self.notes.push((None, message.into()));
        self
    }
}

/// The messages of one compilation.
#[derive(Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    /// Errors that are not the same as an earlier one.
    distinct_errors: usize,
    max_errors: usize,
}

/// The number of errors allowed, as in p4c. One more ends the compilation: the rest is usually their consequence.
const MAX_ERRORS: usize = 20;

impl Default for Diagnostics {
    fn default() -> Self {
        Self { list: Vec::new(), errors: 0, distinct_errors: 0, max_errors: MAX_ERRORS }
    }
}

impl Diagnostics {
    /// No messages yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// No messages yet. `max_errors` errors are allowed; one more ends the compilation.
    pub fn with_max_errors(max_errors: Option<usize>) -> Self {
        Self { max_errors: max_errors.unwrap_or(MAX_ERRORS), ..Self::default() }
    }

    /// Reports an error without a kind, as those of the syntax are. Notes can be added to the returned message.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Error, None, span, message.into())
    }

    /// Reports an error. Notes can be added to the returned message.
    pub fn error_of(&mut self, kind: Kind, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Error, Some(kind), span, message.into())
    }

    /// Reports a warning that can only be chosen together with all others. Notes can be added to the returned message.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Warning, None, span, message.into())
    }

    /// Reports a warning. Notes can be added to the returned message.
    pub fn warning_of(&mut self, kind: Kind, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Warning, Some(kind), span, message.into())
    }

    fn push(&mut self, severity: Severity, kind: Option<Kind>, span: Span, message: String) -> &mut Diagnostic {
        if severity == Severity::Error {
            self.errors += 1;
            let is_new = !self.has(span, &message);
            self.distinct_errors += usize::from(is_new);
        }
        // Without a kind: the preprocessor and the syntax, which come before everything.
        let stage = if kind.is_none() { Stage::Syntax } else { Stage::default() };
        self.list.push(Diagnostic { severity, kind, span, message, notes: Vec::new(), stage });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// How many messages there are so far.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Gives the errors of one kind that came after so many messages another kind.
    pub fn change_kind(&mut self, after: usize, from: Kind, to: Kind) {
        for item in self.list.iter_mut().skip(after).filter(|item| item.severity == Severity::Error) {
            if item.kind == Some(from) {
                item.kind = Some(to);
            }
        }
    }

    /// Gives each warning so far the severity from `severity_of`; `None` is silence. As in p4c, messages after an error
    /// that are no errors are left out, so that errors are not buried.
    pub fn choose(&mut self, severity_of: impl Fn(Option<Kind>) -> Option<Severity>) {
        let mut refused = false;
        self.list.retain_mut(|item| {
            if item.severity == Severity::Warning {
                let Some(severity) = severity_of(item.kind) else { return false };
                item.severity = severity;
            }
            let is_error = item.severity == Severity::Error;
            let kept = is_error || !refused;
            refused |= is_error;
            kept
        });
        self.errors = self.list.iter().filter(|item| item.severity == Severity::Error).count();
    }

    /// True if there is this message about exactly this place.
    pub fn has(&self, span: Span, message: &str) -> bool {
        self.list.iter().any(|item| item.span == span && item.message == message)
    }

    /// True if an error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors reported so far.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// True when so many errors have been reported that going on is useless.
    pub fn is_full(&self) -> bool {
        self.distinct_errors > self.max_errors
    }

    /// The messages stage by stage in source order, each once.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut seen = HashSet::new();
        let mut list: Vec<&Diagnostic> =
            self.list.iter().filter(|item| seen.insert((item.span, item.message.as_str()))).collect();
        list.sort_by_key(|item| (item.stage, item.span.file, item.span.start, item.severity));
        list
    }

    /// All messages as text for a terminal, in source order, each once. Errors beyond the greatest number are left out,
    /// and that is said.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        let mut errors = 0;
        for item in self.sorted() {
            errors += usize::from(item.severity == Severity::Error);
            render_one(&mut out, item, sources);
            if errors > self.max_errors {
                let _ = writeln!(out, "Number of errors exceeded set maximum of {}", self.max_errors);
                break;
            }
        }
        out
    }
}

/// `file(line): [--Werror=kind] error: message`, the line, and carets under the place: p4c's form.
fn render_one(out: &mut String, item: &Diagnostic, sources: &SourceMap) {
    render_place(out, item.span, &headline(item.severity, item.kind, &item.message), sources);
    for (span, note) in &item.notes {
        match span {
            Some(span) => render_place(out, *span, &format!("note: {note}"), sources),
            None => {
                let _ = writeln!(out, "  help: {note}");
            }
        }
    }
}

/// A message as p4c prints it, without place.
pub fn headline(severity: Severity, kind: Option<Kind>, message: &str) -> String {
    let (word, option) = severity.words();
    match kind {
        Some(kind) => format!("[{option}={}] {word}: {message}", kind.name()),
        None => format!("{word}: {message}"),
    }
}

fn render_place(out: &mut String, span: Span, message: &str, sources: &SourceMap) {
    if span.is_nowhere() {
        let _ = writeln!(out, "{message}");
        return;
    }
    let position = sources.position(span);
    let _ = writeln!(out, "{}({}): {message}", position.file, position.line);
    let line = sources.line_text(span);
    if line.is_empty() {
        return;
    }
    let before = position.column as usize - 1;
    let width = sources.text(span).lines().next().map_or(1, |text| text.chars().count()).max(1);
    // Tabs are kept in the padding, so that the caret stands under its place at any tab width.
    let padding: String = line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(out, "{line}\n{padding}{}", "^".repeat(width.min(200)));
}
