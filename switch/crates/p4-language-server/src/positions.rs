//! Positions: the protocol's (lines from 0, columns in UTF-16 units) and bytes of a text.

use lsp_types::{Position, Range};

/// The byte that a position stands for; beyond the end of a line, its end.
pub fn offset(text: &str, position: Position) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find('\n') {
            Some(length) => start += length + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].lines().next().unwrap_or("");
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units >= position.character {
            return start + at;
        }
        units += u32::try_from(character.len_utf16()).unwrap_or(1);
    }
    start + line.len()
}

/// The position of a byte.
pub fn position(text: &str, offset: usize) -> Position {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let units = before[start..].encode_utf16().count();
    Position { line: u32::try_from(line).unwrap_or(u32::MAX), character: u32::try_from(units).unwrap_or(u32::MAX) }
}

/// The range from one byte to another.
pub fn range(text: &str, start: usize, end: usize) -> Range {
    Range { start: position(text, start), end: position(text, end.max(start)) }
}

/// The place of a byte of one text in another one that was made from it by changes in one place. A byte of the changed
/// part is at the beginning of that part.
pub fn moved(from: &str, to: &str, offset: usize) -> usize {
    if from == to {
        return offset;
    }
    let (old, new) = (from.as_bytes(), to.as_bytes());
    let prefix = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    if offset <= prefix {
        return offset;
    }
    let most = old.len().min(new.len()) - prefix;
    let suffix = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    if offset + suffix >= old.len() { offset + new.len() - old.len() } else { prefix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf_16() {
        let text = "a\n\u{1F600}b\r\nc";
        let at = |line, character| offset(text, Position { line, character });
        assert_eq!((at(0, 0), at(0, 9), at(1, 2), at(1, 3)), (0, 1, 6, 7));
        assert_eq!(at(7, 0), text.len());
        assert_eq!(position(text, 6), Position { line: 1, character: 2 });
        assert_eq!(position(text, 4), Position { line: 1, character: 0 });
    }

    #[test]
    fn places_move_with_the_text() {
        assert_eq!(moved("abcd", "abXcd", 1), 1);
        assert_eq!(moved("abcd", "abXcd", 3), 4);
        assert_eq!(moved("abXXcd", "abcd", 5), 3);
        assert_eq!(moved("abXXcd", "abcd", 3), 2);
    }
}
