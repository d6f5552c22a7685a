//! The type checker: it gives a program or errors, and the same each time.

use p4_syntax::parser;
use p4_types::warnings::warn;

use super::source::{Preprocessed, on_deep_stack, preprocessed, text};

/// Checks the input's types, twice.
pub fn target(data: &[u8]) {
    let Some(text) = text(data) else { return };
    on_deep_stack(|| {
        if let Some(first) = checked(&text) {
            let second = checked(&text).unwrap_or_default();
            assert_eq!(first, second, "other messages the second time");
        }
    });
}

/// The messages about a program without errors in its syntax.
fn checked(text: &str) -> Option<String> {
    let Preprocessed { tokens, mut diagnostics, sources } = preprocessed(text);
    let tree = parser::parse(&tokens, &mut diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let typed = p4_types::check(&tree, &mut diagnostics);
    assert_eq!(typed.is_none(), diagnostics.has_errors(), "no program exactly if there are errors");
    if let Some(typed) = typed {
        warn(&typed, &mut diagnostics);
    }
    Some(diagnostics.render(&sources))
}
