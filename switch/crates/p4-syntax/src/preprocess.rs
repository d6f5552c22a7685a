//! The preprocessor: `#include`, `#define`, `#if` and their like, on tokens.
//!
//! Working on tokens and not on text keeps every token's own place in its own file, so messages need no
//! translation back.

mod condition;
mod directive;
mod macros;

use crate::Options;
use crate::diagnostic::Diagnostics;
use crate::kind::Kind;
use crate::lexer::{Interner, Lexer};
use crate::source::{FileId, SourceMap, Span};
use crate::token::{Token, TokenKind};
use macros::Macros;
use std::path::Path;
use std::rc::Rc;

/// Includes nested deeper than this are taken for a cycle.
const MAX_INCLUDE_DEPTH: usize = 100;

/// The compiler's own include files.
const EMBEDDED: &[(&str, &str)] = &[
    ("core.p4", include_str!("../../../p4include/core.p4")),
    ("v1model.p4", include_str!("../../../p4include/v1model.p4")),
];

/// Reads `path` and everything it includes, and gives the tokens for the parser, [`TokenKind::End`] last.
pub fn preprocess_file(
    path: &Path,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let shown = path.display().to_string();
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            let file = sources.add(&shown, "".into(), false);
            let message = format!("cannot read '{shown}': {error}");
            diagnostics.error_of(Kind::Io, Span::new(file, 0, 0), message);
            return vec![end_token(Span::new(file, 0, 0))];
        }
    };
    preprocess_text(&shown, &text, options, sources, diagnostics)
}

/// As [`preprocess_file`], for a text in memory that is called `path`.
pub fn preprocess_text(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut preprocessor = Preprocessor {
        options,
        sources,
        diagnostics,
        names: Interner::default(),
        macros: Macros::default(),
        output: Vec::new(),
        include_depth: 0,
    };
    preprocessor.define_from_options();
    let file = preprocessor.sources.add(path, text.into(), false);
    preprocessor.run(file);
    let end = Span::new(file, text.len(), text.len());
    let mut output = preprocessor.output;
    output.push(end_token(end));
    output
}

fn end_token(span: Span) -> Token {
    Token { kind: TokenKind::End, span, space_before: true, starts_line: true }
}

/// State of one run.
struct Preprocessor<'a> {
    options: &'a Options,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    names: Interner,
    macros: Macros,
    output: Vec<Token>,
    include_depth: usize,
}

/// One `#if … #endif` that is open.
struct Group {
    opened: Span,
    /// Some branch was taken already, or the whole group lies in text that is skipped.
    done: bool,
    /// The present branch is skipped.
    skipping: bool,
    seen_else: bool,
}

/// Reading one file.
struct Reader {
    lexer: Lexer,
    groups: Vec<Group>,
}

impl Preprocessor<'_> {
    fn define_from_options(&mut self) {
        for (name, value) in &self.options.defines {
            let text: Rc<str> = value.as_str().into();
            let file = self.sources.add("<command line>", text.clone(), true);
            let mut lexer = Lexer::new(file, text);
            let mut body = Vec::new();
            loop {
                let token = lexer.next(&mut self.names, self.diagnostics);
                match token.kind {
                    TokenKind::End => break,
                    TokenKind::Newline => {}
                    _ => body.push(token),
                }
            }
            self.macros.define_object(self.names.intern(name), body);
        }
    }

    fn run(&mut self, file: FileId) {
        let text = match self.sources.file(file) {
            Some(entry) => entry.text.clone(),
            None => return,
        };
        let mut reader = Reader { lexer: Lexer::new(file, text), groups: Vec::new() };
        loop {
            let token = self.next_token(&mut reader);
            match &token.kind {
                TokenKind::End => break,
                TokenKind::Newline => {}
                TokenKind::Symbol("#") if token.starts_line => self.directive(&mut reader, &token),
                TokenKind::Identifier(_) => self.emit_expanded(&mut reader, token),
                _ => self.output.push(token),
            }
        }
        for group in &reader.groups {
            self.diagnostics.error(group.opened, "this condition is never closed; expected '#endif'");
        }
    }

    fn next_token(&mut self, reader: &mut Reader) -> Token {
        reader.lexer.next(&mut self.names, self.diagnostics)
    }

    /// Writes a name out, expanded if it is a macro.
    fn emit_expanded(&mut self, reader: &mut Reader, token: Token) {
        let TokenKind::Identifier(name) = &token.kind else {
            return;
        };
        if &**name == "__LINE__" || &**name == "__FILE__" {
            let place = self.sources.position(token.span);
            let kind = if &**name == "__LINE__" {
                TokenKind::Integer(crate::token::IntLiteral { value: place.line.into(), width: None, radix: 10 })
            } else {
                TokenKind::String(place.file)
            };
            self.output.push(Token { kind, ..token });
            return;
        }
        if !self.macros.is_defined(name) {
            self.output.push(token);
            return;
        }
        let mut input = vec![token.clone()];
        if self.macros.is_function(name) {
            match self.collect_call(reader) {
                Collected::Call(tokens) => input.extend(tokens),
                Collected::NoCall(follow) => {
                    self.output.push(token);
                    for next in follow {
                        match &next.kind {
                            TokenKind::Identifier(_) => self.emit_expanded(reader, next),
                            TokenKind::Symbol("#") if next.starts_line => {
                                self.directive(reader, &next);
                            }
                            TokenKind::End | TokenKind::Newline => {}
                            _ => self.output.push(next),
                        }
                    }
                    return;
                }
            }
        }
        let mut expanded = Vec::new();
        self.macros.expand(&input, &mut expanded, &mut self.names, self.diagnostics);
        for (index, mut item) in expanded.into_iter().enumerate() {
            item.span = token.span;
            item.starts_line = index == 0 && token.starts_line;
            self.output.push(item);
        }
    }

    /// Reads `( … )` after the name of a macro with parameters, over line ends.
    fn collect_call(&mut self, reader: &mut Reader) -> Collected {
        let mut next = self.next_token(reader);
        while next.kind == TokenKind::Newline {
            next = self.next_token(reader);
        }
        if !next.is("(") {
            return Collected::NoCall(vec![next]);
        }
        let opened = next.span;
        let mut depth = 0usize;
        let mut tokens = Vec::new();
        loop {
            match &next.kind {
                TokenKind::Symbol("(") => depth += 1,
                TokenKind::Symbol(")") => depth = depth.saturating_sub(1),
                TokenKind::End => {
                    self.diagnostics.error(opened, "the arguments of this macro are never closed; expected ')'");
                    return Collected::NoCall(Vec::new());
                }
                _ => {}
            }
            if next.kind != TokenKind::Newline {
                tokens.push(next);
            }
            if depth == 0 {
                return Collected::Call(tokens);
            }
            next = self.next_token(reader);
        }
    }
}

/// What follows the name of a macro with parameters.
enum Collected {
    /// Its arguments, brackets included.
    Call(Vec<Token>),
    /// Something else, already read.
    NoCall(Vec<Token>),
}
