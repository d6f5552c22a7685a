//! The preprocessed text, spaced and broken into lines as GNU cpp does it; and where each piece comes from.

use super::pp_token::{PpKind, PpToken, need_space};
use crate::source::{SourceMap, Span};

/// The most empty lines that stand for lines left out; more lines get a line marker.
const MAX_EMPTY_LINES: u32 = 8;

/// Where a piece of the text comes from.
#[derive(Debug)]
struct Segment {
    start: usize,
    end: usize,
    span: Span,
    /// It is written in the file as it stands here.
    is_verbatim: bool,
}

/// The text, as far as it is written.
#[derive(Debug, Default)]
pub struct Output {
    text: String,
    segments: Vec<Segment>,
    /// Something stands on the present line.
    printed: bool,
    /// The line of the source that the present line is.
    line: u32,
    previous: Option<PpToken>,
    /// Padding was met since the last token.
    padded: bool,
    /// The spacing that the padding asks for, as [`PpToken::padding`].
    padding: Option<bool>,
}

impl Output {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the piece of the text from `start` to `end` (exclusive) comes from.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let at = |offset: usize| {
            let after = self.segments.partition_point(|segment| segment.start <= offset);
            self.segments.get(after.max(1) - 1)
        };
        let place = |offset: usize, is_end: bool| -> Option<Span> {
            let segment = at(offset.saturating_sub(usize::from(is_end)))?;
            if !segment.is_verbatim {
                return Some(segment.span);
            }
            let inside = offset.clamp(segment.start, segment.end) - segment.start;
            let there = segment.span.start as usize + inside;
            Some(Span::new(segment.span.file, there, there))
        };
        match (place(start, false), place(end, end > start)) {
            (Some(first), Some(last)) => first.to(last),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => Span::nowhere(),
        }
    }

    /// Padding stands before the next token.
    pub fn pad(&mut self, padding: &PpToken) {
        self.padded = true;
        if self.padding.is_none() || (self.padding == Some(false) && padding.padding.is_none()) {
            self.padding = padding.padding;
        }
    }

    /// Writes a token whose place is `span`.
    pub fn token(&mut self, token: &PpToken, span: Span, sources: &SourceMap) {
        let space = if self.padded {
            self.padding.unwrap_or(token.space_before)
                || match &self.previous {
                    Some(previous) => need_space(previous, token),
                    None => token.is("#"),
                }
        } else {
            token.space_before
        };
        if space {
            self.text.push(' ');
        }
        self.padded = false;
        self.padding = None;
        let start = self.text.len();
        self.text.push_str(&token.text);
        self.printed = true;
        let is_verbatim = sources.text(span) == &*token.text;
        self.segments.push(Segment { start, end: self.text.len(), span, is_verbatim });
        // Comments go over several lines, and strings that are made of them.
        if matches!(token.kind, PpKind::Comment | PpKind::String) {
            let lines = token.text.bytes().filter(|byte| *byte == b'\n').count();
            self.line += u32::try_from(lines).unwrap_or(0);
        }
        self.previous = Some(token.clone());
    }

    /// A line of the source begins with a token in that column (from 1).
    pub fn line_change(&mut self, line: u32, column: usize, file: &str) {
        self.go_to_line(line, file);
        self.previous = None;
        self.padding = None;
        self.indent(column);
    }

    /// Blanks up to the column before `column`; the token itself brings the last one.
    pub fn indent(&mut self, column: usize) {
        for _ in 2..column {
            self.text.push(' ');
        }
        self.printed = true;
    }

    /// Begins the given line of `file`.
    pub fn go_to_line(&mut self, line: u32, file: &str) {
        if self.printed {
            self.text.push('\n');
            self.line += 1;
            self.printed = false;
        }
        if line >= self.line && line < self.line + MAX_EMPTY_LINES {
            while self.line < line {
                self.text.push('\n');
                self.line += 1;
            }
        } else {
            self.line_marker(line, file, "");
        }
    }

    /// Writes `# line "file" flags`.
    pub fn line_marker(&mut self, line: u32, file: &str, flags: &str) {
        self.end();
        let file = file.replace('\\', "\\\\").replace('"', "\\\"");
        self.text.push_str(&format!("# {line} \"{file}\"{flags}\n"));
        self.line = line;
    }

    /// Ends the last line.
    pub fn end(&mut self) {
        if self.printed {
            self.text.push('\n');
            self.printed = false;
        }
    }
}
