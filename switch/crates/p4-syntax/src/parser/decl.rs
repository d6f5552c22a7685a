//! Declarations of the top level.

use super::{Parsed, Parser};
use crate::ast::{
    ActionDecl, Annotation, Declaration, Direction, EnumDecl, EnumMemberDecl, FieldDecl, FunctionDecl, Ident,
    PackageDecl, ParameterDecl, Path, StructDecl, StructKind, Type, TypeKind, TypedefDecl,
};
use crate::kind::Kind;
use crate::token::TokenKind;

impl Parser<'_> {
    /// A declaration of the top level.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let annotations = self.annotations()?;
        let keyword = match &self.token().kind {
            TokenKind::Keyword(word) => *word,
            _ => "",
        };
        match keyword {
            "const" => self.constant(annotations).map(Declaration::Constant),
            "error" if self.next_is(1, "{") => self.constant_names().map(Declaration::Errors),
            "match_kind" if self.next_is(1, "{") => self.constant_names().map(Declaration::MatchKinds),
            "extern" => self.extern_declaration(annotations),
            "action" => self.action(annotations).map(Declaration::Action),
            "parser" => self.parser_declaration(annotations).map(Declaration::Parser),
            "control" => self.control_declaration(annotations).map(Declaration::Control),
            "package" => self.package(annotations).map(Declaration::Package),
            "struct" | "header" | "header_union" => self.structure(annotations).map(Declaration::Struct),
            "enum" => self.enumeration(annotations).map(Declaration::Enum),
            "typedef" | "type" => self.typedef(annotations).map(Declaration::Typedef),
            _ => self.instance_or_function(annotations),
        }
    }

    /// A declaration that begins with a type: `T(args) x;` or `T f(params) { … }`.
    pub(super) fn instance_or_function(&mut self, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let starts = self.at_type() || self.peek_name(0).is_some() || self.at(".");
        if !starts {
            return self.fail("a declaration");
        }
        let ty = self.type_ref()?;
        if self.at("(") {
            return self.instance(annotations, ty).map(Declaration::Instance);
        }
        let name = self.name("'(' and arguments, or the name of a function")?;
        if !self.at("(") && !self.at("<") {
            return self.fail("'(' and parameters of a function; variables belong into a parser or control");
        }
        self.declare(&name, false);
        self.scoped(|parser| {
            let type_params = parser.type_params()?;
            let params = parser.parameters()?;
            let body = Some(parser.block(Vec::new())?);
            Ok(Declaration::Function(FunctionDecl {
                annotations,
                is_abstract: false,
                result: Some(ty),
                name,
                type_params,
                params,
                body,
            }))
        })
    }

    /// The declarations of `T() x = { … }`.
    pub(super) fn initializer_until_brace(&mut self) -> Parsed<Vec<Declaration>> {
        let mut list = Vec::new();
        while !self.eat("}") {
            let annotations = self.annotations()?;
            list.push(self.instance_or_function(annotations)?);
        }
        Ok(list)
    }

    /// `[n]` after a declared name: an older way to write a stack.
    pub(super) fn stack_suffix(&mut self, mut ty: Type) -> Parsed<Type> {
        while self.eat("[") {
            let size = self.with_greater(Self::expression)?;
            let end = self.expect("]", "after the size of a header stack")?;
            let span = ty.span.to(end);
            ty = Type { kind: TypeKind::Stack(Box::new(ty), Box::new(size)), span };
        }
        Ok(ty)
    }

    /// `error { A, B }`
    fn constant_names(&mut self) -> Parsed<Vec<Ident>> {
        self.advance();
        self.expect("{", "before the names")?;
        self.list_until("}", "after a name", |parser| parser.name("a name"))
    }

    pub(super) fn parameters(&mut self) -> Parsed<Vec<ParameterDecl>> {
        self.expect("(", "before the parameters")?;
        self.list_until(")", "after a parameter", |parser| {
            let annotations = parser.annotations()?;
            let direction = if parser.eat("in") {
                Direction::In
            } else if parser.eat("out") {
                Direction::Out
            } else if parser.eat("inout") {
                Direction::InOut
            } else {
                Direction::None
            };
            let ty = parser.type_ref()?;
            let name = parser.name("the name of the parameter")?;
            let ty = parser.stack_suffix(ty)?;
            let default = if parser.eat("=") { Some(parser.expression()?) } else { None };
            let is_type = parser.scopes.last().and_then(|scope| scope.get(&name.name)).copied().unwrap_or(false);
            if is_type && parser.attempts == 0 {
                let message = format!("'{}' is a parameter and a type parameter", name.name);
                parser.diagnostics.error_of(Kind::Duplicate, name.span, message);
            }
            parser.declare(&name, false);
            Ok(ParameterDecl { annotations, direction, ty, name, default })
        })
    }

    pub(super) fn action(&mut self, annotations: Vec<Annotation>) -> Parsed<ActionDecl> {
        self.expect("action", "before an action")?;
        let name = self.name("the name of the action")?;
        self.declare(&name, false);
        self.scoped(|parser| {
            let params = parser.parameters()?;
            let body = parser.block(Vec::new())?;
            Ok(ActionDecl { annotations, name, params, body })
        })
    }

    fn package(&mut self, annotations: Vec<Annotation>) -> Parsed<PackageDecl> {
        self.advance();
        let name = self.name("the name of the package")?;
        self.declare(&name, true);
        let (type_params, params) = self.scoped(|parser| {
            let type_params = parser.type_params()?;
            let params = parser.parameters()?;
            Ok((type_params, params))
        })?;
        self.expect(";", "at the end of the declaration")?;
        Ok(PackageDecl { annotations, name, type_params, params })
    }

    fn structure(&mut self, annotations: Vec<Annotation>) -> Parsed<StructDecl> {
        let kind = match self.advance().kind {
            TokenKind::Keyword("header") => StructKind::Header,
            TokenKind::Keyword("header_union") => StructKind::Union,
            _ => StructKind::Struct,
        };
        let name = self.name("the name of the type")?;
        self.declare(&name, true);
        self.scoped(|parser| {
            let type_params = parser.type_params()?;
            parser.expect("{", "before the fields")?;
            let mut fields = Vec::new();
            while !parser.eat("}") {
                let annotations = parser.annotations()?;
                let ty = parser.type_ref()?;
                let name = parser.name("the name of the field")?;
                let ty = parser.stack_suffix(ty)?;
                parser.expect(";", "at the end of the field")?;
                fields.push(FieldDecl { annotations, ty, name });
            }
            Ok(StructDecl { annotations, kind, name, type_params, fields })
        })
    }

    fn enumeration(&mut self, annotations: Vec<Annotation>) -> Parsed<EnumDecl> {
        self.advance();
        let has_type = !(self.peek_name(0).is_some() && self.next_is(1, "{"));
        let underlying = if has_type { Some(self.type_ref()?) } else { None };
        let name = self.name("the name of the enumeration")?;
        self.declare(&name, true);
        self.expect("{", "before the members")?;
        let serializable = underlying.is_some();
        let members = self.list_until("}", "after a member", |parser| {
            let annotations = parser.annotations()?;
            let name = parser.name("the name of a member")?;
            let value = if serializable {
                parser.expect("=", "and a value after the member of an enumeration with a type")?;
                Some(parser.expression()?)
            } else {
                None
            };
            Ok(EnumMemberDecl { annotations, name, value })
        })?;
        Ok(EnumDecl { annotations, underlying, name, members })
    }

    fn typedef(&mut self, annotations: Vec<Annotation>) -> Parsed<TypedefDecl> {
        let is_new = self.advance().is("type");
        let start = self.span();
        let inner_annotations = self.annotations()?;
        let inner = match &self.token().kind {
            _ if is_new => None,
            TokenKind::Keyword("struct" | "header" | "header_union") => {
                Some(self.structure(inner_annotations).map(Declaration::Struct)?)
            }
            TokenKind::Keyword("enum") => Some(self.enumeration(inner_annotations).map(Declaration::Enum)?),
            _ => None,
        };
        let inner_name = match &inner {
            Some(Declaration::Struct(decl)) => Some(decl.name.clone()),
            Some(Declaration::Enum(decl)) => Some(decl.name.clone()),
            _ => None,
        };
        let ty = match inner_name {
            Some(name) => {
                Type { kind: TypeKind::Name(Path { absolute: false, name }), span: start.to(self.previous_span()) }
            }
            None => self.type_ref()?,
        };
        let name = self.name("the new name of the type")?;
        let ty = self.stack_suffix(ty)?;
        self.expect(";", "at the end of the declaration")?;
        self.declare(&name, true);
        Ok(TypedefDecl { annotations, is_new, ty, inner: inner.map(Box::new), name })
    }
}
