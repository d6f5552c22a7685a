//! A file's text as pieces: words, symbols, comments and directives, whether or not it is a program.

use p4_syntax::token::SYMBOLS;

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// An operator or bracket.
    Symbol,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// A line of the preprocessor's.
    Directive,
}

/// A piece and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Its kind.
    pub piece: Piece,
    /// Its first byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// A text and its pieces.
#[derive(Clone, Copy, Debug)]
pub struct Scanned<'t> {
    /// The text.
    pub text: &'t str,
    /// All pieces that are no comments.
    pub tokens: &'t [Token],
    /// All comments.
    pub comments: &'t [Token],
}

impl<'t> Scanned<'t> {
    /// The text of a piece; empty beyond the ends.
    pub fn word(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| &self.text[token.start..token.end])
    }

    /// Number of the first piece that ends after a byte.
    pub fn after(&self, offset: usize) -> usize {
        self.tokens.partition_point(|token| token.end <= offset)
    }

    /// The word that a byte is in or at the end of.
    pub fn word_at(&self, offset: usize) -> Option<usize> {
        let touches = |index: &usize| {
            let token = self.tokens[*index];
            token.piece == Piece::Word && token.start <= offset && offset <= token.end
        };
        let after = self.after(offset);
        [Some(after), after.checked_sub(1)]
            .into_iter()
            .flatten()
            .filter(|index| *index < self.tokens.len())
            .find(touches)
    }

    /// Is a byte in a comment, a string or a directive?
    pub fn is_no_code(&self, offset: usize) -> bool {
        let is_inside = |token: &Token| token.start < offset && offset < token.end;
        let is_line = |token: &Token| {
            let is_open = self.text[token.start..].starts_with("//") || token.piece == Piece::Directive;
            is_inside(token) || is_open && offset == token.end
        };
        let others = self.tokens.iter().filter(|token| matches!(token.piece, Piece::String | Piece::Directive));
        self.comments.iter().chain(others).any(is_line)
    }

    /// The piece that the declaration of the name at a piece begins with.
    pub fn declaration_start(&self, name: usize) -> usize {
        let mut depth = 0usize;
        let mut index = name;
        while index > 0 {
            match self.word(index - 1) {
                ")" | "]" => depth += 1,
                "(" | "[" if depth == 0 => break,
                "(" | "[" => depth -= 1,
                ";" | "{" | "}" if depth == 0 => break,
                "," if depth == 0 && !self.is_in_angles(index - 1, name) => break,
                _ if self.tokens[index - 1].piece == Piece::Directive => break,
                _ => {}
            }
            index -= 1;
        }
        index
    }

    /// Is a comma one of type arguments, as in `tuple<a, b> name`?
    fn is_in_angles(&self, comma: usize, name: usize) -> bool {
        let closed = (comma..name).filter(|index| self.word(*index) == ">").count();
        let opened = (comma..name).filter(|index| self.word(*index) == "<").count();
        closed > opened
    }

    /// The last piece of the declaration of the name at a piece. `has_body`: a body in braces ends it.
    pub fn declaration_end(&self, name: usize, has_body: bool) -> usize {
        let mut depth = 0usize;
        // Type parameters come right behind the name.
        let mut is_in_angles = false;
        for index in name..self.tokens.len() {
            match self.word(index) {
                "<" if index == name + 1 => is_in_angles = true,
                ">" => is_in_angles = false,
                "," if is_in_angles => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" if depth == 0 => return index.saturating_sub(1).max(name),
                "}" if depth == 1 && has_body => return index,
                ")" | "]" | "}" => depth -= 1,
                ";" if depth == 0 => return index,
                "," if depth == 0 => return index.saturating_sub(1).max(name),
                _ => {}
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// The comment that belongs to a declaration from one piece to another: it stands on the lines before it, or behind
    /// it on its last line.
    pub fn comment_of(&self, first: usize, last: usize) -> Option<String> {
        let (first, last) = (self.tokens.get(first)?, self.tokens.get(last)?);
        let mut lines: Vec<&str> = Vec::new();
        let mut start = first.start;
        for comment in self.comments.iter().rev().skip_while(|comment| comment.end > first.start) {
            let between = &self.text[comment.end..start];
            let line_start = self.text[..comment.start].rfind('\n').map_or(0, |at| at + 1);
            let is_alone = self.text[line_start..comment.start].trim().is_empty();
            if !is_alone || !between.trim().is_empty() || between.matches('\n').count() > 1 {
                break;
            }
            lines.push(&self.text[comment.start..comment.end]);
            start = comment.start;
        }
        lines.reverse();
        if lines.is_empty() {
            let behind = self.comments.iter().find(|comment| comment.start >= last.end)?;
            let between = &self.text[last.end..behind.start];
            if between.contains('\n') || !between.chars().all(|c| c.is_whitespace() || c == ',' || c == ';') {
                return None;
            }
            lines.push(&self.text[behind.start..behind.end]);
        }
        Some(plain(&lines))
    }
}

/// Comments without what makes them comments.
fn plain(comments: &[&str]) -> String {
    let mut lines = Vec::new();
    for comment in comments {
        if let Some(line) = comment.strip_prefix("//") {
            lines.push(line.trim_start_matches('/').trim());
        } else {
            let inner = comment.strip_prefix("/*").unwrap_or(comment);
            let inner = inner.strip_suffix("*/").unwrap_or(inner).trim_start_matches('*');
            lines.extend(inner.lines().map(|line| line.trim().trim_start_matches('*').trim()));
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The pieces of a text: those that are no comments, and the comments.
pub fn scan(text: &str) -> (Vec<Token>, Vec<Token>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    let mut start = 0;
    let mut is_line_start = true;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        if first.is_whitespace() {
            is_line_start |= first == '\n';
            start += first.len_utf8();
            continue;
        }
        let (piece, length) = piece(rest, first, is_line_start);
        is_line_start = false;
        let token = Token { piece, start, end: start + length };
        if piece == Piece::Comment {
            comments.push(token)
        } else {
            tokens.push(token)
        }
        start += length;
    }
    (tokens, comments)
}

fn piece(rest: &str, first: char, is_line_start: bool) -> (Piece, usize) {
    let run = |keep: &dyn Fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
    if rest.starts_with("//") {
        return (Piece::Comment, run(&|c| c != '\n'));
    }
    if let Some(inner) = rest.strip_prefix("/*") {
        return (Piece::Comment, inner.find("*/").map_or(rest.len(), |length| length + 4));
    }
    if first == '#' && is_line_start {
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            length += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        return (Piece::Directive, rest[..length].trim_end().len().max(1));
    }
    if first == '"' {
        let mut is_escaped = false;
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                '\n' => return (Piece::String, at),
                '"' if !is_escaped => return (Piece::String, at + 1),
                _ => is_escaped = character == '\\' && !is_escaped,
            }
        }
        return (Piece::String, rest.len());
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if is_word(first) {
        let piece = if first.is_ascii_digit() { Piece::Number } else { Piece::Word };
        return (piece, run(&is_word));
    }
    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
    (Piece::Symbol, symbol.map_or(first.len_utf8(), |symbol| symbol.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        scan(text).0.iter().map(|token| &text[token.start..token.end]).collect()
    }

    #[test]
    fn any_text_has_pieces() {
        assert_eq!(
            words("a.b(8w0x1) // c\n#include <x>\n\"d;\" é"),
            ["a", ".", "b", "(", "8w0x1", ")", "#include <x>", "\"d;\"", "é"]
        );
        assert_eq!(words("/* open"), Vec::<&str>::new());
        assert_eq!(words("\"open"), ["\"open"]);
    }

    #[test]
    fn comments_belong_to_declarations() {
        let text = "// far\n\n// one\n// two\nbit<8> a; // behind\nbit<8> b; // b's\n";
        let (tokens, comments) = scan(text);
        let scanned = Scanned { text, tokens: &tokens, comments: &comments };
        let of = |name: &str| {
            let index = (0..tokens.len()).find(|index| scanned.word(*index) == name).unwrap_or(0);
            scanned.comment_of(scanned.declaration_start(index), scanned.declaration_end(index, false))
        };
        assert_eq!(of("a").as_deref(), Some("one\ntwo"));
        assert_eq!(of("b").as_deref(), Some("b's"));
    }

    #[test]
    fn declarations_have_ends() {
        let text = "tuple<bit, bit> t; package S<H, M>(P<H, M> p, D<M> d); action a(in bit x) { f({1}); } bit z;";
        let (tokens, comments) = scan(text);
        let scanned = Scanned { text, tokens: &tokens, comments: &comments };
        let of = |name: &str, has_body: bool| {
            let index = (0..tokens.len()).find(|index| scanned.word(*index) == name).unwrap_or(0);
            let (first, last) = (scanned.declaration_start(index), scanned.declaration_end(index, has_body));
            &text[tokens[first].start..tokens[last].end]
        };
        assert_eq!(of("t", false), "tuple<bit, bit> t;");
        assert_eq!(of("S", false), "package S<H, M>(P<H, M> p, D<M> d);");
        assert_eq!(of("d", false), "D<M> d");
        assert_eq!(of("x", false), "in bit x");
        assert_eq!(of("a", true), "action a(in bit x) { f({1}); }");
    }
}
