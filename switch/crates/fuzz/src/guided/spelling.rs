//! Tokens written out as text again.

use std::fmt::Write as _;

use p4_syntax::token::{IntLiteral, Token, TokenKind};

/// Text that gives the same tokens, line for line; none where there is no such text.
pub fn spelled(tokens: &[Token]) -> Option<String> {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| &tokens[index]);
        // `>>` is an operator, `> >` is not.
        let joined =
            !token.space_before && before.is_some_and(|before| before.is(">")) && (token.is(">") || token.is(">="));
        text.push_str(match before {
            None => "",
            Some(_) if token.starts_line => " \n",
            Some(_) if joined => "",
            Some(_) => " ",
        });
        match &token.kind {
            // Would be replaced, or be a directive.
            TokenKind::Identifier(name) if matches!(&**name, "__LINE__" | "__FILE__") => return None,
            TokenKind::Symbol("#") => return None,
            TokenKind::Identifier(name) => text.push_str(name),
            TokenKind::Keyword(word) | TokenKind::Symbol(word) => text.push_str(word),
            TokenKind::Integer(literal) => integer(&mut text, literal),
            TokenKind::String(value) => string(&mut text, value),
            TokenKind::Unknown(c) => text.push(*c),
            TokenKind::Newline => {}
            TokenKind::End => break,
        }
    }
    Some(text)
}

fn integer(text: &mut String, literal: &IntLiteral) {
    if let Some((width, signed)) = literal.width {
        let _ = write!(text, "{width}{}", if signed { 's' } else { 'w' });
    }
    text.push_str(match literal.radix {
        2 => "0b",
        8 => "0o",
        16 => "0x",
        _ => "",
    });
    text.push_str(&literal.value.to_str_radix(literal.radix));
}

fn string(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
}
