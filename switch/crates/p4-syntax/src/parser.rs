//! Tokens to syntax tree, by recursive descent.
//!
//! P4's grammar needs to know which names are those of types: `(a)(b)` is a cast or a call, `f<a>(b)` a generic
//! call or two comparisons. The parser therefore keeps the declared names, scope by scope, and whether each is a
//! type ([`Parser::is_type`]). Where that is not enough it tries one reading and goes back
//! ([`Parser::attempt`]).

mod annotation;
mod decl;
mod expr;
mod externs;
mod objects;
mod stmt;
mod table;
mod types;

use crate::ast::{Annotation, Ident, Path, Program};
use crate::diagnostic::{Diagnostics, Stage};
use crate::kind::Kind;
use crate::source::Span;
use crate::token::{SOFT_KEYWORDS, Token, TokenKind};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Constructs nested deeper than this are refused, so that neither the parser nor a later pass can run out of
/// stack.
const MAX_NESTING: usize = 160;

/// Attempts inside attempts; deeper ones fail at once, so that the time stays linear.
const MAX_ATTEMPTS: usize = 5;

/// A syntax error was reported; the caller that can go on does so.
#[derive(Debug)]
pub(crate) struct Abort;

pub(crate) type Parsed<T> = Result<T, Abort>;

/// Parses the tokens of a program; [`TokenKind::End`] comes last.
pub fn parse(tokens: &[Token], diagnostics: &mut Diagnostics) -> Program {
    let mut parser = Parser {
        tokens,
        position: 0,
        diagnostics,
        scopes: vec![HashMap::new()],
        nesting: 0,
        attempts: 0,
        no_greater: false,
        options: BTreeMap::new(),
    };
    parser.program()
}

struct Parser<'a> {
    tokens: &'a [Token],
    position: usize,
    diagnostics: &'a mut Diagnostics,
    /// For each scope: is the name that of a type?
    scopes: Vec<HashMap<Rc<str>, bool>>,
    nesting: usize,
    attempts: usize,
    /// Inside `<…>`: `>` ends the expression.
    no_greater: bool,
    /// Annotations that are options of the compiler, by the position of their first token.
    options: BTreeMap<usize, Annotation>,
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while !self.at_end() && !self.diagnostics.is_full() {
            if self.eat(";") {
                continue;
            }
            let before = self.position;
            match self.declaration() {
                Ok(declaration) => program.declarations.push(declaration),
                Err(Abort) => {
                    self.scopes.truncate(1);
                    self.no_greater = false;
                    self.nesting = 0;
                    self.skip_declaration(before);
                }
            }
        }
        program.options = std::mem::take(&mut self.options).into_values().collect();
        program
    }

    /// After an error: skips to where the next declaration may begin.
    fn skip_declaration(&mut self, start: usize) {
        // Count the brackets from the declaration's own beginning, so that its end is found.
        let mut depth = 0usize;
        for token in &self.tokens[start..self.position.max(start)] {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
            }
        }
        if self.position == start {
            self.position += 1;
        }
        while !self.at_end() {
            let token = self.advance();
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            } else if token.is(";") && depth == 0 {
                return;
            }
        }
    }

    // ---- tokens ----

    fn token(&self) -> &Token {
        self.token_at(0)
    }

    fn token_at(&self, ahead: usize) -> &Token {
        let last = self.tokens.len().saturating_sub(1);
        &self.tokens[(self.position + ahead).min(last)]
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// Place of the token read last.
    fn previous_span(&self) -> Span {
        let index = self.position.saturating_sub(1);
        self.tokens.get(index).map_or_else(Span::default, |token| token.span)
    }

    fn at_end(&self) -> bool {
        self.position + 1 >= self.tokens.len()
    }

    fn at(&self, text: &str) -> bool {
        self.token().is(text)
    }

    fn next_is(&self, ahead: usize, text: &str) -> bool {
        self.token_at(ahead).is(text)
    }

    fn advance(&mut self) -> Token {
        let token = self.token().clone();
        if !self.at_end() {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.position += 1;
        }
        found
    }

    fn expect(&mut self, text: &str, context: &str) -> Parsed<Span> {
        if self.at(text) {
            return Ok(self.advance().span);
        }
        self.fail(&format!("'{text}' {context}"))
    }

    /// Reports that something else was expected here.
    fn fail<T>(&mut self, expected: &str) -> Parsed<T> {
        if self.attempts == 0 {
            let found = self.token().describe();
            // A missing semicolon belongs to the end of the text before it, which may be a line above.
            let missing_end = expected.starts_with("';'") && self.token().starts_line;
            let span = if missing_end && self.position > 0 {
                let previous = self.previous_span();
                Span { start: previous.end.saturating_sub(1).max(previous.start), ..previous }
            } else {
                self.span()
            };
            let place = if missing_end { "after this, " } else { "" };
            self.diagnostics.error(span, format!("syntax error: {place}expected {expected}, found {found}"));
        }
        Err(Abort)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        if self.attempts == 0 {
            self.diagnostics.error(span, message);
        }
    }

    /// Runs `read`; if it fails (or gives None), goes back to where it began, silently.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<Option<T>>) -> Option<T> {
        if self.attempts >= MAX_ATTEMPTS {
            return None;
        }
        let (position, nesting, scopes, no_greater) = (self.position, self.nesting, self.scopes.len(), self.no_greater);
        self.attempts += 1;
        let result = read(self);
        self.attempts -= 1;
        match result {
            Ok(Some(value)) => Some(value),
            _ => {
                self.position = position;
                self.nesting = nesting;
                self.scopes.truncate(scopes);
                self.no_greater = no_greater;
                None
            }
        }
    }

    /// Runs `read` one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.span();
            self.error(span, format!("nested too deeply (more than {MAX_NESTING} levels)"));
            return Err(Abort);
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    // ---- names ----

    fn is_type(&self, name: &str) -> bool {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied().unwrap_or(false)
    }

    /// Refuses names that stand twice in a list; as in p4c it is an error of the syntax, found before names have a meaning.
    fn refuse_twice<'n>(&mut self, what: &str, how: &str, names: impl Iterator<Item = &'n Ident>) {
        if self.attempts > 0 {
            return;
        }
        let mut known: HashMap<&str, Span> = HashMap::new();
        for name in names {
            match known.get(&*name.name) {
                Some(before) => {
                    let message = format!("{what} '{}' is {how} twice", name.name);
                    let diagnostic =
                        self.diagnostics.error_of(Kind::Duplicate, name.span, message).at_stage(Stage::Syntax);
                    diagnostic.note_at(*before, format!("{how} here before"));
                }
                None => {
                    known.insert(&name.name, name.span);
                }
            }
        }
    }

    fn declare(&mut self, name: &Ident, is_type: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.name.clone(), is_type);
        }
    }

    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push(HashMap::new());
        let depth = self.scopes.len();
        let result = read(self);
        self.scopes.truncate(depth - 1);
        result
    }

    /// The name at this token, if there is one.
    fn peek_name(&self, ahead: usize) -> Option<Rc<str>> {
        match &self.token_at(ahead).kind {
            TokenKind::Identifier(name) => Some(name.clone()),
            TokenKind::Keyword(word) if SOFT_KEYWORDS.contains(word) => Some((*word).into()),
            _ => None,
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek_name(0) {
            Some(name) => {
                let span = self.advance().span;
                Ok(Ident { name, span })
            }
            None => self.fail(what),
        }
    }

    /// A name with an optional leading dot.
    fn path(&mut self, what: &str) -> Parsed<Path> {
        let absolute = self.eat(".");
        let name = self.name(what)?;
        Ok(Path { absolute, name })
    }

    /// Reads items between separators until `end`, which is read too. A separator may stand before the end.
    fn list_until<T>(&mut self, end: &str, what: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(item(self)?);
            if !self.eat(",") && !self.at(end) {
                return self.fail(&format!("',' or '{end}' {what}"));
            }
        }
        Ok(items)
    }
}
