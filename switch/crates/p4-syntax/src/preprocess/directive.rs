//! The lines that begin with `#`.

use super::{EMBEDDED, Group, MAX_INCLUDE_DEPTH, Preprocessor, Reader, condition};
use crate::kind::Kind;
use crate::source::Span;
use crate::token::{IntLiteral, Token, TokenKind};
use num_traits::ToPrimitive;
use std::path::{Path, PathBuf};
use std::rc::Rc;

impl Preprocessor<'_> {
    /// Works on the line after its `#`. Lines that are no directives are comments, as in P4's usual preprocessor, whose language is not C.
    pub(super) fn directive(&mut self, reader: &mut Reader, hash: &Token) {
        if !reader.lexer.may_be_directive() {
            reader.lexer.skip_line();
            return;
        }
        let word = self.next_token(reader);
        let name = match &word.kind {
            TokenKind::Identifier(name) => name.to_string(),
            TokenKind::Keyword(word) => (*word).to_owned(),
            TokenKind::Newline | TokenKind::End => return,
            TokenKind::Integer(_) => {
                self.line_marker(reader, Some(word));
                return;
            }
            _ => {
                reader.lexer.skip_line();
                return;
            }
        };
        let place = hash.span.to(word.span);
        match name.as_str() {
            "include" => self.include(reader, place),
            "define" => self.define(reader, place),
            "undef" => {
                let line = self.rest_of_directive(reader);
                match line.first().map(|token| &token.kind) {
                    Some(TokenKind::Identifier(name)) => self.macros.undefine(name),
                    _ => {
                        self.diagnostics.error(place, "expected a name after '#undef'");
                    }
                }
            }
            "if" | "ifdef" | "ifndef" => {
                let taken = self.condition(reader, &name, place);
                self.open_group(reader, place, taken);
            }
            "elif" | "else" | "endif" => {
                // Reached only from a branch that was taken.
                reader.lexer.skip_line();
                self.next_branch(reader, &name, place);
            }
            "error" | "warning" => {
                let text = reader.lexer.rest_of_line();
                let text = format!("#{name}: {}", text.trim());
                if name == "error" {
                    self.diagnostics.error(place, text);
                } else {
                    self.diagnostics.warning(place, text);
                }
            }
            "line" => self.line_marker(reader, None),
            "pragma" => reader.lexer.skip_line(),
            _ => {
                reader.lexer.skip_line();
                if !word.space_before {
                    let message = format!("unknown directive '#{name}': the line is skipped");
                    self.diagnostics.warning(place, message).help(
                        "known are include, define, undef, if, ifdef, ifndef, elif, else, endif, line, error, warning, pragma",
                    );
                }
            }
        }
    }

    /// The tokens up to the end of the line.
    fn rest_of_directive(&mut self, reader: &mut Reader) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            let token = self.next_token(reader);
            match token.kind {
                TokenKind::Newline | TokenKind::End => return tokens,
                _ => tokens.push(token),
            }
        }
    }

    fn define(&mut self, reader: &mut Reader, place: Span) {
        let line = self.rest_of_directive(reader);
        let name: Rc<str> = match line.first().map(|token| &token.kind) {
            Some(TokenKind::Identifier(name)) => name.clone(),
            Some(TokenKind::Keyword(word)) => {
                let message = format!("'{word}' is a keyword, it cannot be the name of a macro");
                self.diagnostics.error(place, message);
                return;
            }
            _ => {
                self.diagnostics.error(place, "expected a name after '#define'");
                return;
            }
        };
        let body = line.get(1..).unwrap_or(&[]);
        let has_params = body.first().is_some_and(|token| token.is("(") && !token.space_before);
        if !has_params {
            self.macros.define_object(name, body.to_vec());
            return;
        }
        let mut params = Vec::new();
        let mut variadic = false;
        let mut index = 1;
        while let Some(token) = body.get(index) {
            index += 1;
            match &token.kind {
                TokenKind::Identifier(param) => params.push(param.clone()),
                TokenKind::Symbol("...") => {
                    variadic = true;
                    params.push("__VA_ARGS__".into());
                }
                TokenKind::Symbol(",") => {}
                TokenKind::Symbol(")") => {
                    let rest = body.get(index..).unwrap_or(&[]).to_vec();
                    self.macros.define_function(name, params, variadic, rest);
                    return;
                }
                _ => break,
            }
        }
        self.diagnostics.error(place, "expected parameter names and ')' after the macro's name");
    }

    fn condition(&mut self, reader: &mut Reader, word: &str, place: Span) -> bool {
        let line = self.rest_of_directive(reader);
        if word == "ifdef" || word == "ifndef" {
            let defined = match line.first().map(|token| &token.kind) {
                Some(TokenKind::Identifier(name)) => self.macros.is_defined(name),
                Some(TokenKind::Keyword(_)) => false,
                _ => {
                    let message = format!("expected a name after '#{word}'");
                    self.diagnostics.error(place, message);
                    return false;
                }
            };
            return defined == (word == "ifdef");
        }
        let replaced = self.replace_defined(&line);
        let mut expanded = Vec::new();
        self.macros.expand(&replaced, &mut expanded, &mut self.names, self.diagnostics);
        for token in &mut expanded {
            token.span = place.to(token.span);
        }
        condition::evaluate(&expanded, place, self.diagnostics)
    }

    /// `defined X` and `defined(X)` become 1 or 0, before macros are expanded.
    fn replace_defined(&self, line: &[Token]) -> Vec<Token> {
        let mut output = Vec::new();
        let mut index = 0;
        while let Some(token) = line.get(index) {
            index += 1;
            let is_defined = matches!(&token.kind, TokenKind::Identifier(name) if &**name == "defined");
            if !is_defined {
                output.push(token.clone());
                continue;
            }
            let bracket = line.get(index).is_some_and(|next| next.is("("));
            if bracket {
                index += 1;
            }
            let value = match line.get(index).map(|next| &next.kind) {
                Some(TokenKind::Identifier(name)) => self.macros.is_defined(name),
                _ => false,
            };
            index += 1;
            if bracket {
                index += 1;
            }
            output.push(Token {
                kind: TokenKind::Integer(IntLiteral { value: i32::from(value).into(), width: None, radix: 10 }),
                ..token.clone()
            });
        }
        output
    }

    fn open_group(&mut self, reader: &mut Reader, opened: Span, taken: bool) {
        reader.groups.push(Group { opened, done: taken, skipping: !taken, seen_else: false });
        if !taken {
            self.skip_branch(reader);
        }
    }

    /// At `#elif`, `#else` or `#endif` of the innermost group (the line is read, unless it is an `#elif` whose
    /// condition counts).
    fn next_branch(&mut self, reader: &mut Reader, word: &str, place: Span) {
        let Some(group) = reader.groups.last_mut() else {
            let message = format!("'#{word}' without '#if'");
            self.diagnostics.error(place, message);
            return;
        };
        if word == "endif" {
            reader.groups.pop();
            return;
        }
        if group.seen_else {
            let message = format!("'#{word}' after '#else'");
            self.diagnostics.error(place, message);
        }
        group.seen_else |= word == "else";
        group.skipping = true;
        self.skip_branch(reader);
    }

    /// Skips lines up to the branch of the innermost group that is taken, or after its `#endif`.
    fn skip_branch(&mut self, reader: &mut Reader) {
        let mut nested = 0usize;
        loop {
            let start = reader.lexer.position();
            let line = reader.lexer.peek_directive();
            let Some(word) = line else {
                reader.lexer.skip_line();
                if reader.lexer.at_end() {
                    return;
                }
                continue;
            };
            let place = Span::new(reader.lexer.file(), start, reader.lexer.position());
            match word.as_str() {
                "if" | "ifdef" | "ifndef" => nested += 1,
                "endif" if nested > 0 => nested -= 1,
                "endif" => {
                    reader.lexer.skip_line();
                    reader.groups.pop();
                    return;
                }
                "else" | "elif" if nested == 0 => {
                    if self.branch_is_taken(reader, &word, place) {
                        return;
                    }
                    continue;
                }
                _ => {}
            }
            reader.lexer.skip_line();
            if reader.lexer.at_end() {
                return;
            }
        }
    }

    fn branch_is_taken(&mut self, reader: &mut Reader, word: &str, place: Span) -> bool {
        let Some(group) = reader.groups.last_mut() else {
            return false;
        };
        if group.seen_else {
            let message = format!("'#{word}' after '#else'");
            self.diagnostics.error(place, message);
        }
        group.seen_else |= word == "else";
        if group.done {
            reader.lexer.skip_line();
            return false;
        }
        let taken = if word == "else" {
            reader.lexer.skip_line();
            true
        } else {
            self.condition(reader, "if", place)
        };
        if let Some(group) = reader.groups.last_mut() {
            group.done = taken;
            group.skipping = !taken;
        }
        taken
    }

    fn line_marker(&mut self, reader: &mut Reader, first: Option<Token>) {
        let mut line: Vec<Token> = first.into_iter().collect();
        line.extend(self.rest_of_directive(reader));
        let number = match line.first().map(|token| &token.kind) {
            Some(TokenKind::Integer(literal)) => literal.value.to_u32(),
            _ => None,
        };
        let (Some(number), Some(place)) = (number, line.first().map(|token| token.span)) else {
            return;
        };
        let path = match line.get(1).map(|token| &token.kind) {
            Some(TokenKind::String(path)) => Some(path.clone()),
            _ => None,
        };
        let file = reader.lexer.file();
        let after = self.sources.physical_line(file, place.start);
        self.sources.add_line_marker(file, after, number, path.as_deref());
    }

    fn include(&mut self, reader: &mut Reader, place: Span) {
        let rest = reader.lexer.rest_of_line();
        let text = rest.split("//").next().unwrap_or("").trim();
        let (name, is_system) = if let Some(inner) = text.strip_prefix('"') {
            (inner.split('"').next().unwrap_or(""), false)
        } else if let Some(inner) = text.strip_prefix('<') {
            (inner.split('>').next().unwrap_or(""), true)
        } else {
            self.diagnostics.error(place, "expected \"file\" or <file> after '#include'");
            return;
        };
        if self.include_depth >= MAX_INCLUDE_DEPTH {
            self.diagnostics.error(place, "files include each other too deeply; does one include itself?");
            return;
        }
        let Some((path, content, is_own)) = self.find_include(reader, name, is_system) else {
            let mut dirs: Vec<String> = Vec::new();
            for dir in &self.options.include_dirs {
                dirs.push(dir.display().to_string());
            }
            let message = format!("cannot find the include file '{name}'");
            let searched = if dirs.is_empty() {
                "give its directory with -I".to_owned()
            } else {
                format!("searched in: {}", dirs.join(", "))
            };
            self.diagnostics.error_of(Kind::Io, place, message).help(searched);
            return;
        };
        let file = self.sources.add(&path, content.into(), is_own);
        self.include_depth += 1;
        self.run(file);
        self.include_depth -= 1;
    }

    /// Looks beside the including file (for `"…"`), among the compiler's own files, and in the given directories.
    fn find_include(&self, reader: &Reader, name: &str, is_system: bool) -> Option<(String, String, bool)> {
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).ok()?;
            Some((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned(), false))
        };
        let beside = || {
            let here = self.sources.file(reader.lexer.file()).map(|file| file.path.clone());
            let dir = here.as_deref().and_then(|path| Path::new(path).parent());
            read(dir.unwrap_or(Path::new("")).join(name))
        };
        let own = || {
            let (own, text) = EMBEDDED.iter().find(|(own, _)| *own == name)?;
            Some((format!("<p4include>/{own}"), (*text).to_owned(), true))
        };
        let given = || self.options.include_dirs.iter().find_map(|dir| read(dir.join(name)));
        if is_system { own().or_else(given) } else { beside().or_else(own).or_else(given) }
    }
}
