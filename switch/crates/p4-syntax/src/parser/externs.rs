//! Extern objects and functions.

use super::{Parsed, Parser};
use crate::ast::{Annotation, Declaration, ExternDecl, FunctionDecl};
use crate::kind::Kind;

impl Parser<'_> {
    pub(super) fn extern_declaration(&mut self, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        self.advance();
        if self.at_extern_object() {
            return self.extern_object(annotations).map(Declaration::Extern);
        }
        let function = self.prototype(annotations, false, true)?;
        Ok(Declaration::ExternFunction(function))
    }

    /// `name {`, `name<…> {` or `name;`
    fn at_extern_object(&self) -> bool {
        if self.peek_name(0).is_none() {
            return false;
        }
        let mut ahead = 1;
        if self.next_is(1, "<") {
            let mut depth = 0usize;
            loop {
                let token = self.token_at(ahead);
                if token.is("<") {
                    depth += 1;
                } else if token.is(">") {
                    depth -= 1;
                } else if token.is("(") || token.is(";") || token.is("{") {
                    return false;
                }
                ahead += 1;
                if depth == 0 {
                    break;
                }
                if self.position + ahead >= self.tokens.len() {
                    return false;
                }
            }
        }
        self.next_is(ahead, "{") || self.next_is(ahead, ";")
    }

    fn extern_object(&mut self, annotations: Vec<Annotation>) -> Parsed<ExternDecl> {
        let name = self.name("the name of the extern")?;
        self.declare(&name, true);
        self.scoped(|parser| {
            let type_params = parser.type_params()?;
            let mut methods = Vec::new();
            let is_forward = parser.eat(";");
            if !is_forward {
                parser.expect("{", "before the methods")?;
                while !parser.eat("}") {
                    let annotations = parser.annotations()?;
                    let is_abstract = parser.eat("abstract");
                    let is_constructor =
                        !is_abstract && parser.peek_name(0).as_ref() == Some(&name.name) && parser.next_is(1, "(");
                    let without_result =
                        parser.peek_name(0).is_some_and(|name| parser.is_type(&name)) && parser.next_is(1, "(");
                    let method = if is_constructor || without_result {
                        if !is_constructor {
                            let message =
                                format!("this method has no return type; the constructor is called '{}'", name.name);
                            let span = parser.span();
                            parser.diagnostics.error_of(Kind::Invalid, span, message);
                        }
                        parser.constructor(annotations)?
                    } else {
                        parser.prototype(annotations, is_abstract, false)?
                    };
                    methods.push(method);
                }
            }
            Ok(ExternDecl { annotations, name: name.clone(), type_params, methods, is_forward })
        })
    }

    fn constructor(&mut self, annotations: Vec<Annotation>) -> Parsed<FunctionDecl> {
        let name = self.name("the constructor's name")?;
        let params = self.scoped(Self::parameters)?;
        self.expect(";", "at the end of the constructor")?;
        Ok(FunctionDecl {
            annotations,
            is_abstract: false,
            result: None,
            name,
            type_params: Vec::new(),
            params,
            body: None,
        })
    }

    /// `T f<A>(params);`
    fn prototype(&mut self, annotations: Vec<Annotation>, is_abstract: bool, declare: bool) -> Parsed<FunctionDecl> {
        let result = Some(self.type_ref()?);
        let name = self.name("the name of the function")?;
        if declare {
            self.declare(&name, false);
        }
        let (type_params, params) = self.scoped(|parser| {
            let type_params = parser.type_params()?;
            let params = parser.parameters()?;
            Ok((type_params, params))
        })?;
        self.expect(";", "at the end of the declaration")?;
        Ok(FunctionDecl { annotations, is_abstract, result, name, type_params, params, body: None })
    }
}
