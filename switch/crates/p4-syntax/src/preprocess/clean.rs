//! A file's text as the preprocessor reads it: lines that end in a backslash are joined to the next one.

/// A text without line splices, and where each of its pieces stands in the file.
#[derive(Debug)]
pub struct CleanText {
    /// The text. Its lines end in `\n` alone.
    pub text: String,
    /// Beginnings of pieces: offset here, offset in the file.
    pieces: Vec<(usize, usize)>,
}

impl CleanText {
    /// Joins lines. As in GNU cpp, blanks may stand between the backslash and the line end.
    pub fn new(text: &str) -> Self {
        let mut clean = Self { text: String::with_capacity(text.len()), pieces: vec![(0, 0)] };
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut from = start;
        let mut at = start;
        let bytes = text.as_bytes();
        while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\\' || *byte == b'\r') {
            at += length;
            let skipped = skipped_at(&bytes[at..]);
            if skipped == 0 {
                at += 1;
                continue;
            }
            clean.piece(&text[from..at], from);
            at += skipped;
            from = at;
        }
        clean.piece(&text[from..], from);
        clean
    }

    fn piece(&mut self, piece: &str, from: usize) {
        self.pieces.push((self.text.len(), from));
        self.text.push_str(piece);
    }

    /// Offset in the file of the character at `offset`.
    pub fn in_file(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|(here, _)| *here <= offset);
        let (here, there) = self.pieces[after.max(1) - 1];
        there + (offset - here)
    }
}

/// How many bytes at the beginning of `text` are no part of the clean text: a splice, or the first half of a line end.
fn skipped_at(text: &[u8]) -> usize {
    // A line end is added to a last line without one.
    if text.starts_with(b"\r\n") || text == b"\r" {
        return 1;
    }
    if text[0] != b'\\' {
        return 0;
    }
    let blanks = text[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
    if text.get(1 + blanks) == Some(&b'\n') { blanks + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::CleanText;

    #[test]
    fn lines_are_joined_and_places_kept() {
        let clean = CleanText::new("a\\\nbc \\ \t\r\nd\r\n\\e");
        assert_eq!(clean.text, "abc d\n\\e");
        let places: Vec<usize> = (0..clean.text.len()).map(|offset| clean.in_file(offset)).collect();
        assert_eq!(places, [0, 3, 4, 5, 11, 13, 14, 15]);
        assert_eq!(CleanText::new("a\rb\r").text, "a\rb");
    }
}
