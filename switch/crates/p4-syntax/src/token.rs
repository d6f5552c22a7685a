//! Tokens.

use crate::source::Span;
use num_bigint::BigInt;
use std::rc::Rc;

/// An integer literal: `5`, `8w0xff`, `4s3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntLiteral {
    /// The number written.
    pub value: BigInt,
    /// Width and sign of a prefix: `8w` is (8, false), `8s` is (8, true).
    pub width: Option<(u32, bool)>,
    /// The base it is written in: 2, 8, 10 or 16.
    pub radix: u32,
    /// As it is written: `007`, `8w0xFF`.
    pub spelling: Rc<str>,
}

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name that is not a keyword.
    Identifier(Rc<str>),
    /// A keyword.
    Keyword(&'static str),
    /// An operator or bracket.
    Symbol(&'static str),
    /// An integer literal.
    Integer(IntLiteral),
    /// A string literal, escapes resolved.
    String(Rc<str>),
    /// A character that no token begins with.
    Unknown(char),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Where it is. Tokens out of a macro have the place of the macro's use.
    pub span: Span,
    /// White space or a comment stands before it.
    pub space_before: bool,
    /// It is the first on its line.
    pub starts_line: bool,
}

impl Token {
    /// True for this keyword or symbol.
    pub fn is(&self, text: &str) -> bool {
        match &self.kind {
            TokenKind::Keyword(word) | TokenKind::Symbol(word) => *word == text,
            _ => false,
        }
    }

    /// The words for it in a message.
    pub fn describe(&self) -> String {
        match &self.kind {
            TokenKind::Identifier(name) => format!("'{name}'"),
            TokenKind::Keyword(word) => format!("keyword '{word}'"),
            TokenKind::Symbol(text) => format!("'{text}'"),
            TokenKind::Integer(literal) => format!("number {}", literal.value),
            TokenKind::String(_) => "a string".to_owned(),
            TokenKind::Unknown(c) => format!("character '{c}'"),
            TokenKind::End => "end of file".to_owned(),
        }
    }
}

/// Words that are never names.
pub const KEYWORDS: &[&str] = &[
    "abstract",
    "action",
    "actions",
    "apply",
    "bit",
    "bool",
    "break",
    "const",
    "continue",
    "control",
    "default",
    "else",
    "entries",
    "enum",
    "error",
    "exit",
    "extern",
    "false",
    "for",
    "header",
    "header_union",
    "if",
    "in",
    "inout",
    "int",
    "key",
    "list",
    "match_kind",
    "out",
    "package",
    "parser",
    "priority",
    "return",
    "select",
    "state",
    "string",
    "struct",
    "switch",
    "table",
    "this",
    "transition",
    "true",
    "tuple",
    "type",
    "typedef",
    "value_set",
    "varbit",
    "void",
];

/// Keywords that may be used as names where no keyword is meant.
pub const SOFT_KEYWORDS: &[&str] = &["actions", "apply", "entries", "key", "list", "priority", "state", "type"];

/// All symbols, longer ones before their prefixes. `>>` is not among them: the parser joins two `>`, because
/// `tuple<bit<8>>` ends with two closing brackets.
pub const SYMBOLS: &[&str] = &[
    "|+|=", "|-|=", "{#}", "&&&", "|+|", "|-|", "...", "<<=", "..", "<<", "&&", "||", "==", "!=", ">=", "<=", "++",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+:", "+", "-", "*", "/", "%", "|", "&", "^", "~", "(", ")", "[",
    "]", "{", "}", "<", ">", "!", ":", ",", "?", ".", "=", ";", "@", "#", "_",
];
