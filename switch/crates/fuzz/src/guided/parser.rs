//! The parser: the same tokens laid out in another way are the same program, with the same messages.

use p4_syntax::{Diagnostics, parser};

use super::source::{Preprocessed, on_deep_stack, preprocessed, said, text};
use super::spelling::spelled;
use super::tree::without_places;

/// Parses the input, and its tokens written out again.
pub fn target(data: &[u8]) {
    let Some(text) = text(data) else { return };
    on_deep_stack(|| {
        let Preprocessed { tokens, mut diagnostics, sources } = preprocessed(&text);
        let is_clean = diagnostics.count() == 0;
        let tree = parser::parse(&tokens, &mut diagnostics);
        let shown = diagnostics.render(&sources);
        let again = if is_clean { spelled(&tokens) } else { None };
        let Some(again) = again else { return };
        let Preprocessed { tokens, diagnostics: mut messages, .. } = preprocessed(&again);
        let second = parse_again(&tokens, &mut messages);
        assert_eq!(said(&diagnostics), said(&messages), "messages, the second time (at first: {shown}) in\n{again}");
        assert_eq!(without_places(&tree), second, "the tree, the second time, of\n{again}");
    });
}

fn parse_again(tokens: &[p4_syntax::token::Token], messages: &mut Diagnostics) -> String {
    without_places(&parser::parse(tokens, messages))
}
