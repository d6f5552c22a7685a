//! Annotations.

use super::{Parsed, Parser};
use crate::ast::{Annotation, AnnotationBody, Expr, Ident};
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// All annotations that stand here.
    pub(super) fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut list = Vec::new();
        while self.at("@") {
            list.push(self.annotation()?);
        }
        Ok(list)
    }

    fn annotation(&mut self) -> Parsed<Annotation> {
        let token_position = self.position;
        let start = self.expect("@", "before an annotation's name")?;
        let token = self.token().clone();
        let name = match &token.kind {
            TokenKind::Identifier(name) => name.clone(),
            TokenKind::Keyword(word) => (*word).into(),
            TokenKind::Symbol("_") => "_".into(),
            _ => return self.fail("the annotation's name after '@'"),
        };
        self.advance();
        let mut name = Ident { name, span: token.span };
        let body = if &*name.name == "pragma" {
            self.pragma(&mut name)?
        } else if self.eat("(") {
            self.token_body()?
        } else if self.eat("[") {
            self.structured_body()?
        } else {
            AnnotationBody::Empty
        };
        let annotation = Annotation { span: start.to(self.previous_span()), name, body };
        // An attempt may read an annotation again; its position as the key keeps it once.
        if matches!(&*annotation.name.name, "diagnostic" | "command_line") {
            self.options.insert(token_position, annotation.clone());
        }
        Ok(annotation)
    }

    /// `@pragma name tokens`, up to the end of the line.
    fn pragma(&mut self, name: &mut Ident) -> Parsed<AnnotationBody> {
        let mut tokens: Vec<Token> = Vec::new();
        while !self.at_end() && !self.token().starts_line {
            tokens.push(self.advance());
        }
        if let Some(TokenKind::Identifier(word)) = tokens.first().map(|token| &token.kind) {
            *name = Ident { name: word.clone(), span: tokens[0].span };
            tokens.remove(0);
        }
        Ok(AnnotationBody::Tokens { tokens, expressions: None, pairs: None })
    }

    /// The tokens up to the closing parenthesis, and their reading as expressions or pairs if they are such.
    fn token_body(&mut self) -> Parsed<AnnotationBody> {
        let start = self.position;
        let mut depth = 1usize;
        loop {
            if self.at_end() {
                return self.fail("')' at the end of the annotation");
            }
            let token = self.advance();
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
        }
        let end = self.position;
        let tokens = self.tokens[start..end - 1].to_vec();
        self.position = start;
        let pairs = self.attempt(|parser| {
            let pairs = parser.list_until(")", "", Self::pair)?;
            Ok((parser.position == end && !pairs.is_empty()).then_some(pairs))
        });
        self.position = start;
        let expressions = self.attempt(|parser| {
            let list = parser.list_until(")", "", Self::expression)?;
            Ok((parser.position == end).then_some(list))
        });
        self.position = end;
        Ok(AnnotationBody::Tokens { tokens, expressions, pairs })
    }

    fn structured_body(&mut self) -> Parsed<AnnotationBody> {
        let has_pairs = self.peek_name(0).is_some() && self.next_is(1, "=");
        if has_pairs {
            let pairs = self.list_until("]", "in the annotation", Self::pair)?;
            return Ok(AnnotationBody::Pairs(pairs));
        }
        let list = self.list_until("]", "in the annotation", Self::expression)?;
        Ok(AnnotationBody::Expressions(list))
    }

    fn pair(&mut self) -> Parsed<(Ident, Expr)> {
        let name = self.name("a name")?;
        self.expect("=", "after the name")?;
        Ok((name, self.expression()?))
    }
}
