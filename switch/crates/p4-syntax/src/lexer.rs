//! Characters to tokens, one file at a time.

use crate::diagnostic::Diagnostics;
use crate::source::{FileId, Span};
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

/// Reads the tokens of one file, with [`TokenKind::Newline`] at each line end.
#[derive(Debug)]
pub struct Lexer {
    file: FileId,
    text: Rc<str>,
    position: usize,
    at_line_start: bool,
}

impl Lexer {
    /// At the beginning of a file's text.
    pub fn new(file: FileId, text: Rc<str>) -> Self {
        Self { file, text, position: 0, at_line_start: true }
    }

    /// The file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Offset of the next character.
    pub fn position(&self) -> usize {
        self.position
    }

    fn rest(&self) -> &str {
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

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> Rc<str> {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let taken: Rc<str> = rest[..length].into();
        self.position += length;
        taken
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.file, start, self.position)
    }

    /// The next token; at the end of the text, [`TokenKind::End`] for ever.
    pub fn next(&mut self, names: &mut Interner, diagnostics: &mut Diagnostics) -> Token {
        let space_before = self.skip_space(diagnostics);
        let start = self.position;
        let starts_line = self.at_line_start;
        let kind = self.scan(names, diagnostics);
        self.at_line_start = kind == TokenKind::Newline;
        Token { kind, span: self.span_from(start), space_before, starts_line }
    }

    /// Skips the rest of the line (its line end included) without making tokens of it; comments that go on over
    /// several lines are skipped whole.
    pub fn skip_line(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                self.skip_block_comment();
            } else if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("\\\n") {
                self.position += 2;
            } else if rest.starts_with("\\\r\n") {
                self.position += 3;
            } else {
                match self.bump() {
                    None | Some('\n') => break,
                    Some(_) => {}
                }
            }
        }
        self.at_line_start = true;
    }

    /// Is all text read?
    pub fn at_end(&self) -> bool {
        self.position >= self.text.len()
    }

    /// If the line that begins here is a directive: reads `#` and its word, and gives the word.
    pub fn peek_directive(&mut self) -> Option<String> {
        let rest = self.rest();
        let line = rest.trim_start_matches([' ', '\t', '\r']);
        let after = line.strip_prefix('#')?.trim_start_matches([' ', '\t']);
        let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let word = after[..length].to_owned();
        self.position += rest.len() - after.len() + length;
        self.at_line_start = false;
        Some(word)
    }

    /// After a `#`: is there a word, a number, nothing, or a comment?
    pub fn may_be_directive(&self) -> bool {
        let line = self.rest().trim_start_matches([' ', '\t', '\r']);
        line.is_empty() || line.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '\\' | '\n'))
    }

    /// The text up to the end of the line, which stays to be read.
    pub fn rest_of_line(&mut self) -> Rc<str> {
        self.take_while(|c| c != '\n')
    }

    /// Skips `/* … */`; false if it does not end.
    fn skip_block_comment(&mut self) -> bool {
        let rest = self.rest();
        match rest.get(2..).and_then(|inner| inner.find("*/")) {
            Some(length) => {
                self.position += length + 4;
                true
            }
            None => {
                self.position = self.text.len();
                false
            }
        }
    }

    fn skip_space(&mut self, diagnostics: &mut Diagnostics) -> bool {
        let start = self.position;
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                let opened = self.position;
                if !self.skip_block_comment() {
                    let span = Span::new(self.file, opened, opened + 2);
                    diagnostics.error(span, "this comment is never closed; expected '*/'");
                }
            } else if rest.starts_with("\\\n") {
                self.position += 2;
            } else if rest.starts_with("\\\r\n") {
                self.position += 3;
            } else {
                match self.peek() {
                    Some(c) if c != '\n' && c.is_whitespace() => {
                        self.bump();
                    }
                    Some('\u{feff}') => {
                        self.bump();
                    }
                    _ => return self.position > start,
                }
            }
        }
    }

    fn scan(&mut self, names: &mut Interner, diagnostics: &mut Diagnostics) -> TokenKind {
        let Some(first) = self.peek() else {
            return TokenKind::End;
        };
        if first == '\n' {
            self.bump();
            return TokenKind::Newline;
        }
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
        if &*word == "_" {
            return TokenKind::Symbol("_");
        }
        match KEYWORDS.iter().find(|keyword| **keyword == &*word) {
            Some(keyword) => TokenKind::Keyword(keyword),
            None => TokenKind::Identifier(names.intern(&word)),
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
                    let span = Span::new(self.file, start, start + 1);
                    diagnostics.error(span, "this string is never closed; expected '\"'");
                    return TokenKind::String(value.into());
                }
            }
        }
    }

    fn scan_number(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.position;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        match parse_number(&word) {
            Ok(literal) => TokenKind::Integer(literal),
            Err(why) => {
                diagnostics.error(self.span_from(start), format!("'{word}' is not a number: {why}"));
                TokenKind::Integer(IntLiteral { value: BigInt::from(0), width: None, radix: 10 })
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
            Ok(IntLiteral { value, width: Some((width, sign == 's')), radix })
        }
        _ => {
            let (value, radix) = parse_digits(text)?;
            Ok(IntLiteral { value, width: None, radix })
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
