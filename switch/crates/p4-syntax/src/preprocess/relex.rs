//! P4's tokens of the preprocessed text.

use super::output::Output;
use crate::diagnostic::Diagnostics;
use crate::lexer::{Interner, Lexer};
use crate::token::{Token, TokenKind};

/// All tokens of the text, with the places from which they come; without [`TokenKind::End`].
pub fn tokens(output: &Output, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let place = |start: usize, end: usize| output.span(start, end);
    let mut lexer = Lexer::new(output.text(), &place);
    let mut names = Interner::default();
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next(&mut names, diagnostics);
        if token.kind == TokenKind::End {
            return tokens;
        }
        tokens.push(token);
    }
}
