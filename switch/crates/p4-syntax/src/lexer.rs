//! Characters to tokens.

use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::token::{IntLiteral, KEYWORDS, SYMBOLS, Token, TokenKind};
use num_bigint::BigInt;
use std::collections::HashSet;
use std::rc::Rc;

/// Keeps one copy of each name.
#[derive(Debug, Default)]
pub struct Interner {
    names: HashSet<Rc<str>>,
}

impl Interner {
    /// The shared copy of `text`.
    pub fn intern(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name: Rc<str> = text.into();
        self.names.insert(name.clone());
        name
    }
}

/// Reads the tokens of a preprocessed text.
pub struct Lexer<'a> {
    text: &'a str,
    /// Where a piece of the text comes from.
    place: &'a dyn Fn(usize, usize) -> Span,
    position: usize,
    at_line_start: bool,
}

impl<'a> Lexer<'a> {
    /// At the beginning of a text; `place` says where the piece from one offset to another one (exclusive) comes from.
    pub fn new(text: &'a str, place: &'a dyn Fn(usize, usize) -> Span) -> Self {
        Self { text, place, position: 0, at_line_start: true }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.position += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    fn span_from(&self, start: usize) -> Span {
        (self.place)(start, self.position)
    }

    /// The next token; at the end of the text, [`TokenKind::End`] for ever.
    pub fn next(&mut self, names: &mut Interner, diagnostics: &mut Diagnostics) -> Token {
        let before = self.position;
        let starts_line = self.skip_space(diagnostics) || before == 0;
        let start = self.position;
        let kind = self.scan(names, diagnostics);
        self.at_line_start = false;
        Token { kind, span: self.span_from(start), space_before: start > before, starts_line }
    }

    /// Skips white space, comments, and lines that begin with `#`. The lines of that kind that the preprocessor leaves
    /// are line markers, and comments of the program. True if a line ends in the skipped text.
    fn skip_space(&mut self, diagnostics: &mut Diagnostics) -> bool {
        let mut line_ends = false;
        loop {
            let rest = self.rest();
            if rest.starts_with("//") || (self.at_line_start && rest.starts_with('#')) {
                self.take_while(|c| c != '\n');
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let length = inside.find("*/").map(|inner| inner + 4);
                if length.is_none() {
                    let span = (self.place)(self.position, self.position + 2);
                    diagnostics.error(span, "this comment is never closed; expected '*/'");
                }
                let comment = &rest[..length.unwrap_or(rest.len())];
                line_ends |= comment.contains('\n');
                self.at_line_start = false;
                self.position += comment.len();
            } else {
                match self.peek() {
                    Some('\n') => {
                        self.bump();
                        self.at_line_start = true;
                        line_ends = true;
                    }
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                        self.bump();
                    }
                    _ => return line_ends,
                }
            }
        }
    }

    fn scan(&mut self, names: &mut Interner, diagnostics: &mut Diagnostics) -> TokenKind {
        let Some(first) = self.peek() else {
            return TokenKind::End;
        };
        if first.is_ascii_alphabetic() || first == '_' {
            return self.scan_word(names);
        }
        if first.is_ascii_digit() {
            return self.scan_number(diagnostics);
        }
        if first == '"' {
            return self.scan_string(diagnostics);
        }
        for symbol in SYMBOLS {
            if self.rest().starts_with(symbol) {
                self.position += symbol.len();
                return TokenKind::Symbol(symbol);
            }
        }
        self.bump();
        TokenKind::Unknown(first)
    }

    fn scan_word(&mut self, names: &mut Interner) -> TokenKind {
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if word == "_" {
            return TokenKind::Symbol("_");
        }
        match KEYWORDS.iter().find(|keyword| **keyword == word) {
            Some(keyword) => TokenKind::Keyword(keyword),
            None => TokenKind::Identifier(names.intern(word)),
        }
    }

    fn scan_string(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.position;
        self.bump();
        let mut value = String::new();
        loop {
            match self.bump() {
                Some('"') => return TokenKind::String(value.into()),
                Some('\\') => match self.bump() {
                    Some('n') => value.push('\n'),
                    Some('r') => value.push('\r'),
                    Some('t') => value.push('\t'),
                    Some(c @ ('"' | '\\')) => value.push(c),
                    Some('\n') => {}
                    Some(c) => {
                        value.push('\\');
                        value.push(c);
                    }
                    None => {}
                },
                Some(c) => value.push(c),
                None => {
                    let span = (self.place)(start, start + 1);
                    diagnostics.error(span, "this string is never closed; expected '\"'");
                    return TokenKind::String(value.into());
                }
            }
        }
    }

    fn scan_number(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.position;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        match parse_number(word) {
            Ok(literal) => TokenKind::Integer(literal),
            Err(why) => {
                diagnostics.error(self.span_from(start), format!("'{word}' is not a number: {why}"));
                TokenKind::Integer(IntLiteral { value: BigInt::from(0), width: None, radix: 10, spelling: word.into() })
            }
        }
    }
}

/// Widths above this are refused, as they only come from mistakes and would cost a lot of memory.
pub const MAX_WIDTH: u32 = 1 << 20;

/// Reads `[width('w'|'s')][0x|0o|0b|0d]digits`.
pub fn parse_number(text: &str) -> Result<IntLiteral, String> {
    let prefix_length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (prefix, rest) = text.split_at(prefix_length);
    let mut chars = rest.chars();
    match chars.next() {
        Some(sign @ ('w' | 's')) => {
            let width: u32 = prefix
                .parse()
                .ok()
                .filter(|width| *width <= MAX_WIDTH)
                .ok_or_else(|| format!("a width can be at most {MAX_WIDTH}"))?;
            let (value, radix) = parse_digits(chars.as_str())?;
            Ok(IntLiteral { value, width: Some((width, sign == 's')), radix, spelling: text.into() })
        }
        _ => {
            let (value, radix) = parse_digits(text)?;
            Ok(IntLiteral { value, width: None, radix, spelling: text.into() })
        }
    }
}

/// Reads digits after their base prefix; `_` may stand between them.
fn parse_digits(text: &str) -> Result<(BigInt, u32), String> {
    let lower = text.get(..2).unwrap_or("").to_ascii_lowercase();
    let (radix, name, digits) = match lower.as_str() {
        "0x" => (16, "hexadecimal", &text[2..]),
        "0b" => (2, "binary", &text[2..]),
        "0o" => (8, "octal", &text[2..]),
        "0d" => (10, "decimal", &text[2..]),
        _ => (10, "decimal", text),
    };
    if let Some(bad) = digits.chars().find(|c| *c != '_' && !c.is_digit(radix)) {
        return Err(format!("'{bad}' is not a {name} digit"));
    }
    let clean: String = digits.chars().filter(|c| *c != '_').collect();
    if clean.len() > (MAX_WIDTH as usize) / 4 {
        return Err("it has too many digits".to_owned());
    }
    let value = BigInt::parse_bytes(clean.as_bytes(), radix).ok_or_else(|| format!("expected {name} digits"))?;
    Ok((value, radix))
}
