//! Tokens written out as text again.

use p4_syntax::token::{Token, TokenKind};

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
            // Would join its line and the next one.
            TokenKind::Unknown('\\') if tokens.get(index + 1).is_none_or(|next| next.starts_line) => return None,
            TokenKind::Identifier(name) => text.push_str(name),
            TokenKind::Keyword(word) | TokenKind::Symbol(word) => text.push_str(word),
            TokenKind::Integer(literal) => text.push_str(&literal.spelling),
            TokenKind::String(value) => string(&mut text, value),
            TokenKind::Unknown(c) => text.push(*c),
            TokenKind::End => break,
        }
    }
    Some(text)
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
