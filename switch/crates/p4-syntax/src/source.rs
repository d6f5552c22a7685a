//! Source files and positions in them.
//!
//! Every token, syntax node and typed node carries a [`Span`]. The [`SourceMap`] turns it back into file, line and
//! column, and into the text of the line. Messages and the `source_info` of the output need them.

use std::rc::Rc;

/// A file known to a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A piece of one file, in byte offsets; `end` is exclusive.
///
/// It says to people where something is, and nothing else. It tells no two things apart, since all tokens out of one
/// use of a macro have the same span. There is no order between the spans of several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte `start` to byte `end` (exclusive) of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end) }
    }

    /// For messages about the program as a whole.
    pub fn nowhere() -> Self {
        Self { file: FileId(u32::MAX), start: 0, end: 0 }
    }

    /// Is it [`Span::nowhere`]?
    pub fn is_nowhere(self) -> bool {
        self == Self::nowhere()
    }

    /// The smallest span that covers both; if they lie in different files, the first one.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as people count: lines and columns from 1. A column is a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Path as given to the compiler (or as a line marker said).
    pub file: Rc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
}

/// A line marker (`#line 12 "x.p4"`), which gives the lines after it a new number and file.
#[derive(Clone, Debug)]
struct LineMarker {
    /// Physical line (from 1) that the marker gives a new name.
    physical_line: u32,
    /// Its new number.
    line: u32,
    /// Its new file.
    file: Rc<str>,
}

/// One source file.
#[derive(Debug)]
pub struct SourceFile {
    /// Path as given to the compiler.
    pub path: Rc<str>,
    /// The whole text.
    pub text: Rc<str>,
    /// True for the compiler's own include files.
    pub is_system: bool,
    line_starts: Vec<u32>,
    markers: Vec<LineMarker>,
}

/// All files of one compilation.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its id. Texts over 4 GiB are cut.
    pub fn add(&mut self, path: &str, text: Rc<str>, is_system: bool) -> FileId {
        let mut line_starts = vec![0];
        for (offset, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                line_starts.push(u32::try_from(offset + 1).unwrap_or(u32::MAX));
            }
        }
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(SourceFile { path: path.into(), text, is_system, line_starts, markers: Vec::new() });
        id
    }

    /// The file with that id, if there is one.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// Records that the line after physical line `after` of `file` is line `line` of `path`.
    pub fn add_line_marker(&mut self, file: FileId, after: u32, line: u32, path: Option<&str>) {
        let Some(entry) = self.files.get_mut(file.0 as usize) else {
            return;
        };
        let current = entry.markers.last().map_or_else(|| entry.path.clone(), |marker| marker.file.clone());
        entry.markers.push(LineMarker {
            physical_line: after.saturating_add(1),
            line,
            file: path.map_or(current, Into::into),
        });
    }

    /// Physical line (from 1) of a byte offset.
    pub fn physical_line(&self, file: FileId, offset: u32) -> u32 {
        let Some(entry) = self.file(file) else {
            return 1;
        };
        let line = entry.line_starts.partition_point(|start| *start <= offset);
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// File, line and column of the beginning of `span`.
    pub fn position(&self, span: Span) -> Position {
        let Some(entry) = self.file(span.file) else {
            return Position { file: "<unknown>".into(), line: 1, column: 1 };
        };
        let physical = self.physical_line(span.file, span.start);
        let start = entry.line_starts.get(physical as usize - 1).copied().unwrap_or(0);
        let before = entry.text.get(start as usize..span.start as usize).unwrap_or("");
        let column = u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX);
        let marker = entry.markers.iter().rev().find(|marker| marker.physical_line <= physical);
        match marker {
            Some(marker) => Position {
                file: marker.file.clone(),
                line: marker.line.saturating_add(physical - marker.physical_line),
                column,
            },
            None => Position { file: entry.path.clone(), line: physical, column },
        }
    }

    /// The text of the line on which `span` begins, without its line end.
    pub fn line_text(&self, span: Span) -> &str {
        let Some(entry) = self.file(span.file) else {
            return "";
        };
        let line = self.physical_line(span.file, span.start) as usize;
        let start = entry.line_starts.get(line - 1).copied().unwrap_or(0) as usize;
        let end = entry.line_starts.get(line).map_or(entry.text.len(), |next| *next as usize);
        entry.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// The source text of `span`; empty if it is not valid.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).and_then(|entry| entry.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }
}
