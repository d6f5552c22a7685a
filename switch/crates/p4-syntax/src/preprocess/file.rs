//! The files that are being read, and their tokens one by one.

use super::clean::CleanText;
use super::conditional::{Group, Guard};
use super::pp_token::{PpKind, PpToken, scan};
use super::{Arguments, Preprocessor};
use crate::source::{FileId, Span};
use std::rc::Rc;

/// A file that is being read.
pub struct Buffer {
    /// The file.
    pub file: FileId,
    /// The name that it gives itself (`#line`).
    pub name: Rc<str>,
    /// The number to add to a physical line to get the line number that the file gives itself.
    pub line_offset: i64,
    /// The directory of the search path in which it was found.
    pub found_in: Option<usize>,
    /// The conditions that are open.
    pub groups: Vec<Group>,
    /// Does one macro guard the whole file?
    pub guard: Guard,
    text: Rc<CleanText>,
    position: usize,
    at_line_start: bool,
}

impl Preprocessor<'_> {
    /// Makes `file` the one that is read.
    pub(super) fn push_buffer(&mut self, file: FileId, name: Rc<str>, found_in: Option<usize>) {
        let text = self.sources.file(file).map_or("".into(), |file| file.text.clone());
        self.buffers.push(Buffer {
            file,
            name,
            line_offset: 0,
            found_in,
            groups: Vec::new(),
            guard: Guard::default(),
            text: Rc::new(CleanText::new(&text)),
            position: 0,
            at_line_start: true,
        });
    }

    /// The file that is read.
    pub(super) fn buffer(&mut self) -> &mut Buffer {
        // The main file stays until the end.
        self.buffers.last_mut().expect("a file is being read")
    }

    /// The token for the end of the text that can be read.
    pub(super) fn end_token(&mut self) -> PpToken {
        let (span, line) = self.place(self.buffers.last().map_or(0, |buffer| buffer.position), 0);
        PpToken::new(PpKind::End, "".into(), span, line)
    }

    /// Place and line of `length` bytes of the clean text.
    fn place(&self, start: usize, length: usize) -> (Span, u32) {
        let Some(buffer) = self.buffers.last() else { return (Span::nowhere(), 1) };
        let begin = buffer.text.in_file(start);
        let end = if length == 0 { begin } else { buffer.text.in_file(start + length - 1) + 1 };
        let span = Span::new(buffer.file, begin, end);
        let line = i64::from(self.sources.physical_line(buffer.file, span.start)) + buffer.line_offset;
        (span, u32::try_from(line).unwrap_or(0))
    }

    /// The line at which reading goes on.
    pub(super) fn present_line(&self) -> u32 {
        self.place(self.buffers.last().map_or(0, |buffer| buffer.position), 0).1
    }

    /// Where the next character stands, to come back to it with [`Self::go_back`].
    pub(super) fn position(&mut self) -> usize {
        self.buffer().position
    }

    /// Reads on from `position`.
    pub(super) fn go_back(&mut self, position: usize) {
        self.buffer().position = position;
    }

    /// The rest of the line, as it stands in the text; it stays to be read.
    pub(super) fn rest_of_line(&mut self) -> String {
        let buffer = self.buffer();
        let rest = &buffer.text.text[buffer.position..];
        rest.lines().next().unwrap_or("").to_owned()
    }

    /// Reads `length` bytes more.
    pub(super) fn skip_bytes(&mut self, length: usize) {
        self.buffer().position += length;
    }

    /// Skips the rest of a directive.
    pub(super) fn skip_directive(&mut self) {
        while self.next_raw().kind != PpKind::End {}
    }

    /// The next token of the files. Directives are carried out, and skipped text is left out.
    pub(super) fn next_of_file(&mut self) -> PpToken {
        loop {
            let token = match self.lookahead.take() {
                Some(token) => token,
                None => self.next_raw(),
            };
            if token.kind == PpKind::End {
                return token;
            }
            if self.in_directive {
                return token;
            }
            if token.starts_line {
                if token.is("#") && self.arguments_of != Arguments::Opening && self.directive(&token) {
                    continue;
                }
                if !self.is_skipping() && self.arguments_of == Arguments::None {
                    let column = self.column(token.span);
                    let name = self.buffer().name.clone();
                    self.output.line_change(token.line, column, &name);
                }
            }
            if !self.is_skipping() {
                self.buffer().guard.token_outside();
                return token;
            }
        }
    }

    /// Column in bytes, from 1.
    pub(super) fn column(&self, span: Span) -> usize {
        let before = Span { start: 0, end: span.start, ..span };
        let text = self.sources.text(before);
        text.len() - text.rfind('\n').map_or(0, |at| at + 1) + 1
    }

    /// The next token of the file as it stands there; in a directive, up to the end of its line.
    pub(super) fn next_raw(&mut self) -> PpToken {
        let mut space_before = false;
        loop {
            let (in_directive, arguments) = (self.in_directive, self.arguments_of);
            let buffer = self.buffer();
            let text = buffer.text.clone();
            let start = buffer.position;
            let rest = &text.text[start..];
            let Some(first) = rest.chars().next() else {
                if in_directive || arguments != Arguments::None || !self.leave_buffer() {
                    return self.end_token();
                }
                space_before = false;
                continue;
            };
            if first == '\n' {
                if in_directive {
                    return self.end_token();
                }
                buffer.position += 1;
                buffer.at_line_start = true;
                space_before = arguments == Arguments::Inside;
                continue;
            }
            if matches!(first, ' ' | '\t' | '\r' | '\x0b' | '\x0c') {
                buffer.position += 1;
                space_before = true;
                continue;
            }
            let is_block = rest.starts_with("/*");
            let (kind, length) = if is_block || rest.starts_with("//") {
                let length = match is_block {
                    true => rest[2..].find("*/").map(|inner| inner + 4),
                    false => Some(rest.find('\n').unwrap_or(rest.len())),
                };
                if length.is_none() {
                    let (span, _) = self.place(start, 2);
                    self.diagnostics.error(span, "this comment is never closed; expected '*/'");
                }
                (PpKind::Comment, length.unwrap_or(rest.len()))
            } else {
                scan(rest)
            };
            let buffer = self.buffer();
            buffer.position += length;
            if kind == PpKind::Comment && in_directive {
                space_before = true;
                continue;
            }
            let starts_line = std::mem::take(&mut buffer.at_line_start);
            let (span, line) = self.place(start, length);
            let spelling = &rest[..length];
            let text = if kind == PpKind::Comment && !is_block && arguments != Arguments::None {
                format!("/*{}*/", &spelling[2..]).into()
            } else {
                self.names.intern(spelling)
            };
            return PpToken { space_before, starts_line, ..PpToken::new(kind, text, span, line) };
        }
    }

    /// At the end of an included file: goes back to the one that includes it. False in the main file.
    fn leave_buffer(&mut self) -> bool {
        self.close_groups();
        if self.buffers.len() < 2 {
            return false;
        }
        self.remember_guard();
        self.buffers.pop();
        // The line of the directive is read up to its line end.
        let line = self.present_line() + 1;
        let name = self.buffer().name.clone();
        self.output.line_marker(line, &name, " 2");
        true
    }
}
