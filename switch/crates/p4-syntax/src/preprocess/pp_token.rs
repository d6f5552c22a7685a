//! Preprocessing tokens: those of C, which the preprocessor works on, before P4's are made of its output.

use crate::source::Span;
use std::rc::Rc;

/// The kinds of preprocessing tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PpKind {
    /// A name; P4's keywords are names as well.
    Name,
    /// Any token that begins with a digit, or with a dot and a digit: `8w0xff`, `1.5`, `1..2`.
    Number,
    /// `"…"`
    String,
    /// `'…'`
    Char,
    /// An operator or bracket of C.
    Punctuator,
    /// A comment, where comments are kept.
    Comment,
    /// Any other character; a quote that is not closed on its line, with the rest of the line.
    Other,
    /// No token: how the next one is spaced.
    Padding,
    /// The end of the file, of the directive, or of a macro's argument.
    End,
}

/// A preprocessing token.
#[derive(Clone, Debug)]
pub struct PpToken {
    /// Its kind.
    pub kind: PpKind,
    /// Its spelling.
    pub text: Rc<str>,
    /// Where it stands; for tokens of a macro's body, where the macro is used.
    pub span: Span,
    /// Its line, as `#line` counts them; for tokens that a macro expands to, the line where the macro is used.
    pub line: u32,
    /// White space stands before it.
    pub space_before: bool,
    /// It is the first of its line.
    pub starts_line: bool,
    /// The name of a macro that was met inside its own expansion: it stays.
    pub no_expand: bool,
    /// `##` stands after it.
    pub pastes_right: bool,
    /// For padding: does the token that it stands for have white space before it? None: it only keeps two tokens apart.
    pub padding: Option<bool>,
}

impl PpToken {
    /// A token that stands nowhere in particular.
    pub fn new(kind: PpKind, text: Rc<str>, span: Span, line: u32) -> Self {
        Self {
            kind,
            text,
            span,
            line,
            space_before: false,
            starts_line: false,
            no_expand: false,
            pastes_right: false,
            padding: None,
        }
    }

    /// Padding: `source` as [`PpToken::padding`].
    pub fn padding(source: Option<bool>, place: &PpToken) -> Self {
        Self { padding: source, ..Self::new(PpKind::Padding, "".into(), place.span, place.line) }
    }

    /// Is it this punctuator?
    pub fn is(&self, text: &str) -> bool {
        self.kind == PpKind::Punctuator && &*self.text == text
    }

    /// The words for it in a message.
    pub fn describe(&self) -> String {
        match self.kind {
            PpKind::End => "end of line".to_owned(),
            PpKind::Number => format!("number {}", self.text),
            _ => format!("'{}'", self.text),
        }
    }
}

/// C's operators and brackets, longer ones before their prefixes.
const PUNCTUATORS: &[&str] = &[
    "...", "<<=", ">>=", "##", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
    "+=", "-=", "&=", "^=", "|=", "[", "]", "(", ")", "{", "}", ".", "&", "*", "+", "-", "~", "!", "/", "%", "<", ">",
    "^", "|", "?", ":", ";", "=", ",", "#",
];

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The token at the beginning of `text`, which is no white space and no comment; and its length in bytes.
pub fn scan(text: &str) -> (PpKind, usize) {
    let bytes = text.as_bytes();
    let first = bytes.first().copied().unwrap_or(b' ');
    let second = bytes.get(1).copied().unwrap_or(b' ');
    match first {
        b'L' if second == b'"' || second == b'\'' => literal(bytes, 1),
        b'"' | b'\'' => literal(bytes, 0),
        b'.' if second.is_ascii_digit() => (PpKind::Number, number(bytes)),
        _ if first.is_ascii_digit() => (PpKind::Number, number(bytes)),
        _ if is_word(first) => (PpKind::Name, bytes.iter().take_while(|byte| is_word(**byte)).count()),
        _ => match PUNCTUATORS.iter().find(|punctuator| text.starts_with(**punctuator)) {
            Some(punctuator) => (PpKind::Punctuator, punctuator.len()),
            None => (PpKind::Other, text.chars().next().map_or(0, char::len_utf8)),
        },
    }
}

fn number(bytes: &[u8]) -> usize {
    let mut length = 1;
    while let Some(byte) = bytes.get(length) {
        let signed = matches!(byte, b'+' | b'-') && matches!(bytes[length - 1], b'e' | b'E' | b'p' | b'P');
        if !(signed || is_word(*byte) || *byte == b'.') {
            break;
        }
        length += 1;
    }
    length
}

/// A string or character; the quote stands at `quote`.
fn literal(bytes: &[u8], quote: usize) -> (PpKind, usize) {
    let end = bytes[quote];
    let mut at = quote + 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return (PpKind::Other, at),
            Some(b'\\') if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => at += 2,
            Some(byte) if *byte == end => {
                return (if end == b'"' { PpKind::String } else { PpKind::Char }, at + 1);
            }
            Some(_) => at += 1,
        }
    }
}

/// Would these two be read otherwise if nothing stood between them? Too cautious in places, exactly as GNU cpp is.
pub fn need_space(left: &PpToken, right: &PpToken) -> bool {
    let right_is = |kinds: &[PpKind]| kinds.contains(&right.kind);
    let next = match right.kind {
        PpKind::Punctuator => right.text.bytes().next().unwrap_or(b' '),
        _ => b' ',
    };
    match left.kind {
        PpKind::Name => {
            right_is(&[PpKind::Name, PpKind::Char, PpKind::String])
                || (right.kind == PpKind::Number && right.text.bytes().all(is_word))
        }
        PpKind::Number => right_is(&[PpKind::Number, PpKind::Name, PpKind::Char]) || matches!(next, b'.' | b'+' | b'-'),
        PpKind::Other => left.text.starts_with('\\') && right.kind == PpKind::Name,
        PpKind::Punctuator => match &*left.text {
            "=" | "!" | "*" | "^" | "<<" | ">>" => next == b'=',
            ">" => matches!(next, b'=' | b'>'),
            "<" => matches!(next, b'=' | b'<' | b'%' | b':'),
            "+" => matches!(next, b'=' | b'+'),
            "-" => matches!(next, b'=' | b'-' | b'>'),
            "/" => matches!(next, b'=' | b'/' | b'*'),
            "%" => matches!(next, b'=' | b':' | b'%'),
            "&" => matches!(next, b'=' | b'&'),
            "|" => matches!(next, b'=' | b'|'),
            ":" => matches!(next, b':' | b'>'),
            "->" => next == b'*',
            "." => matches!(next, b'.' | b'%') || right.kind == PpKind::Number,
            "#" => matches!(next, b'#' | b'%'),
            "<=" => next == b'>',
            _ => false,
        },
        _ => false,
    }
}
