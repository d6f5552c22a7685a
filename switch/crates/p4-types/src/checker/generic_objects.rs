//! Generic parsers and controls: checked once as they are, and again for each set of type arguments.

use super::Checker;
use super::arguments::{CallStyle, Signature};
use super::generics::Bindings;
use crate::typed::{
    Control, ControlId, Expr, ExprKind, InstanceId, InstanceOf, Object, Parameter, Parser, ParserId, Span, TopLevel,
    Type, TypeParameter,
};
use p4_syntax::ast;
use std::collections::HashMap;

/// A generic parser or control.
#[derive(Debug)]
pub(super) struct GenericObject<'a> {
    decl: ObjectDecl<'a>,
    pub(super) type_params: Vec<TypeParameter>,
    instances: HashMap<Vec<Type>, Type>,
    /// Its body is being checked for an instance.
    is_open: bool,
}

#[derive(Clone, Copy, Debug)]
enum ObjectDecl<'a> {
    Control(&'a ast::ControlDecl, &'a ast::ControlBody),
    Parser(&'a ast::ParserDecl, &'a ast::ParserBody),
}

/// At most so many instances of one: more come from a mistake.
const MAX_INSTANCES: usize = 1_000;

impl<'a> Checker<'a> {
    /// Type parameters that stand for themselves.
    fn own_variables(&mut self, names: &[ast::Ident]) -> (Vec<TypeParameter>, Vec<Type>) {
        let params: Vec<TypeParameter> = names
            .iter()
            .map(|name| TypeParameter { name: name.name.clone(), var: self.new_type_var(&name.name) })
            .collect();
        let variables = params.iter().map(|param| Type::Variable(param.var)).collect();
        (params, variables)
    }

    pub(super) fn add_control(&mut self, control: Control, is_generic: bool) -> ControlId {
        let id = ControlId::from_index(self.program.controls.len());
        self.program.controls.push(control);
        if !is_generic {
            self.program.top_level.push(TopLevel::Control(id));
        }
        id
    }

    pub(super) fn add_parser(&mut self, parser: Parser, is_generic: bool) -> ParserId {
        let id = ParserId::from_index(self.program.parsers.len());
        self.program.parsers.push(parser);
        if !is_generic {
            self.program.top_level.push(TopLevel::Parser(id));
        }
        id
    }

    pub(super) fn generic_control(&mut self, decl: &'a ast::ControlDecl, body: &'a ast::ControlBody) -> ControlId {
        let (type_params, variables) = self.own_variables(&decl.type_params);
        let control = self.control_with(decl, body, &variables);
        let id = self.add_control(control, true);
        self.remember(Type::Control(id), ObjectDecl::Control(decl, body), type_params);
        id
    }

    pub(super) fn generic_parser(&mut self, decl: &'a ast::ParserDecl, body: &'a ast::ParserBody) -> ParserId {
        let (type_params, variables) = self.own_variables(&decl.type_params);
        let parser = self.parser_with(decl, body, &variables);
        let id = self.add_parser(parser, true);
        self.remember(Type::Parser(id), ObjectDecl::Parser(decl, body), type_params);
        id
    }

    fn remember(&mut self, ty: Type, decl: ObjectDecl<'a>, type_params: Vec<TypeParameter>) {
        self.generic_objects.insert(ty, GenericObject { decl, type_params, instances: HashMap::new(), is_open: false });
    }

    /// The parser or control with these type arguments.
    pub(super) fn instantiate_object(&mut self, generic: &Type, args: Vec<Type>, span: Span) -> Type {
        let Some(entry) = self.generic_objects.get_mut(generic) else {
            return generic.clone();
        };
        if let Some(known) = entry.instances.get(&args) {
            return known.clone();
        }
        if entry.instances.len() >= MAX_INSTANCES {
            self.error(span, "this generic declaration has too many instances");
            return Type::Unknown;
        }
        if std::mem::replace(&mut entry.is_open, true) {
            self.report_own_use(span);
            return Type::Unknown;
        }
        let decl = entry.decl;
        let is_generic = args.iter().any(|arg| self.has_variables(arg));
        let around = self.scopes.set_aside();
        let ty = match decl {
            ObjectDecl::Control(decl, body) => {
                let control = self.control_with(decl, body, &args);
                Type::Control(self.add_control(control, is_generic))
            }
            ObjectDecl::Parser(decl, body) => {
                let parser = self.parser_with(decl, body, &args);
                Type::Parser(self.add_parser(parser, is_generic))
            }
        };
        self.scopes.restore(around);
        if let Some(entry) = self.generic_objects.get_mut(generic) {
            entry.instances.insert(args.clone(), ty.clone());
            entry.is_open = false;
        }
        self.object_args.insert(ty.clone(), (generic.clone(), args));
        ty
    }

    /// For a generic parser or control without type arguments: finds them by the constructor's arguments and by
    /// the type that is wanted.
    pub(super) fn infer_object(
        &mut self,
        generic: &Type,
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Type> {
        let type_params = self.generic_objects.get(generic)?.type_params.clone();
        let (name, params, constructor_params) = match generic {
            Type::Control(id) => {
                let entry = &self.program[*id];
                (entry.name.clone(), entry.params.clone(), entry.constructor_params.clone())
            }
            Type::Parser(id) => {
                let entry = &self.program[*id];
                (entry.name.clone(), entry.params.clone(), entry.constructor_params.clone())
            }
            _ => return None,
        };
        let mut bindings = Bindings::new();
        if let Some(want) = want {
            self.bind_by_apply_type(&params, want, &type_params, &mut bindings);
        }
        let known =
            type_params.iter().map(|param| bindings.get(&param.var).cloned().unwrap_or(Type::Unknown)).collect();
        let signature = Signature {
            name,
            type_params,
            params: constructor_params,
            result: Type::Void,
            style: CallStyle::Constructor,
        };
        let resolved = self.resolve_call_with(&signature, known, args, None, span)?;
        Some(self.instantiate_object(generic, resolved.type_args, span))
    }

    fn bind_by_apply_type(
        &mut self,
        params: &[Parameter],
        want: &Type,
        open: &[TypeParameter],
        bindings: &mut Bindings,
    ) {
        let Type::Apply(id, args) = want else {
            return;
        };
        let entry = &self.program[*id];
        let own: Bindings = entry.type_params.iter().map(|param| param.var).zip(args.iter().cloned()).collect();
        let wanted = entry.params.clone();
        for (param, wanted) in params.iter().zip(&wanted) {
            let actual = self.substitute(&wanted.ty, &own);
            if !self.has_variables(&actual) {
                self.unify(&param.ty, &actual, open, bindings);
            }
        }
    }

    /// A default argument of a generic package, once the type arguments are known.
    pub(super) fn specialize_default(&mut self, value: Expr, bindings: &Bindings) -> Expr {
        let ExprKind::Object(Object::Instance(id)) = value.kind else {
            return value;
        };
        let Some((generic, args)) = self.object_args.get(&value.ty).cloned() else {
            return value;
        };
        if !args.iter().any(|arg| self.has_variables(arg)) {
            return value;
        }
        let args = self.substitute_all(&args, bindings).to_vec();
        let ty = self.instantiate_object(&generic, args, value.span);
        let mut instance = self.program[id].clone();
        instance.ty = ty.clone();
        instance.of = match &ty {
            Type::Control(id) => InstanceOf::Control(*id),
            Type::Parser(id) => InstanceOf::Parser(*id),
            _ => return value,
        };
        let id = InstanceId::from_index(self.program.instances.len());
        self.program.instances.push(instance);
        Expr { kind: ExprKind::Object(Object::Instance(id)), ty, span: value.span }
    }
}
