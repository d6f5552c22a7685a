//! The compiler's messages as the protocol has them.

use crate::analysis::Snapshot;
use crate::{embedded, files, positions};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
};
use p4_syntax::{Severity, Span};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The messages of a program by the files that they are about. Those about the program as a whole are at the beginning of
/// its main file.
pub fn by_file(
    main: &Path,
    snapshot: &Snapshot,
    messages: &[p4_syntax::Diagnostic],
) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut found: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for message in messages {
        let (path, range) = place(main, snapshot, message.span);
        found.entry(path).or_default().push(diagnostic(main, snapshot, message, range));
    }
    found
}

fn diagnostic(main: &Path, snapshot: &Snapshot, message: &p4_syntax::Diagnostic, range: Range) -> Diagnostic {
    let severity = match message.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
    };
    let mut text = message.message.clone();
    let mut related = Vec::new();
    for (span, note) in &message.notes {
        match span {
            Some(span) => {
                let (path, range) = place(main, snapshot, *span);
                related.extend(files::uri(&path).map(|uri| DiagnosticRelatedInformation {
                    location: Location { uri, range },
                    message: note.clone(),
                }));
            }
            None => {
                text.push('\n');
                text.push_str(note);
            }
        }
    }
    Diagnostic {
        range,
        severity: Some(severity),
        code: message.kind.map(|kind| NumberOrString::String(kind.name().to_owned())),
        source: Some("p4".to_owned()),
        message: text,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// File and range of a span.
pub fn place(main: &Path, snapshot: &Snapshot, span: Span) -> (PathBuf, Range) {
    let file = snapshot.sources.file(span.file).filter(|_| !span.is_nowhere());
    let path = file.and_then(|file| embedded::path(&file.path).ok());
    match (path, file) {
        (Some(path), Some(file)) if !file.path.starts_with("<command") => {
            (path, positions::range(&file.text, span.start as usize, span.end as usize))
        }
        _ => (main.to_owned(), Range { start: Position::default(), end: Position::default() }),
    }
}
