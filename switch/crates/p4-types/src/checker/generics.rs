//! Type variables: substitution and unification.

use super::Checker;
use crate::typed::{Span, StructId, Type, TypeParameter, TypeVarId};
use std::collections::HashMap;
use std::rc::Rc;

/// The types that type variables stand for.
pub(super) type Bindings = HashMap<TypeVarId, Type>;

/// Types nested deeper than this are not looked into.
const MAX_DEPTH: usize = 100;

impl Checker<'_> {
    /// Does a type variable occur in it?
    pub(super) fn has_variables(&self, ty: &Type) -> bool {
        self.mentions(ty, &|part| matches!(part, Type::Variable(_)), 0)
    }

    /// Does one of these type parameters occur in it?
    pub(super) fn mentions_any(&self, ty: &Type, params: &[TypeParameter]) -> bool {
        let test = |part: &Type| match part {
            Type::Variable(id) => params.iter().any(|param| param.var == *id),
            _ => false,
        };
        !params.is_empty() && self.mentions(ty, &test, 0)
    }

    /// Does a part of the type fulfil the test?
    pub(super) fn mentions(&self, ty: &Type, test: &dyn Fn(&Type) -> bool, depth: usize) -> bool {
        if test(ty) {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        let any = |list: &[Type]| list.iter().any(|item| self.mentions(item, test, depth + 1));
        match ty {
            Type::Stack(element, _) | Type::List(element) => self.mentions(element, test, depth + 1),
            Type::Tuple(items) => any(items),
            Type::Extern(_, args) | Type::Apply(_, args) | Type::Package(_, args) => any(args),
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
                let entry = &self.program[*id];
                if entry.name.is_empty() {
                    return entry.fields.iter().any(|field| self.mentions(&field.ty, test, depth + 1));
                }
                any(&entry.type_args)
            }
            _ => false,
        }
    }

    /// Puts types in the place of variables.
    pub(super) fn substitute(&mut self, ty: &Type, bindings: &Bindings) -> Type {
        if bindings.is_empty() {
            return ty.clone();
        }
        match ty {
            Type::Variable(id) => bindings.get(id).cloned().unwrap_or_else(|| ty.clone()),
            Type::Stack(element, size) => Type::Stack(Rc::new(self.substitute(element, bindings)), *size),
            Type::List(element) => Type::List(Rc::new(self.substitute(element, bindings))),
            Type::Tuple(items) => Type::Tuple(self.substitute_all(items, bindings)),
            Type::Extern(id, args) => Type::Extern(*id, self.substitute_all(args, bindings)),
            Type::Apply(id, args) => Type::Apply(*id, self.substitute_all(args, bindings)),
            Type::Package(id, args) => Type::Package(*id, self.substitute_all(args, bindings)),
            Type::Struct(id) | Type::Header(id) | Type::Union(id) => {
                let args = self.program[*id].type_args.clone();
                let template = self.template_of.get(&id.0).copied();
                match template {
                    Some(template) if args.iter().any(|arg| self.has_variables(arg)) => {
                        let args = self.substitute_all(&args, bindings).to_vec();
                        let span = self.program[*id].span;
                        self.instantiate_struct(template, args, span)
                    }
                    _ => ty.clone(),
                }
            }
            _ => ty.clone(),
        }
    }

    pub(super) fn substitute_all(&mut self, types: &[Type], bindings: &Bindings) -> Rc<[Type]> {
        types.iter().map(|item| self.substitute(item, bindings)).collect()
    }

    /// Binds the variables among `open` in `pattern` so that it becomes `actual`; false if that cannot be.
    ///
    /// `int` gives way: a variable bound to `int` is bound to the sized type that comes later.
    pub(super) fn unify(
        &mut self,
        pattern: &Type,
        actual: &Type,
        open: &[TypeParameter],
        bindings: &mut Bindings,
    ) -> bool {
        if let Type::Variable(id) = pattern
            && open.iter().any(|param| param.var == *id)
        {
            let Some(bound) = bindings.get(id).cloned() else {
                bindings.insert(*id, actual.clone());
                return true;
            };
            if bound == *actual || matches!(actual, Type::Unknown) {
                return true;
            }
            if matches!(bound, Type::Integer | Type::Unknown) {
                bindings.insert(*id, actual.clone());
                return true;
            }
            if let Some(joined) = self.join(&bound, actual) {
                bindings.insert(*id, joined);
                return true;
            }
            return false;
        }
        match (pattern, actual) {
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Stack(a, n), Type::Stack(b, m)) => n == m && self.unify(a, b, open, bindings),
            (Type::List(a), Type::List(b)) => self.unify(a, b, open, bindings),
            (Type::List(a), Type::Tuple(items)) => items.iter().all(|item| self.unify(a, item, open, bindings)),
            (Type::Tuple(a), Type::Tuple(b)) => self.unify_all(a, b, open, bindings),
            (Type::Extern(a, x), Type::Extern(b, y)) => a == b && self.unify_all(x, y, open, bindings),
            (Type::Apply(a, x), Type::Apply(b, y)) => a == b && self.unify_all(x, y, open, bindings),
            (Type::Package(a, x), Type::Package(b, y)) => a == b && self.unify_all(x, y, open, bindings),
            (Type::Apply(id, args), Type::Parser(_) | Type::Control(_)) => {
                self.unify_apply(*id, args, actual, open, bindings)
            }
            (
                Type::Struct(a) | Type::Header(a) | Type::Union(a),
                Type::Struct(b) | Type::Header(b) | Type::Union(b),
            ) => a == b || self.unify_structs(*a, *b, open, bindings),
            (Type::Struct(a) | Type::Header(a), Type::Tuple(items)) => {
                let fields: Vec<Type> = self.program[*a].fields.iter().map(|field| field.ty.clone()).collect();
                self.unify_all(&fields, items, open, bindings)
            }
            // Constants and serializable enumerations convert.
            _ => pattern == actual || self.converts(actual, pattern),
        }
    }

    fn unify_all(
        &mut self,
        patterns: &[Type],
        actual: &[Type],
        open: &[TypeParameter],
        bindings: &mut Bindings,
    ) -> bool {
        patterns.len() == actual.len()
            && patterns.iter().zip(actual).all(|(pattern, item)| self.unify(pattern, item, open, bindings))
    }

    fn unify_structs(
        &mut self,
        pattern: StructId,
        actual: StructId,
        open: &[TypeParameter],
        bindings: &mut Bindings,
    ) -> bool {
        if self.program[actual].name.is_empty() {
            // A literal without type: its fields by name.
            let fields = self.program[actual].fields.clone();
            let wanted = self.program[pattern].fields.clone();
            return fields.iter().all(|field| {
                let found = wanted.iter().find(|other| other.name == field.name);
                found.is_some_and(|other| self.unify(&other.ty, &field.ty, open, bindings))
            });
        }
        let templates = (self.template_of.get(&pattern.0), self.template_of.get(&actual.0));
        match templates {
            (Some(a), Some(b)) if a == b => {
                let patterns = self.program[pattern].type_args.clone();
                let args = self.program[actual].type_args.clone();
                self.unify_all(&patterns, &args, open, bindings)
            }
            _ => false,
        }
    }

    /// Does a parser or control have the parameters of a parser or control type?
    fn unify_apply(
        &mut self,
        id: crate::typed::ApplyTypeId,
        args: &[Type],
        actual: &Type,
        open: &[TypeParameter],
        bindings: &mut Bindings,
    ) -> bool {
        let declared = &self.program[id];
        let is_parser = declared.is_parser;
        let own: Bindings = declared.type_params.iter().map(|param| param.var).zip(args.iter().cloned()).collect();
        let wanted = declared.params.clone();
        let given = match actual {
            Type::Parser(id) if is_parser => self.program[*id].params.clone(),
            Type::Control(id) if !is_parser => self.program[*id].params.clone(),
            _ => return false,
        };
        wanted.len() == given.len()
            && wanted.iter().zip(&given).all(|(wanted, given)| {
                let ty = self.substitute(&wanted.ty, &own);
                wanted.direction == given.direction && self.unify(&ty, &given.ty, open, bindings)
            })
    }

    /// The type that both convert to without a cast, if they are literals' types.
    pub(super) fn join(&mut self, a: &Type, b: &Type) -> Option<Type> {
        if a == b {
            return Some(a.clone());
        }
        match (a, b) {
            (Type::Unknown, other) | (other, Type::Unknown) => Some(other.clone()),
            (Type::Tuple(x), Type::Tuple(y)) if x.len() == y.len() => {
                let items: Option<Vec<Type>> = x.iter().zip(y.iter()).map(|(x, y)| self.join(x, y)).collect();
                Some(Type::Tuple(items?.into()))
            }
            _ if self.converts(a, b) => Some(b.clone()),
            _ if self.converts(b, a) => Some(a.clone()),
            _ => None,
        }
    }

    /// Type arguments out of bindings; a message for each that is missing. `int` needs a width unless
    /// `allow_integer`.
    pub(super) fn collect_type_args(
        &mut self,
        params: &[TypeParameter],
        bindings: &Bindings,
        span: Span,
        allow_integer: bool,
        may_be_open: &dyn Fn(TypeVarId) -> bool,
    ) -> Option<Vec<Type>> {
        let mut args = Vec::new();
        for param in params {
            match bindings.get(&param.var) {
                Some(Type::Integer) if !allow_integer => {
                    let message = format!(
                        "the width of type parameter '{}' cannot be inferred from a number without width",
                        param.name
                    );
                    self.error(span, message)
                        .help("write the number with its width, as in 8w5, or give the type argument");
                    return None;
                }
                Some(ty) => args.push(ty.clone()),
                None if may_be_open(param.var) => args.push(Type::Unknown),
                None => {
                    let message = format!("type parameter '{}' cannot be inferred", param.name);
                    self.error(span, message).help("give the type arguments in <…>");
                    return None;
                }
            }
        }
        Some(args)
    }
}
