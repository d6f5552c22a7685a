//! Source positions for the output, each made once.

use p4_ir::{Source, SourceInfo};
use p4_syntax::{SourceMap, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// Greatest number of characters of a source fragment in the output.
const FRAGMENT_CHARS: usize = 60;

/// The positions made so far.
#[derive(Default)]
pub struct SourceIndex {
    known: HashMap<Span, Source>,
    file_names: HashMap<u32, Rc<str>>,
}

impl SourceIndex {
    /// A source position for the output.
    pub fn source(&mut self, sources: &SourceMap, span: Span) -> Source {
        if let Some(known) = self.known.get(&span) {
            return known.clone();
        }
        let position = sources.position(span);
        let text = sources.text(span);
        let first = text.lines().next().unwrap_or("");
        let fragment: String = first.chars().take(FRAGMENT_CHARS).collect();
        let file = self.file_names.entry(span.file.0).or_insert(position.file.clone());
        let info = SourceInfo {
            file: if *file == position.file { file.clone() } else { position.file },
            line: position.line,
            column: position.column,
            fragment: fragment.into(),
        };
        let source = Some(Rc::new(info));
        self.known.insert(span, source.clone());
        source
    }
}
