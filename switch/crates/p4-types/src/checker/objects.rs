//! Controls, and the parts that controls and parsers have in common.

use super::scope::Symbol;
use super::{Checker, Context, Place};
use crate::typed::{Control, Local, Parameter, Type, Variable, VariableKind};
use p4_syntax::ast;

impl<'a> Checker<'a> {
    pub(super) fn control(&mut self, decl: &'a ast::ControlDecl) {
        let Some(body) = &decl.body else {
            self.apply_type(false, &decl.name, &decl.type_params, &decl.params, &decl.annotations);
            return;
        };
        let id = if decl.type_params.is_empty() {
            let control = self.control_with(decl, body, &[]);
            self.add_control(control, false)
        } else {
            self.generic_control(decl, body)
        };
        self.declare_object(&decl.name, Symbol::Control(id), Type::Control(id));
    }

    /// Enters a parser, control or package. Several may share a name if their constructors' parameters differ.
    pub(super) fn declare_object(&mut self, name: &ast::Ident, symbol: Symbol, ty: Type) {
        let first = match self.scopes.find_here(&name.name).map(|entry| &entry.symbol) {
            Some(Symbol::Control(id)) => Type::Control(*id),
            Some(Symbol::Parser(id)) => Type::Parser(*id),
            Some(Symbol::Package(id)) => Type::Package(*id, Vec::new().into()),
            _ => {
                self.declare(name, symbol);
                return;
            }
        };
        let mut known = vec![first.clone()];
        known.extend(self.alternatives.get(&first).cloned().unwrap_or_default());
        let names = self.constructor_names(&ty);
        let same_kind = std::mem::discriminant(&first) == std::mem::discriminant(&ty);
        let differs = known.iter().all(|other| self.constructor_names(other) != names);
        if same_kind && differs {
            self.alternatives.entry(first).or_default().push(ty);
        } else {
            self.declare(name, symbol);
        }
    }

    fn constructor_params(&self, ty: &Type) -> Vec<Parameter> {
        match ty {
            Type::Control(id) => self.program[*id].constructor_params.clone(),
            Type::Parser(id) => self.program[*id].constructor_params.clone(),
            Type::Package(id, _) => self.program[*id].params.clone(),
            _ => Vec::new(),
        }
    }

    fn constructor_names(&self, ty: &Type) -> Vec<std::rc::Rc<str>> {
        let params = self.constructor_params(ty);
        params.into_iter().map(|param| param.name).collect()
    }

    /// Among parsers, controls or packages of one name, the one that the arguments are for.
    pub(super) fn pick_alternative(&self, ty: Type, args: &[ast::Argument]) -> Type {
        let (key, type_args) = match &ty {
            Type::Package(id, args) => (Type::Package(*id, Vec::new().into()), Some(args.clone())),
            other => (other.clone(), None),
        };
        let Some(list) = self.alternatives.get(&key) else {
            return ty;
        };
        if Self::arguments_fit(&self.constructor_params(&key), args) {
            return ty;
        }
        let found = list.iter().find(|other| Self::arguments_fit(&self.constructor_params(other), args));
        match (found, type_args) {
            (Some(Type::Package(id, _)), Some(type_args)) => Type::Package(*id, type_args),
            (Some(other), _) => other.clone(),
            (None, _) => ty,
        }
    }

    /// Checks a control, its type parameters standing for `args`.
    pub(super) fn control_with(
        &mut self,
        decl: &'a ast::ControlDecl,
        body: &'a ast::ControlBody,
        args: &[Type],
    ) -> Control {
        let annotations = self.annotations(&decl.annotations);
        let context = Context::new(Place::Control);
        let (mut control, used) = self.in_context(context, |checker| {
            checker.scoped(|checker| {
                for (name, ty) in decl.type_params.iter().zip(args) {
                    checker.declare(name, Symbol::Type(ty.clone()));
                }
                let params = checker.parameters(&decl.params);
                let constructor_params = checker.constructor_parameters_of_object(&body.constructor_params);
                checker.check_apply_parameters(&params);
                checker.scoped(|checker| {
                    let mut locals = Vec::new();
                    for local in &body.locals {
                        checker.local(local, &mut locals);
                    }
                    let apply = checker.block(&body.apply);
                    Control {
                        name: decl.name.name.clone(),
                        params,
                        constructor_params,
                        locals,
                        body: apply,
                        annotations,
                        span: decl.name.span,
                    }
                })
            })
        });
        control.locals.extend(used.extra_locals);
        control
    }

    /// Parameters of `apply` are values or objects that exist at run time.
    pub(super) fn check_apply_parameters(&mut self, params: &[Parameter]) {
        for param in params {
            let span = self.program[param.var].span;
            if matches!(param.ty, Type::Package(..) | Type::Apply(..)) {
                let message = format!("'{}' cannot be the type of a parameter here", self.show(&param.ty));
                self.error(span, message).help("make it a constructor parameter");
            }
        }
    }

    /// A local declaration of a control or parser.
    pub(super) fn local(&mut self, declaration: &'a ast::Declaration, locals: &mut Vec<Local>) {
        match declaration {
            ast::Declaration::Constant(decl) => self.constant(decl),
            ast::Declaration::Variable(decl) => {
                if let Some((id, value)) = self.variable(decl) {
                    locals.push(Local::Variable(id, value));
                }
            }
            ast::Declaration::Instance(decl) => {
                if let Some(id) = self.instance(decl) {
                    locals.push(Local::Instance(id));
                }
            }
            ast::Declaration::Action(decl) => {
                if let Some(id) = self.action(decl) {
                    locals.push(Local::Action(id));
                }
            }
            ast::Declaration::Table(decl) => {
                if let Some(id) = self.table(decl) {
                    locals.push(Local::Table(id));
                }
            }
            ast::Declaration::ValueSet(decl) => {
                let id = self.value_set(decl);
                locals.push(Local::ValueSet(id));
            }
            other => self.top_level(other),
        }
    }

    /// A variable, in any body.
    pub(super) fn variable(
        &mut self,
        decl: &'a ast::VariableDecl,
    ) -> Option<(crate::typed::VarId, Option<crate::typed::Expr>)> {
        let annotations = self.annotations(&decl.annotations);
        let mut ty = self.value_type(&decl.ty);
        if !self.is_storable(&ty) || matches!(ty, Type::String) {
            let message = format!("a variable cannot have type '{}'", self.show(&ty));
            let missing_args = Self::is_object(&ty);
            let diagnostic = self.error(decl.ty.span, message);
            if missing_args {
                diagnostic.help("an instance is declared with arguments: T(…) name;");
            }
            ty = Type::Unknown;
        }
        let value = decl.value.as_ref().map(|value| self.expr_as(value, &ty));
        let id = self.new_variable(Variable {
            name: decl.name.name.clone(),
            ty,
            kind: VariableKind::Local,
            annotations,
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::Variable(id));
        Some((id, value))
    }
}
