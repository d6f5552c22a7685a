//! Declarations of the top level, except those with bodies of their own.

use super::Checker;
use super::scope::{FunctionSymbol, Symbol};
use super::templates::{StructTemplate, struct_kind, struct_type};
use crate::eval;
use crate::typed::{
    ApplyType, EnumId, EnumMember, EnumType, ErrorId, Expr, ExprKind, Field, MatchKindId, NamedConstant, NewType,
    NewTypeId, Package, PackageId, Span, StructId, StructKind, StructType, TopLevel, Type, Value, VarId, Variable,
    VariableKind,
};
use p4_syntax::{Kind, ast};
use std::collections::HashMap;
use std::rc::Rc;

/// The versions of v1model that p4c knows begin and end with these.
const V1MODEL_FIRST: u32 = 20_180_101;
const V1MODEL_LAST: u32 = 20_200_408;

impl<'a> Checker<'a> {
    /// Checks a declaration of the top level.
    pub(super) fn top_level(&mut self, declaration: &'a ast::Declaration) {
        let declared = match declaration {
            ast::Declaration::Struct(decl) => Some(&decl.name),
            ast::Declaration::Typedef(decl) => Some(&decl.name),
            ast::Declaration::Parser(decl) => Some(&decl.name),
            ast::Declaration::Control(decl) => Some(&decl.name),
            ast::Declaration::Package(decl) => Some(&decl.name),
            _ => None,
        };
        self.declaring.extend(declared.map(|name| (name.name.clone(), name.span)));
        self.declaration(declaration);
        self.declaring.clear();
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration) {
        match declaration {
            ast::Declaration::Constant(decl) => {
                self.constant(decl);
            }
            ast::Declaration::Instance(decl) => {
                if let Some(id) = self.instance(decl) {
                    self.program.top_level.push(TopLevel::Instance(id));
                }
            }
            ast::Declaration::Errors(names) => self.errors(names),
            ast::Declaration::MatchKinds(names) => self.match_kinds(names),
            ast::Declaration::Struct(decl) => self.structure(decl),
            ast::Declaration::Enum(decl) => self.enumeration(decl),
            ast::Declaration::Typedef(decl) => self.typedef(decl),
            ast::Declaration::Extern(decl) => self.extern_object(decl),
            ast::Declaration::ExternFunction(decl) => self.extern_function(decl),
            ast::Declaration::Function(decl) => self.function(decl),
            ast::Declaration::Action(decl) => {
                if let Some(id) = self.action(decl) {
                    self.program.top_level.push(TopLevel::Action(id));
                }
            }
            ast::Declaration::Parser(decl) => self.parser(decl),
            ast::Declaration::Control(decl) => self.control(decl),
            ast::Declaration::Package(decl) => self.package(decl),
            ast::Declaration::Variable(decl) => {
                self.diagnostics.error(decl.name.span, "variables belong into a parser, control or function");
            }
            ast::Declaration::Table(decl) => {
                self.diagnostics.error(decl.name.span, "tables belong into a control");
            }
            ast::Declaration::ValueSet(decl) => {
                self.diagnostics.error(decl.name.span, "value sets belong into a parser");
            }
        }
    }

    /// Enters a name into the innermost scope; a message if it is there already.
    pub(super) fn declare(&mut self, name: &ast::Ident, symbol: Symbol) {
        if let Some(entry) = self.scopes.find_here(&name.name) {
            let (before, what) = (entry.span, entry.symbol.describe());
            let message = format!("'{}' is declared twice", name.name);
            let diagnostic = self.error_of(Kind::Duplicate, name.span, message);
            diagnostic.note_at(before, format!("it is {what} declared here"));
            return;
        }
        self.scopes.insert(name.name.clone(), symbol, name.span);
    }

    /// Enters a function, which may share its name with functions of other parameters.
    pub(super) fn declare_function(&mut self, name: &ast::Ident, function: FunctionSymbol) {
        let known = match self.scopes.find_here(&name.name) {
            Some(entry) => match &entry.symbol {
                Symbol::Functions(list) => list.clone(),
                _ => {
                    self.declare(name, Symbol::Wrong);
                    return;
                }
            },
            None => Vec::new(),
        };
        let new = self.signature(function);
        // Two bodies of one signature only matter where they are called.
        let is_extern = matches!(function, FunctionSymbol::Extern(_));
        let clash = known.iter().find(|other| is_extern && self.signature(**other) == new);
        if let Some(other) = clash {
            let before = match other {
                FunctionSymbol::Template(index) => self.function_templates[*index].decl.name.span,
                FunctionSymbol::Extern(id) => self.program[*id].span,
            };
            let message = format!("function '{}' with these parameters is declared twice", name.name);
            self.error_of(Kind::Duplicate, name.span, message).note_at(before, "declared here before");
            return;
        }
        let mut list = known;
        list.push(function);
        self.scopes.insert(name.name.clone(), Symbol::Functions(list), name.span);
    }

    /// The names of a function's parameters, in which functions of one name have to differ.
    fn signature(&self, function: FunctionSymbol) -> Vec<Rc<str>> {
        let params = match function {
            FunctionSymbol::Template(index) => &self.function_templates[index].params,
            FunctionSymbol::Extern(id) => &self.program[id].params,
        };
        params.iter().map(|param| param.name.clone()).collect()
    }

    pub(super) fn new_variable(&mut self, variable: Variable) -> VarId {
        let id = VarId::from_index(self.program.variables.len());
        self.program.variables.push(variable);
        id
    }

    /// A constant, at any level.
    pub(super) fn constant(&mut self, decl: &'a ast::ConstantDecl) {
        let annotations = self.annotations(&decl.annotations);
        let ty = self.value_type(&decl.ty);
        let value = self.expr_as(&decl.value, &ty);
        if Self::is_object(&ty) {
            let message = format!("a constant cannot have type '{}'", self.show(&ty));
            self.error(decl.ty.span, message);
        }
        let known = eval::is_constant(&value);
        if !known && !matches!(value.kind, ExprKind::Invalidated) {
            let symbolic = eval::is_known(&self.program, &value);
            if !symbolic {
                let message = format!("the value of constant '{}' is not known at compile time", decl.name.name);
                self.error(value.span, message);
            }
        }
        self.check_v1model_version(decl, &value);
        let id = self.new_variable(Variable {
            name: decl.name.name.clone(),
            ty,
            kind: VariableKind::Constant(Box::new(value)),
            annotations,
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::Variable(id));
    }

    /// `v1model.p4` says in a constant which of its versions a program asked for with `V1MODEL_VERSION`.
    fn check_v1model_version(&mut self, decl: &ast::ConstantDecl, value: &Expr) {
        if &*decl.name.name != "__v1model_version" {
            return;
        }
        if matches!(decl.value.kind, ast::ExprKind::Unary(ast::UnaryOp::Negate, _)) {
            self.error_of(Kind::Expected, value.span, "the version of v1model cannot be negative");
        } else if let ExprKind::Literal(Value::Int(version)) = &value.kind
            && !(V1MODEL_FIRST.into()..=V1MODEL_LAST.into()).contains(version)
        {
            let message =
                format!("unknown version {version} of v1model; the first is {V1MODEL_FIRST}, the last {V1MODEL_LAST}");
            self.error_of(Kind::Unknown, value.span, message)
                .help("V1MODEL_VERSION is defined before v1model.p4 is included");
        }
    }

    fn errors(&mut self, names: &'a [ast::Ident]) {
        for name in names {
            if let Some(known) = self.error_named(&name.name) {
                let before = self.program[known].span;
                let message = format!("error '{}' is declared twice", name.name);
                self.error_of(Kind::Duplicate, name.span, message).note_at(before, "declared here before");
                continue;
            }
            self.program.errors.push(NamedConstant { name: name.name.clone(), span: name.span });
        }
    }

    fn match_kinds(&mut self, names: &'a [ast::Ident]) {
        for name in names {
            let id = MatchKindId::from_index(self.program.match_kinds.len());
            self.program.match_kinds.push(NamedConstant { name: name.name.clone(), span: name.span });
            let value = self.literal(Value::MatchKind(id), Type::MatchKind, name.span);
            let id = self.new_variable(Variable {
                name: name.name.clone(),
                ty: Type::MatchKind,
                kind: VariableKind::Constant(Box::new(value)),
                annotations: Vec::new(),
                span: name.span,
            });
            self.declare(name, Symbol::Variable(id));
        }
    }

    fn structure(&mut self, decl: &'a ast::StructDecl) {
        let kind = struct_kind(decl.kind);
        if !decl.type_params.is_empty() {
            self.generic_structure(decl);
            return;
        }
        let annotations = self.annotations(&decl.annotations);
        let mut fields = self.fields(&decl.fields);
        let id = StructId::from_index(self.program.structs.len());
        self.limit_structure(id, &decl.name.name, decl.name.span, &mut fields);
        self.check_field_types(kind, &fields);
        self.program.structs.push(StructType {
            kind,
            name: decl.name.name.clone(),
            type_args: Vec::new(),
            fields,
            annotations,
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::Type(struct_type(kind, id)));
    }

    fn generic_structure(&mut self, decl: &'a ast::StructDecl) {
        let (params, fields) = self.scoped(|checker| {
            let params = checker.declare_type_params(&decl.type_params);
            let fields = checker.fields(&decl.fields);
            (params, fields)
        });
        let index = self.struct_templates.len();
        self.struct_templates.push(StructTemplate { decl, params, instances: HashMap::new(), fields });
        self.declare(&decl.name, Symbol::StructTemplate(index));
    }

    fn fields(&mut self, decls: &'a [ast::FieldDecl]) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for decl in decls {
            let annotations = self.annotations(&decl.annotations);
            let ty = self.value_type(&decl.ty);
            if let Some(before) = fields.iter().find(|field| field.name == decl.name.name) {
                let before = before.span;
                let message = format!("field '{}' is declared twice", decl.name.name);
                self.error_of(Kind::Duplicate, decl.name.span, message).note_at(before, "declared here before");
                continue;
            }
            fields.push(Field { name: decl.name.name.clone(), ty, annotations, span: decl.name.span });
        }
        fields
    }

    /// A header has at most one field without fixed size.
    fn check_varbits(&mut self, fields: &[Field]) {
        let mut varbits = fields.iter().filter(|field| matches!(field.ty, Type::Varbit(_)));
        if let (Some(first), Some(second)) = (varbits.next(), varbits.next()) {
            let before = first.span;
            self.error(second.span, "a header can have only one varbit field").note_at(before, "there is one already");
        }
    }

    /// Fields must have types that their structure may contain.
    pub(super) fn check_field_types(&mut self, kind: StructKind, fields: &[Field]) {
        if kind == StructKind::Header {
            self.check_varbits(fields);
        }
        for field in fields {
            let fine = match kind {
                StructKind::Struct => self.is_storable(&field.ty),
                StructKind::Header => self.allowed_in_header(&field.ty),
                StructKind::Union => matches!(field.ty, Type::Header(_) | Type::Unknown),
            };
            if !fine {
                let (what, hint) = match kind {
                    StructKind::Struct => ("a structure", "values only"),
                    StructKind::Header => (
                        "a header",
                        "bit<W>, int<W>, varbit<W>, bool, serializable enumerations, and structures of them",
                    ),
                    StructKind::Union => ("a header union", "headers only"),
                };
                let message = format!("{what} cannot have a field of type '{}'", self.show(&field.ty));
                self.error(field.span, message).help(format!("it may contain {hint}"));
            }
        }
    }

    fn allowed_in_header(&self, ty: &Type) -> bool {
        match self.program.representation(ty) {
            Type::Bit(_) | Type::Int(_) | Type::Varbit(_) | Type::Bool | Type::Unknown => true,
            Type::Struct(id) => self.program[id].fields.iter().all(|field| self.allowed_in_header(&field.ty)),
            Type::Stack(element, _) => self.allowed_in_header(&element),
            _ => false,
        }
    }

    fn enumeration(&mut self, decl: &'a ast::EnumDecl) {
        let annotations = self.annotations(&decl.annotations);
        let underlying = decl.underlying.as_ref().map(|ty| {
            let resolved = self.resolve_type(ty);
            if !matches!(resolved, Type::Bit(_) | Type::Int(_) | Type::Unknown) {
                let message = format!(
                    "the values of an enumeration can be of type bit<W> or int<W>, not '{}'",
                    self.show(&resolved)
                );
                self.error(ty.span, message);
                return Type::Unknown;
            }
            resolved
        });
        let id = EnumId::from_index(self.program.enums.len());
        self.program.enums.push(EnumType {
            name: decl.name.name.clone(),
            underlying: underlying.clone(),
            members: Vec::new(),
            annotations,
            span: decl.name.span,
        });
        if decl.members.is_empty() {
            self.diagnostics.error(decl.name.span, "an enumeration needs at least one member");
        }
        self.scopes.push();
        for (position, member) in decl.members.iter().enumerate() {
            self.enum_member(id, position, member, underlying.as_ref());
        }
        self.scopes.pop();
        self.declare(&decl.name, Symbol::Type(Type::Enum(id)));
    }

    fn enum_member(&mut self, id: EnumId, position: usize, member: &'a ast::EnumMemberDecl, underlying: Option<&Type>) {
        let annotations = self.annotations(&member.annotations);
        let name = member.name.name.clone();
        if let Some(before) = self.program[id].members.iter().find(|item| item.name == name) {
            let before = before.span;
            let message = format!("member '{name}' is declared twice");
            self.error_of(Kind::Duplicate, member.name.span, message).note_at(before, "declared here before");
            return;
        }
        let value = match (&member.value, underlying) {
            (Some(value), Some(underlying)) => {
                let base = self.program.strip_new_types(underlying);
                let value = self.expr_as(value, &base);
                match value.kind {
                    ExprKind::Literal(Value::Int(number)) => number,
                    ExprKind::Invalidated => 0.into(),
                    _ => {
                        self.error(value.span, "the value of a member must be known at compile time");
                        0.into()
                    }
                }
            }
            _ => position.into(),
        };
        if underlying.is_some() {
            // Later members may use earlier ones by their names alone.
            let literal = self.literal(Value::Int(value.clone()), Type::Enum(id), member.name.span);
            let constant = self.new_variable(Variable {
                name: name.clone(),
                ty: Type::Enum(id),
                kind: VariableKind::Constant(Box::new(literal)),
                annotations: Vec::new(),
                span: member.name.span,
            });
            self.declare(&member.name, Symbol::Variable(constant));
        }
        self.program.enums[id.index()].members.push(EnumMember { name, value, annotations, span: member.name.span });
    }

    fn typedef(&mut self, decl: &'a ast::TypedefDecl) {
        if let Some(inner) = &decl.inner {
            self.top_level(inner);
        }
        let ty = self.resolve_type(&decl.ty);
        let annotations = self.annotations(&decl.annotations);
        if !decl.is_new {
            let symbol = match ty {
                Type::Unknown => Symbol::Wrong,
                Type::Extern(id, args) if args.is_empty() => Symbol::Extern(id),
                ty => Symbol::Type(ty),
            };
            self.declare(&decl.name, symbol);
            return;
        }
        let base = self.program.representation(&ty);
        if !matches!(
            base,
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Varbit(_) | Type::Unknown | Type::Error | Type::Enum(_)
        ) {
            let message = format!("'type' cannot make a new type of '{}'", self.show(&ty));
            self.error(decl.ty.span, message)
                .help("it takes bit<W>, int<W>, bool and other simple types; 'typedef' takes all");
        }
        let translated = annotations.iter().any(|annotation| &*annotation.name == "p4runtime_translation");
        if translated && !matches!(base, Type::Bit(_) | Type::Unknown) {
            let message = format!("'@p4runtime_translation' needs a type of 'bit<W>', not of '{}'", self.show(&base));
            self.error_of(Kind::Invalid, decl.ty.span, message);
        }
        let id = NewTypeId::from_index(self.program.new_types.len());
        self.program.new_types.push(NewType {
            name: decl.name.name.clone(),
            underlying: ty,
            annotations,
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::Type(Type::New(id)));
    }

    fn package(&mut self, decl: &'a ast::PackageDecl) {
        let annotations = self.annotations(&decl.annotations);
        let (type_params, params) = self.scoped(|checker| {
            let type_params = checker.declare_type_params(&decl.type_params);
            let params = checker.constructor_parameters(&decl.params);
            (type_params, params)
        });
        let id = PackageId::from_index(self.program.packages.len());
        self.program.packages.push(Package {
            name: decl.name.name.clone(),
            type_params,
            params,
            annotations,
            span: decl.name.span,
        });
        self.program.top_level.push(TopLevel::Package(id));
        let ty = Type::Package(id, Vec::new().into());
        self.declare_object(&decl.name, Symbol::Package(id), ty);
    }

    /// A parser type or control type.
    pub(super) fn apply_type(
        &mut self,
        is_parser: bool,
        name: &'a ast::Ident,
        type_params: &'a [ast::Ident],
        params: &'a [ast::ParameterDecl],
        annotations: &'a [ast::Annotation],
    ) {
        let annotations = self.annotations(annotations);
        let (type_params, params) = self.scoped(|checker| {
            let type_params = checker.declare_type_params(type_params);
            let params = checker.parameters(params);
            (type_params, params)
        });
        let id = crate::typed::ApplyTypeId::from_index(self.program.apply_types.len());
        self.program.apply_types.push(ApplyType {
            name: name.name.clone(),
            is_parser,
            type_params,
            params,
            annotations,
            span: name.span,
        });
        self.program.top_level.push(TopLevel::ApplyType(id));
        self.declare(name, Symbol::ApplyType(id));
    }

    /// `error.X`
    pub(super) fn error_literal(&mut self, name: &ast::Ident, span: Span) -> Expr {
        match self.error_named(&name.name) {
            Some(id) => self.literal(Value::Error(id), Type::Error, span),
            None => {
                let message = format!("there is no error '{}'", name.name);
                self.error(name.span, message);
                self.wrong(span)
            }
        }
    }

    /// The error `NoError`.
    pub(super) fn no_error(&self) -> Value {
        Value::Error(ErrorId(0))
    }
}
