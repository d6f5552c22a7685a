//! `#include`.

use super::Preprocessor;
use super::pp_token::{PpKind, PpToken};
use crate::kind::Kind;
use crate::source::Span;
use std::path::{Path, PathBuf};

/// Includes nested deeper than this are taken for a cycle.
const MAX_INCLUDE_DEPTH: usize = 200;

/// More includes than this are taken for files that double each other.
const MAX_INCLUDES: usize = 100_000;

/// The compiler's own include files: name and text.
pub const EMBEDDED: &[(&str, &str)] = &[
    ("core.p4", include_str!("../../../../p4include/core.p4")),
    ("v1model.p4", include_str!("../../../../p4include/v1model.p4")),
];

/// The folder that they are said to be in.
pub const EMBEDDED_FOLDER: &str = "<p4include>";

/// A file to include.
struct Found {
    path: String,
    text: String,
    is_own: bool,
    /// The directory of the search path; none for the directory of the including file.
    directory: Option<usize>,
}

/// The name of a file to include.
struct Header {
    name: String,
    /// It stands between `<` and `>`.
    is_angled: bool,
}

impl Preprocessor<'_> {
    /// `#include`, its word being read.
    pub(super) fn include(&mut self, word: &str, place: Span) {
        let header = self.header();
        self.skip_directive();
        let Some(header) = header else {
            self.diagnostics.error(place, format!("expected \"file\" or <file> after '#{word}'"));
            return;
        };
        // After that error nothing is included any more: two includes in a file that includes itself would go on for
        // ever.
        if self.are_includes_over {
            return;
        }
        if self.buffers.len() > MAX_INCLUDE_DEPTH {
            self.diagnostics.error(place, "files include each other too deeply; does one include itself?");
            self.are_includes_over = true;
            return;
        }
        let Some(found) = self.find(&header, word == "include_next") else {
            let dirs = self.options.include_dirs.iter().chain(&self.options.later_include_dirs);
            let dirs: Vec<String> = dirs.map(|dir| dir.display().to_string()).collect();
            let message = format!("cannot find the include file '{}'", header.name);
            let searched = if dirs.is_empty() {
                "give its directory with -I".to_owned()
            } else {
                format!("searched in: {}", dirs.join(", "))
            };
            self.diagnostics.error_of(Kind::Io, place, message).help(searched);
            return;
        };
        if self.guards.get(&found.path).is_some_and(|guard| self.macros.is_defined(guard)) {
            return;
        }
        let canonical = std::fs::canonicalize(&found.path).ok();
        if canonical.as_ref().is_some_and(|path| self.once.contains(path)) {
            return;
        }
        if word == "import"
            && let Some(path) = canonical
        {
            self.once.insert(path);
        }
        self.includes += 1;
        if self.includes > MAX_INCLUDES {
            self.diagnostics
                .error(place, format!("more than {MAX_INCLUDES} files are included; do they include each other?"));
            self.are_includes_over = true;
            return;
        }
        let line = self.present_line();
        let name = self.buffer().name.clone();
        self.output.go_to_line(line, &name);
        let file = self.sources.add(&found.path, found.text.into(), found.is_own);
        self.output.line_marker(1, &found.path, " 1");
        self.push_buffer(file, found.path.into(), found.directory);
    }

    /// `__has_include(…)` in a condition, its word being read, as a number.
    pub(super) fn has_include(&mut self, word: &PpToken) -> PpToken {
        let opened = self.next_raw().is("(");
        let header = if opened { self.header() } else { None };
        if header.is_none() || !self.next_raw().is(")") {
            self.diagnostics.error(word.span, format!("expected (\"file\") or (<file>) after {}", word.describe()));
        }
        let is_next = &*word.text == "__has_include_next";
        let found = header.is_some_and(|header| self.find(&header, is_next).is_some());
        PpToken { kind: PpKind::Number, text: if found { "1" } else { "0" }.into(), ..word.clone() }
    }

    /// The name of a file; macros may give it.
    fn header(&mut self) -> Option<Header> {
        let start = self.position();
        let rest = self.rest_of_line();
        let blanks = rest.len() - rest.trim_start().len();
        if let Some(inner) = rest.trim_start().strip_prefix('<')
            && let Some(length) = inner.find('>')
        {
            self.skip_bytes(blanks + length + 2);
            return Some(Header { name: inner[..length].to_owned(), is_angled: true });
        }
        if let Some(inner) = rest.trim_start().strip_prefix('"') {
            // Backslashes are no escapes here.
            let length = inner.find('"')?;
            self.skip_bytes(blanks + length + 2);
            return Some(Header { name: inner[..length].to_owned(), is_angled: false });
        }
        self.go_back(start);
        let mut next = || loop {
            let token = self.next_expanded();
            if token.kind != PpKind::Padding {
                return token;
            }
        };
        let first = next();
        if first.kind == PpKind::String {
            return Some(Header { name: first.text.trim_matches('"').to_owned(), is_angled: false });
        }
        if !first.is("<") {
            return None;
        }
        let mut name = String::new();
        loop {
            let token = next();
            if token.is(">") {
                return Some(Header { name, is_angled: true });
            }
            if token.kind == PpKind::End {
                return None;
            }
            if token.space_before {
                name.push(' ');
            }
            name.push_str(&token.text);
        }
    }

    /// Looks beside the including file (for `"…"`), among the compiler's own files, in the directories of `-I`, and in
    /// those that come after them.
    fn find(&mut self, header: &Header, is_next: bool) -> Option<Found> {
        let file = self.buffer().file;
        let after = if is_next { self.buffer().found_in.map_or(0, |directory| directory + 1) } else { 0 };
        let here = self.sources.file(file).map(|file| file.path.clone());
        let options = self.options;
        let read = |path: PathBuf, directory: Option<usize>| {
            if let Some(text) = options.text_of(&path) {
                let (path, text) = (path.display().to_string(), text.to_owned());
                return Some(Found { path, text, is_own: false, directory });
            }
            // A directory, or a device that never ends, is no include file.
            let is_file = std::fs::metadata(&path).is_ok_and(|data| data.is_file());
            let bytes = is_file.then(|| std::fs::read(&path).ok())??;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Some(Found { path: path.display().to_string(), text, is_own: false, directory })
        };
        let name = &header.name;
        if Path::new(name).is_absolute() {
            return read(PathBuf::from(name), None);
        }
        if !header.is_angled && !is_next {
            let directory = here.as_deref().and_then(|path| Path::new(path).parent()).unwrap_or(Path::new(""));
            if let Some(found) = read(directory.join(name), None) {
                return Some(found);
            }
        }
        let given = self.options.include_dirs.len();
        let search = |directories: &[PathBuf], offset: usize| {
            let numbered = directories.iter().enumerate().map(|(index, directory)| (index + offset, directory));
            let mut numbered = numbered.filter(|(index, _)| *index >= after);
            numbered.find_map(|(index, directory)| read(directory.join(name), Some(index)))
        };
        let own = || {
            let (own, text) = EMBEDDED.iter().find(|(own, _)| own == name && given >= after)?;
            let (path, text) = (format!("{EMBEDDED_FOLDER}/{own}"), (*text).to_owned());
            Some(Found { path, text, is_own: true, directory: Some(given) })
        };
        own()
            .or_else(|| search(&self.options.include_dirs, 0))
            .or_else(|| search(&self.options.later_include_dirs, given + 1))
    }
}
