//! Messages for people: what is wrong, where, and what was expected.

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
}

/// What a warning is about, as far as a user can choose between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// Something declared that does nothing.
    Unused,
    /// A variable without a value that is read.
    UninitializedUse,
    /// A number, or what a shift leaves of it, that does not fit its type.
    Overflow,
    /// Things in an order that makes some of them useless.
    Ordering,
    /// A property that is not known.
    IgnoreProperty,
    /// Something that has no effect where it is.
    Invalid,
    /// Anything else, for which p4c has no name.
    Other,
}

impl WarningKind {
    /// All that have names.
    pub const NAMED: [Self; 6] =
        [Self::Unused, Self::UninitializedUse, Self::Overflow, Self::Ordering, Self::IgnoreProperty, Self::Invalid];

    /// The name in options and in `@noWarn`, the same as in p4c; [`WarningKind::Other`] has none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Unused => Some("unused"),
            Self::UninitializedUse => Some("uninitialized-use"),
            Self::Overflow => Some("overflow"),
            Self::Ordering => Some("ordering"),
            Self::IgnoreProperty => Some("ignore-prop"),
            Self::Invalid => Some("invalid"),
            Self::Other => None,
        }
    }

    /// Is it the one of that name? p4c wrote `uninitialized_use` before it wrote `uninitialized-use`.
    pub fn is_called(self, name: &str) -> bool {
        self.name().is_some_and(|own| own == name.replace('_', "-"))
    }
}

/// What becomes of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningLevel {
    /// Nobody sees it.
    Hidden,
    /// It is shown.
    Shown,
    /// It is an error.
    Error,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What it is about, if it is a warning or one that was made an error.
    pub kind: WarningKind,
    /// Where.
    pub span: Span,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Further places that matter ("declared here"), or advice without a place.
    pub notes: Vec<(Option<Span>, String)>,
}

impl Diagnostic {
    /// Adds a note that points at another place.
    pub fn note_at(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.notes.push((Some(span), message.into()));
        self
    }

    /// Adds advice.
    pub fn help(&mut self, message: impl Into<String>) -> &mut Self {
        self.notes.push((None, message.into()));
        self
    }
}

/// The messages of one compilation.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

/// After this many errors no more are kept: the rest is usually their consequence.
pub const MAX_ERRORS: usize = 100;

impl Diagnostics {
    /// No messages yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports an error; notes can be added to what is returned.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.errors += 1;
        self.push(Severity::Error, WarningKind::Other, span, message.into())
    }

    /// Reports a warning; notes can be added to what is returned.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.warning_of(WarningKind::Other, span, message)
    }

    /// Reports a warning that users can choose not to see; notes can be added to what is returned.
    pub fn warning_of(&mut self, kind: WarningKind, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Warning, kind, span, message.into())
    }

    fn push(&mut self, severity: Severity, kind: WarningKind, span: Span, message: String) -> &mut Diagnostic {
        self.list.push(Diagnostic { severity, kind, span, message, notes: Vec::new() });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Does what `level` says with all warnings so far.
    pub fn set_levels(&mut self, level: impl Fn(WarningKind) -> WarningLevel) {
        let is_warning = |item: &Diagnostic| item.severity == Severity::Warning;
        self.list.retain(|item| !is_warning(item) || level(item.kind) != WarningLevel::Hidden);
        for item in &mut self.list {
            if is_warning(item) && level(item.kind) == WarningLevel::Error {
                item.severity = Severity::Error;
                self.errors += 1;
            }
        }
    }

    /// True if there is a message about exactly this place.
    pub fn has_message_at(&self, span: Span) -> bool {
        self.list.iter().any(|item| item.span == span)
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
        self.errors >= MAX_ERRORS
    }

    /// The messages in source order, each once.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut seen = HashSet::new();
        let mut list: Vec<&Diagnostic> =
            self.list.iter().filter(|item| seen.insert((item.span, item.message.as_str()))).collect();
        list.sort_by_key(|item| (item.span.file, item.span.start, item.severity));
        list
    }

    /// All messages as text for a terminal, in source order, each once.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        for (index, item) in self.sorted().into_iter().enumerate() {
            if index >= MAX_ERRORS {
                let _ = writeln!(out, "too many messages; the rest is left out");
                break;
            }
            render_one(&mut out, item, sources);
        }
        out
    }
}

/// `file:line:col: error: message`, the line, and a caret under the place.
fn render_one(out: &mut String, item: &Diagnostic, sources: &SourceMap) {
    let word = match item.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let message = match (item.kind.name(), item.severity) {
        (Some(name), Severity::Warning) => format!("{} [--Wwarn={name}]", item.message),
        (Some(name), Severity::Error) => format!("{} [--Werror={name}]", item.message),
        (None, _) => item.message.clone(),
    };
    render_line(out, item.span, word, &message, sources);
    for (span, note) in &item.notes {
        match span {
            Some(span) => render_line(out, *span, "note", note, sources),
            None => {
                let _ = writeln!(out, "  help: {note}");
            }
        }
    }
}

fn render_line(out: &mut String, span: Span, word: &str, message: &str, sources: &SourceMap) {
    let position = sources.position(span);
    let _ = writeln!(out, "{}:{}:{}: {word}: {message}", position.file, position.line, position.column);
    let line = sources.line_text(span);
    if line.is_empty() {
        return;
    }
    let before = position.column as usize - 1;
    let width = sources.text(span).lines().next().map_or(1, |text| text.chars().count()).max(1);
    // Tabs are kept in the padding, so that the caret stands under its place at any tab width.
    let padding: String = line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(out, "    {line}\n    {padding}{}", "^".repeat(width.min(200)));
}
