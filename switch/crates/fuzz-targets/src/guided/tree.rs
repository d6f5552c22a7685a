//! Syntax trees compared.

use p4_syntax::ast::Program;

/// How derived `Debug` begins a place.
const SPAN: &str = "Span { file: FileId(";

/// A tree as text, without places and the space between tokens.
pub fn without_places(tree: &Program) -> String {
    let text = format!("{tree:?}");
    let mut pieces = text.split(SPAN);
    let mut short = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        short.push_str(piece.split_once(" }").map_or(piece, |(_, rest)| rest));
    }
    // Annotations keep tokens.
    short.replace("space_before: true", "space_before: false").replace("starts_line: true", "starts_line: false")
}
