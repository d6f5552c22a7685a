//! Types.

use super::{Parsed, Parser};
use crate::ast::{Ident, Type, TypeKind};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Does a type begin here for sure? (A name only counts if it is known to be that of a type.)
    pub(super) fn at_type(&self) -> bool {
        match &self.token().kind {
            TokenKind::Keyword("list") => self.next_is(1, "<") || self.is_type("list"),
            TokenKind::Keyword(
                "bit" | "int" | "varbit" | "bool" | "error" | "string" | "tuple" | "void" | "match_kind",
            ) => true,
            TokenKind::Symbol(".") => self
                .peek_name(1)
                .is_some_and(|name| self.scopes.first().and_then(|scope| scope.get(&name)).copied().unwrap_or(false)),
            _ => self.peek_name(0).is_some_and(|name| self.is_type(&name)),
        }
    }

    /// A type; a name need not be known.
    pub(super) fn type_ref(&mut self) -> Parsed<Type> {
        self.nested(Self::type_ref_inner)
    }

    fn type_ref_inner(&mut self) -> Parsed<Type> {
        let mut ty = self.simple_type()?;
        while self.eat("[") {
            let size = self.with_greater(Self::expression)?;
            let end = self.expect("]", "after the size of a header stack")?;
            let span = ty.span.to(end);
            ty = Type { kind: TypeKind::Stack(Box::new(ty), Box::new(size)), span };
        }
        Ok(ty)
    }

    fn simple_type(&mut self) -> Parsed<Type> {
        let start = self.span();
        let kind = match &self.token().kind {
            TokenKind::Keyword("list") if self.next_is(1, "<") => {
                self.advance();
                self.expect("<", "after 'list'")?;
                let element = self.type_arg()?;
                self.expect(">", "after the type of the elements")?;
                TypeKind::List(Box::new(element))
            }
            TokenKind::Keyword(word) => {
                let word = *word;
                match word {
                    "bit" | "int" | "varbit" => self.sized_type(word)?,
                    "tuple" => {
                        self.advance();
                        self.expect("<", "after 'tuple'")?;
                        TypeKind::Tuple(self.list_until(">", "in a tuple type", Self::type_arg)?)
                    }
                    "bool" | "error" | "string" | "void" | "match_kind" => {
                        self.advance();
                        match word {
                            "bool" => TypeKind::Bool,
                            "error" => TypeKind::Error,
                            "string" => TypeKind::String,
                            "void" => TypeKind::Void,
                            _ => TypeKind::MatchKind,
                        }
                    }
                    _ => self.named_type()?,
                }
            }
            _ => self.named_type()?,
        };
        Ok(Type { kind, span: start.to(self.previous_span()) })
    }

    /// A type's name, perhaps with type arguments.
    pub(super) fn named_type(&mut self) -> Parsed<TypeKind> {
        let path = self.path("a type")?;
        if !self.eat("<") {
            return Ok(TypeKind::Name(path));
        }
        let args = self.list_until(">", "after a type argument", Self::type_arg)?;
        Ok(TypeKind::Specialized(path, args))
    }

    fn sized_type(&mut self, word: &str) -> Parsed<TypeKind> {
        self.advance();
        if !self.eat("<") {
            return match word {
                "bit" => Ok(TypeKind::Bit(None)),
                "int" => Ok(TypeKind::Integer),
                _ => self.fail("'<' and a width after 'varbit'"),
            };
        }
        let before = std::mem::replace(&mut self.no_greater, true);
        let width = self.expression();
        self.no_greater = before;
        let width = Box::new(width?);
        self.expect(">", "after the width")?;
        Ok(match word {
            "bit" => TypeKind::Bit(Some(width)),
            "int" => TypeKind::Int(width),
            _ => TypeKind::Varbit(width),
        })
    }

    pub(super) fn type_arg(&mut self) -> Parsed<Type> {
        let span = self.span();
        if self.eat("_") {
            return Ok(Type { kind: TypeKind::Any, span });
        }
        self.type_ref()
    }

    /// `<A, B>` after the name of a generic declaration; the names are declared as types.
    pub(super) fn type_params(&mut self) -> Parsed<Vec<Ident>> {
        if !self.eat("<") {
            return Ok(Vec::new());
        }
        let names =
            self.list_until(">", "after a type parameter", |parser| parser.name("the name of a type parameter"))?;
        self.refuse_twice("type parameter", "declared", names.iter());
        for name in &names {
            self.declare(name, true);
        }
        Ok(names)
    }
}
