//! Generic structures and functions, and their instances.

use super::Checker;
use super::scope::Symbol;
use crate::typed::{Field, FunctionId, Parameter, Span, StructId, StructKind, StructType, Type, TypeParameter};
use p4_syntax::ast;
use std::collections::HashMap;

/// A generic structure.
#[derive(Debug)]
pub(super) struct StructTemplate<'a> {
    pub(super) decl: &'a ast::StructDecl,
    pub(super) params: Vec<TypeParameter>,
    pub(super) instances: HashMap<Vec<Type>, StructId>,
    /// Fields as declared, with type variables.
    pub(super) fields: Vec<Field>,
}

/// A function with a body.
#[derive(Debug)]
pub(super) struct FunctionTemplate<'a> {
    pub(super) decl: &'a ast::FunctionDecl,
    pub(super) type_params: Vec<TypeParameter>,
    /// With type variables.
    pub(super) params: Vec<Parameter>,
    /// With type variables.
    pub(super) result: Type,
    pub(super) instances: HashMap<Vec<Type>, FunctionId>,
}

/// At most so many instances of one template: more come from a mistake.
const MAX_INSTANCES: usize = 10_000;

impl<'a> Checker<'a> {
    /// The structure with these type arguments.
    pub(super) fn instantiate_struct(&mut self, template: usize, args: Vec<Type>, span: Span) -> Type {
        let entry = &self.struct_templates[template];
        let kind = struct_kind(entry.decl.kind);
        if let Some(id) = entry.instances.get(&args) {
            return struct_type(kind, *id);
        }
        if entry.instances.len() >= MAX_INSTANCES {
            self.error(span, "this generic structure has too many instances");
            return Type::Unknown;
        }
        let own = |part: &Type| match part {
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => self.template_of.get(&id.0) == Some(&template),
            _ => false,
        };
        if args.iter().any(|arg| self.mentions(arg, &own, 0)) {
            let message = format!("'{}' cannot be its own type argument", entry.decl.name.name);
            self.error(span, message);
            return Type::Unknown;
        }
        let bindings: HashMap<_, _> = entry.params.iter().map(|param| param.var).zip(args.iter().cloned()).collect();
        let name = entry.decl.name.clone();
        let annotations = &entry.decl.annotations;
        let fields = entry.fields.clone();
        let annotations = self.annotations(annotations);
        let id = StructId::from_index(self.program.structs.len());
        self.program.structs.push(StructType {
            kind,
            name: name.name.clone(),
            type_args: args.clone(),
            fields: Vec::new(),
            annotations,
            span: name.span,
        });
        self.template_of.insert(id.0, template);
        self.struct_templates[template].instances.insert(args, id);
        let mut fields: Vec<Field> =
            fields.into_iter().map(|field| Field { ty: self.substitute(&field.ty, &bindings), ..field }).collect();
        self.limit_structure(id, &name.name, span, &mut fields);
        let concrete = !fields.iter().any(|field| self.has_variables(&field.ty));
        if concrete {
            self.check_field_types(kind, &fields);
        }
        self.program.structs[id.index()].fields = fields;
        struct_type(kind, id)
    }

    /// Declares the type parameters of a generic declaration in the innermost scope.
    pub(super) fn declare_type_params(&mut self, names: &[ast::Ident]) -> Vec<TypeParameter> {
        names
            .iter()
            .map(|name| {
                let var = self.new_type_var(&name.name);
                self.declare(name, Symbol::Type(Type::Variable(var)));
                TypeParameter { name: name.name.clone(), var }
            })
            .collect()
    }
}

/// From the syntax tree's kind to the typed one.
pub(super) fn struct_kind(kind: ast::StructKind) -> StructKind {
    match kind {
        ast::StructKind::Struct => StructKind::Struct,
        ast::StructKind::Header => StructKind::Header,
        ast::StructKind::Union => StructKind::Union,
    }
}

/// The type of a structure.
pub(super) fn struct_type(kind: StructKind, id: StructId) -> Type {
    match kind {
        StructKind::Struct => Type::Struct(id),
        StructKind::Header => Type::Header(id),
        StructKind::Union => Type::Union(id),
    }
}
