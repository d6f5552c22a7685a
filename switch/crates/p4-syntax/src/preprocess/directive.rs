//! The lines that begin with `#`.

use super::pp_token::{PpKind, PpToken};
use super::{Arguments, Preprocessor};
use crate::source::Span;

/// Those that say which lines count.
const CONDITIONALS: [&str; 8] = ["if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"];

/// The directives, for the help of a message.
const KNOWN: &str = "define, undef, include, if, ifdef, ifndef, elif, else, endif, line, error, warning, pragma";

impl Preprocessor<'_> {
    /// Works on the line after its `#`. False if it is no directive: it is written as any other line, and P4 takes it
    /// for a comment, or for a line marker.
    pub(super) fn directive(&mut self, hash: &PpToken) -> bool {
        let arguments = std::mem::replace(&mut self.arguments_of, Arguments::None);
        let prevented = std::mem::take(&mut self.prevent_expansion);
        self.in_directive = true;
        let is_done = self.line_of_directive(hash);
        self.in_directive = false;
        self.arguments_of = arguments;
        self.prevent_expansion = prevented;
        is_done
    }

    fn line_of_directive(&mut self, hash: &PpToken) -> bool {
        let word = self.next_raw();
        let place = hash.span.to(word.span);
        let name = word.text.clone();
        let is_conditional = CONDITIONALS.contains(&&*name);
        if !is_conditional && self.is_skipping() {
            self.skip_directive();
            return true;
        }
        if !is_conditional {
            self.buffer().guard.token_outside();
        }
        match &*name {
            _ if word.kind == PpKind::End => {}
            _ if is_conditional => self.conditional(&name, place),
            "define" => self.define(place),
            "undef" => self.undefine(place),
            "include" | "import" | "include_next" => {
                self.include(&name, place);
                return true;
            }
            "error" | "warning" => {
                let text = format!("#{name}: {}", self.rest_of_line().trim());
                if &*name == "error" {
                    self.diagnostics.error(place, text);
                } else {
                    self.diagnostics.warning(place, text);
                }
            }
            "line" => {
                self.line(place);
                return true;
            }
            "pragma" => self.pragma(),
            "ident" | "sccs" | "assert" | "unassert" => {}
            _ => {
                self.other(word);
                return false;
            }
        }
        self.skip_directive();
        true
    }

    /// A line of P4's own: a comment, or a line marker for P4.
    fn other(&mut self, word: PpToken) {
        let after = self.position();
        if word.kind == PpKind::Number {
            let name = self.next_raw();
            if let Ok(line) = word.text.parse() {
                let path = (name.kind == PpKind::String).then(|| name.text.trim_matches('"').to_owned());
                let physical = self.sources.physical_line(word.span.file, word.span.start);
                self.sources.add_line_marker(word.span.file, physical, line, path.as_deref());
            }
        } else if word.kind == PpKind::Name && !word.space_before {
            let message = format!("unknown directive '#{}': the line is skipped", word.text);
            self.diagnostics.warning(word.span, message).help(format!("known are {KNOWN}"));
        }
        self.go_back(after);
        self.lookahead = Some(word);
    }

    /// `#line`, its word being read: macros may say the line and the file.
    fn line(&mut self, place: Span) {
        let mut next = || loop {
            let token = self.next_expanded();
            if token.kind != PpKind::Padding {
                return token;
            }
        };
        let (number, name) = (next(), next());
        let line: Option<u32> = match number.kind {
            PpKind::Number => number.text.parse().ok().filter(|line| *line <= i32::MAX as u32),
            _ => None,
        };
        let path = match name.kind {
            PpKind::String => Some(name.text.trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\")),
            _ => None,
        };
        self.skip_directive();
        let (Some(line), true) = (line, path.is_some() || name.kind == PpKind::End) else {
            self.diagnostics.error(place, "expected a line's number, and a file's name in quotes, after '#line'");
            return;
        };
        let end = self.end_token().span;
        let physical = self.sources.physical_line(end.file, end.start);
        self.sources.add_line_marker(end.file, physical, line, path.as_deref());
        let buffer = self.buffer();
        buffer.line_offset = i64::from(line) - i64::from(physical) - 1;
        if let Some(path) = path {
            buffer.name = path.into();
        }
        let name = buffer.name.clone();
        self.output.line_marker(line, &name, "");
    }

    /// `#pragma`: a pragma that is not for the preprocessor is dropped, as in GNU cpp.
    fn pragma(&mut self) {
        let name = self.next_raw();
        match &*name.text {
            "once" => {
                let file = self.buffer().file;
                let path = self.sources.file(file).map(|file| file.path.to_string());
                if let Some(path) = path.and_then(|path| std::fs::canonicalize(path).ok()) {
                    self.once.insert(path);
                }
            }
            "push_macro" | "pop_macro" => {
                let (open, text, close) = (self.next_raw(), self.next_raw(), self.next_raw());
                if open.is("(") && text.kind == PpKind::String && close.is(")") {
                    let macro_name = text.text.trim_matches('"').to_owned();
                    match &*name.text {
                        "push_macro" => self.macros.push(&macro_name),
                        _ => self.macros.pop(&macro_name),
                    }
                }
            }
            _ => return,
        }
        let column = self.column(name.span);
        let file = self.buffer().name.clone();
        self.output.go_to_line(name.line, &file);
        self.output.indent(column);
    }
}
