//! `#if` and its like: which lines count.

use super::pp_token::{PpKind, PpToken};
use super::{Preprocessor, condition};
use crate::source::Span;
use std::rc::Rc;

/// One `#if … #endif` that is open.
pub struct Group {
    opened: Span,
    /// It lies in text that is skipped.
    was_skipping: bool,
    /// Some branch was taken already.
    done: bool,
    /// The present branch is skipped.
    skipping: bool,
    seen_else: bool,
}

/// Whether a file as a whole is guarded by one macro, so that it need not be read twice.
#[derive(Debug, Default)]
pub struct Guard {
    /// The macro of the first `#ifndef`.
    name: Option<Rc<str>>,
    /// Its `#endif` was read.
    is_closed: bool,
    /// Something stands outside of it.
    is_broken: bool,
    /// The number of open groups inside.
    depth: usize,
}

impl Guard {
    /// A token that counts, or a directive.
    pub fn token_outside(&mut self) {
        if self.depth == 0 {
            self.is_broken = true;
        }
    }

    fn open(&mut self, name: Option<Rc<str>>) {
        if self.depth == 0 {
            if self.is_closed || name.is_none() {
                self.is_broken = true;
            }
            self.name = name;
        }
        self.depth += 1;
    }

    fn branch(&mut self) {
        if self.depth == 1 {
            self.is_broken = true;
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.is_closed |= self.depth == 0;
    }
}

impl Preprocessor<'_> {
    /// Are lines skipped?
    pub(super) fn is_skipping(&mut self) -> bool {
        self.buffers.last().is_some_and(|buffer| buffer.groups.last().is_some_and(|group| group.skipping))
    }

    /// Works on a conditional directive, its word being read.
    pub(super) fn conditional(&mut self, word: &str, place: Span) {
        match word {
            "if" | "ifdef" | "ifndef" => {
                let was_skipping = self.is_skipping();
                let mut guard = None;
                let taken = !was_skipping
                    && match word {
                        "if" => {
                            guard = self.not_defined_of_line();
                            self.condition(place)
                        }
                        _ => {
                            let name = self.name_of_condition(word, place);
                            if word == "ifndef" {
                                guard = name.clone();
                            }
                            name.is_some_and(|name| self.macros.is_defined(&name) == (word == "ifdef"))
                        }
                    };
                let buffer = self.buffer();
                buffer.guard.open(guard);
                buffer.groups.push(Group {
                    opened: place,
                    was_skipping,
                    done: taken,
                    skipping: !taken,
                    seen_else: false,
                });
            }
            _ => self.next_branch(word, place),
        }
    }

    fn next_branch(&mut self, word: &str, place: Span) {
        let buffer = self.buffer();
        let Some(group) = buffer.groups.last_mut() else {
            self.diagnostics.error(place, format!("'#{word}' without '#if'"));
            return;
        };
        if word == "endif" {
            buffer.groups.pop();
            buffer.guard.close();
            return;
        }
        buffer.guard.branch();
        let (seen_else, may_be_taken) = (group.seen_else, !group.was_skipping && !group.done);
        group.seen_else |= word == "else";
        group.skipping = true;
        if seen_else {
            self.diagnostics.error(place, format!("'#{word}' after '#else'"));
        }
        let taken = may_be_taken
            && match word {
                "else" => true,
                "elif" => self.condition(place),
                _ => {
                    let name = self.name_of_condition(word, place);
                    name.is_some_and(|name| self.macros.is_defined(&name) == (word == "elifdef"))
                }
            };
        if let Some(group) = self.buffer().groups.last_mut() {
            group.done |= taken;
            group.skipping = !taken;
        }
    }

    /// The name after `#ifdef`.
    fn name_of_condition(&mut self, word: &str, place: Span) -> Option<Rc<str>> {
        let token = self.next_raw();
        if token.kind == PpKind::Name {
            return Some(token.text);
        }
        self.diagnostics.error(place, format!("expected a name after '#{word}'"));
        None
    }

    /// The macro of a line `!defined NAME` or `!defined(NAME)`, which stays to be read.
    fn not_defined_of_line(&mut self) -> Option<Rc<str>> {
        let start = self.position();
        let mut tokens = Vec::new();
        loop {
            let token = self.next_raw();
            if token.kind == PpKind::End || tokens.len() > 5 {
                break;
            }
            tokens.push(token);
        }
        self.go_back(start);
        let spellings: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
        let name = match spellings.as_slice() {
            ["!", "defined", "(", _, ")"] => tokens.get(3),
            ["!", "defined", _] => tokens.get(2),
            _ => None,
        };
        name.filter(|name| name.kind == PpKind::Name).map(|name| name.text.clone())
    }

    /// The condition of `#if` or `#elif`.
    fn condition(&mut self, place: Span) -> bool {
        let mut tokens: Vec<PpToken> = Vec::new();
        loop {
            let token = self.next_expanded();
            match token.kind {
                PpKind::End => break,
                PpKind::Padding => {}
                PpKind::Name if &*token.text == "defined" => tokens.push(self.defined(&token)),
                PpKind::Name if matches!(&*token.text, "__has_include" | "__has_include_next") => {
                    let number = self.has_include(&token);
                    tokens.push(number);
                }
                _ => tokens.push(token),
            }
        }
        condition::evaluate(&tokens, place, self.diagnostics)
    }

    /// `defined X` or `defined(X)`, its first word being read, as a number.
    fn defined(&mut self, word: &PpToken) -> PpToken {
        self.prevent_expansion += 1;
        let next = |this: &mut Self| loop {
            let token = this.next_expanded();
            if token.kind != PpKind::Padding {
                return token;
            }
        };
        let mut name = next(self);
        let bracket = name.is("(");
        if bracket {
            name = next(self);
        }
        if name.kind != PpKind::Name {
            self.diagnostics.error(word.span, "expected a name after 'defined'");
        } else if bracket && !next(self).is(")") {
            self.diagnostics.error(word.span, "expected ')' after the name in 'defined('");
        }
        self.prevent_expansion -= 1;
        let value = if self.macros.is_defined(&name.text) { "1" } else { "0" };
        PpToken { kind: PpKind::Number, text: value.into(), ..word.clone() }
    }

    /// Reports the conditions that the end of the file leaves open.
    pub(super) fn close_groups(&mut self) {
        let groups = std::mem::take(&mut self.buffer().groups);
        for group in groups {
            self.diagnostics.error(group.opened, "this condition is never closed; expected '#endif'");
        }
    }

    /// At the end of a file: keeps in mind the macro that guards all of it.
    pub(super) fn remember_guard(&mut self) {
        let buffer = self.buffer();
        if buffer.guard.is_broken || !buffer.guard.is_closed {
            return;
        }
        let (Some(name), file) = (buffer.guard.name.clone(), buffer.file) else { return };
        if let Some(file) = self.sources.file(file) {
            self.guards.insert(file.path.to_string(), name);
        }
    }
}
