//! The parser: the same tokens laid out in another way are the same program, with the same messages.

use p4_syntax::parser;
use p4_syntax::token::Token;

use super::source::{Preprocessed, on_deep_stack, preprocessed, said, text};
use super::spelling::spelled;
use super::tree::without_places;

/// Parses the input, and its tokens written out again.
pub fn target(data: &[u8]) {
    let Some(text) = text(data) else { return };
    on_deep_stack(|| {
        let Preprocessed { tokens, diagnostics: mut messages, sources } = preprocessed(&text);
        let again = if messages.count() == 0 { spelled(&tokens) } else { None };
        let tree = parser::parse(&tokens, &mut messages);
        let shown = messages.render(&sources);
        let Some(again) = again else { return };
        let second = preprocessed(&again);
        let mut said_again = second.diagnostics;
        let tree_again = parser::parse(&second.tokens, &mut said_again);
        assert_eq!(
            messages.has_errors(),
            said_again.has_errors(),
            "at first: {shown}the second time otherwise:\n{again}"
        );
        if messages.has_errors() && !in_order(&tokens) {
            return;
        }
        assert_eq!(said(&messages), said(&said_again), "messages, the second time, of\n{again}");
        assert_eq!(without_places(&tree), without_places(&tree_again), "the tree, the second time, of\n{again}");
    });
}

/// Whether each token is behind the one before. Tokens of macros and other files are not. Messages are told in the
/// order of places, and one about the same place only once.
fn in_order(tokens: &[Token]) -> bool {
    tokens.is_sorted_by(|one, next| one.span.file == next.span.file && one.span.end <= next.span.start)
}
