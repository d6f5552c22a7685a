//! The preprocessor: its output, written out as text, gives the same again.

use super::source::{Preprocessed, on_deep_stack, preprocessed, text};
use super::spelling::spelled;

/// Preprocesses the input, and then its own output once more.
pub fn target(data: &[u8]) {
    let Some(text) = text(data) else { return };
    on_deep_stack(|| {
        let Preprocessed { tokens, diagnostics, sources } = preprocessed(&text);
        for token in &tokens {
            let file = sources.file(token.span.file).expect("a token is of a file");
            let place = token.span.start as usize..token.span.end as usize;
            assert!(file.text.get(place).is_some(), "{token:?} is nowhere in '{}'", file.path);
        }
        let shown = diagnostics.render(&sources);
        assert_eq!(shown.is_empty(), diagnostics.count() == 0, "messages and none are confused: {shown}");
        if diagnostics.has_errors() {
            return;
        }
        let Some(again) = spelled(&tokens) else { return };
        let second = preprocessed(&again);
        let shown = second.diagnostics.render(&second.sources);
        assert!(shown.is_empty(), "messages about what the preprocessor gave:\n{shown}\n{again}");
        let kinds = tokens.iter().map(|token| &token.kind).zip(second.tokens.iter().map(|token| &token.kind));
        for (first, second) in kinds {
            assert_eq!(first, second, "the second time in\n{again}");
        }
        assert_eq!(tokens.len(), second.tokens.len(), "tokens, the second time, of\n{again}");
    });
}
