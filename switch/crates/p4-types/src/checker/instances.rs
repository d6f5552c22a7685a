//! Instances: declared ones, anonymous ones, direct application.

use super::arguments::{CallStyle, Resolved, Signature};
use super::scope::Symbol;
use super::{Checker, Context, Place};
use crate::typed::{
    Argument, Expr, ExprKind, ExternId, Function, FunctionId, Instance, InstanceId, InstanceOf, InstanceOrigin, Local,
    Object, Span, Type,
};
use p4_syntax::{Kind, ast};
use std::rc::Rc;

/// A resolved constructor call.
struct Constructed {
    of: InstanceOf,
    ty: Type,
    args: Vec<Argument>,
}

impl<'a> Checker<'a> {
    /// A declared instance, at any level.
    pub(super) fn instance(&mut self, decl: &'a ast::InstanceDecl) -> Option<InstanceId> {
        let annotations = self.annotations(&decl.annotations);
        let ty = self.resolve_type(&decl.ty);
        let span = decl.ty.span.to(decl.name.span);
        // An initializer is refused below, which is enough.
        if decl.initializer.is_none() || matches!(ty, Type::Extern(..)) {
            self.check_instance_place(&ty, decl.name.span);
        }
        let Some(made) = self.constructor_call(ty, &decl.args, None, span) else {
            self.declare(&decl.name, Symbol::Wrong);
            return None;
        };
        let id = InstanceId::from_index(self.program.instances.len());
        self.program.instances.push(Instance {
            name: decl.name.name.clone(),
            of: made.of,
            ty: made.ty,
            args: made.args,
            methods: Vec::new(),
            locals: Vec::new(),
            origin: InstanceOrigin::Declared,
            annotations,
            span: decl.name.span,
        });
        self.initializer(id, decl);
        self.declare(&decl.name, Symbol::Instance(id));
        Some(id)
    }

    /// Where which objects may be declared.
    fn check_instance_place(&mut self, ty: &Type, span: Span) {
        let place = self.context.place;
        let wrong = match ty {
            Type::Package(..) => place != Place::TopLevel,
            Type::Control(_) => !matches!(place, Place::Control),
            Type::Parser(_) => !matches!(place, Place::Parser),
            _ => matches!(place, Place::Function | Place::Action),
        };
        if wrong {
            let message = format!("'{}' cannot be instantiated here", self.show(ty));
            self.error_of(Kind::Invalid, span, message);
        }
    }

    /// `T(args)` as an expression.
    pub(super) fn construct(
        &mut self,
        ty: &'a ast::Type,
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let resolved = self.resolve_type(ty);
        let Some(made) = self.constructor_call(resolved, args, want, span) else {
            return self.wrong(span);
        };
        let ty = made.ty.clone();
        let id = self.anonymous(made, "".into(), InstanceOrigin::Anonymous, span);
        Expr { kind: ExprKind::Object(Object::Instance(id)), ty, span }
    }

    fn anonymous(&mut self, made: Constructed, name: Rc<str>, origin: InstanceOrigin, span: Span) -> InstanceId {
        let id = InstanceId::from_index(self.program.instances.len());
        self.program.instances.push(Instance {
            name,
            of: made.of,
            ty: made.ty,
            args: made.args,
            methods: Vec::new(),
            locals: Vec::new(),
            origin,
            annotations: Vec::new(),
            span,
        });
        if self.context.place != Place::TopLevel {
            self.context.extra_locals.push(Local::Instance(id));
        }
        id
    }

    /// `T.apply(args)`
    pub(super) fn direct_apply(
        &mut self,
        ty: &'a ast::Type,
        method: &'a ast::Ident,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let resolved = self.resolve_type(ty);
        if !matches!(resolved, Type::Parser(_) | Type::Control(_) | Type::Unknown) {
            let message = format!("'{}' cannot be applied", self.show(&resolved));
            self.error(ty.span, message);
            return None;
        }
        let made = self.constructor_call(resolved, &[], None, ty.span)?;
        let object_type = made.ty.clone();
        let name = match &object_type {
            Type::Parser(id) => self.program[*id].name.clone(),
            Type::Control(id) => self.program[*id].name.clone(),
            _ => "".into(),
        };
        let id = self.anonymous(made, name, InstanceOrigin::DirectApplication, ty.span);
        self.apply_object(Object::Instance(id), &object_type, method, args, span)
    }

    /// Finds the constructor and its arguments.
    fn constructor_call(
        &mut self,
        ty: Type,
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Constructed> {
        let ty = self.pick_alternative(ty, args);
        let ty = if self.generic_objects.contains_key(&ty) { self.infer_object(&ty, args, want, span)? } else { ty };
        match ty {
            Type::Extern(id, type_args) => self.extern_constructor(id, &type_args, args, span),
            Type::Parser(id) => {
                let entry = &self.program[id];
                let signature = Signature {
                    name: entry.name.clone(),
                    type_params: Vec::new(),
                    params: entry.constructor_params.clone(),
                    result: Type::Void,
                    style: CallStyle::Constructor,
                };
                let resolved = self.resolve_call(&signature, &[], args, None, span)?;
                Some(Constructed { of: InstanceOf::Parser(id), ty: Type::Parser(id), args: resolved.args })
            }
            Type::Control(id) => {
                let entry = &self.program[id];
                let signature = Signature {
                    name: entry.name.clone(),
                    type_params: Vec::new(),
                    params: entry.constructor_params.clone(),
                    result: Type::Void,
                    style: CallStyle::Constructor,
                };
                let resolved = self.resolve_call(&signature, &[], args, None, span)?;
                Some(Constructed { of: InstanceOf::Control(id), ty: Type::Control(id), args: resolved.args })
            }
            Type::Package(id, type_args) => {
                let entry = &self.program[id];
                let signature = Signature {
                    name: entry.name.clone(),
                    type_params: entry.type_params.clone(),
                    params: entry.params.clone(),
                    result: Type::Void,
                    style: CallStyle::Constructor,
                };
                let resolved = self.resolve_generic(&signature, &type_args, args, span)?;
                Some(Constructed {
                    ty: Type::Package(id, resolved.type_args.clone().into()),
                    of: InstanceOf::Package { id, type_args: resolved.type_args },
                    args: resolved.args,
                })
            }
            Type::Unknown => None,
            other => {
                let message = format!("'{}' has no constructor", self.show(&other));
                self.error(span, message);
                None
            }
        }
    }

    /// A constructor whose type arguments are given or inferred.
    fn resolve_generic(
        &mut self,
        signature: &Signature,
        type_args: &[Type],
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Resolved> {
        self.resolve_call_with(signature, type_args.to_vec(), args, None, span)
    }

    fn extern_constructor(
        &mut self,
        id: ExternId,
        type_args: &[Type],
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Constructed> {
        let constructors = self.program[id].constructors.clone();
        let name = self.program[id].name.clone();
        let fitting = constructors
            .iter()
            .position(|constructor| Self::arguments_fit(&constructor.params, args))
            .or(if constructors.len() == 1 { Some(0) } else { None });
        let Some(position) = fitting else {
            let message = if constructors.is_empty() {
                format!("extern '{name}' has no constructor")
            } else {
                format!("no constructor of '{name}' takes these {} arguments", args.len())
            };
            self.error(span, message);
            return None;
        };
        let signature = Signature {
            name,
            type_params: self.program[id].type_params.clone(),
            params: constructors[position].params.clone(),
            result: Type::Void,
            style: CallStyle::Constructor,
        };
        let resolved = self.resolve_generic(&signature, type_args, args, span)?;
        Some(Constructed {
            ty: Type::Extern(id, resolved.type_args.clone().into()),
            of: InstanceOf::Extern { id, type_args: resolved.type_args, constructor: position },
            args: resolved.args,
        })
    }

    /// Checks the initializer `= { … }`: the bodies of abstract methods, and the instances declared beside them.
    fn initializer(&mut self, id: InstanceId, decl: &'a ast::InstanceDecl) {
        let Type::Extern(extern_id, type_args) = self.program[id].ty.clone() else {
            if let Some(items) = &decl.initializer {
                self.error(decl.name.span, "only instances of externs can have an initializer");
                for item in items {
                    if let ast::Declaration::Function(function) = item
                        && let Some(result) = &function.result
                    {
                        self.resolve_type(result);
                    }
                }
            }
            return;
        };
        if let Some(items) = &decl.initializer {
            let has_abstract = self.program[extern_id].methods.iter().any(|method| method.is_abstract);
            if !has_abstract {
                let message = format!(
                    "extern '{}' has no abstract methods, so its instances have no initializer",
                    self.program[extern_id].name
                );
                self.error(decl.name.span, message);
                return;
            }
            self.scopes.push();
            let before = self.context.this.replace(id);
            for item in items {
                match item {
                    ast::Declaration::Instance(inner) => {
                        if let Some(inner) = self.instance(inner) {
                            self.program.instances[id.index()].locals.push(Local::Instance(inner));
                        }
                    }
                    ast::Declaration::Function(function) => {
                        self.abstract_method(id, extern_id, &type_args, function);
                    }
                    _ => {}
                }
            }
            self.context.this = before;
            self.scopes.pop();
        }
        self.check_abstract_methods(id, extern_id, decl.name.span);
    }

    fn check_abstract_methods(&mut self, id: InstanceId, extern_id: ExternId, span: Span) {
        let given: Vec<usize> = self.program[id].methods.iter().map(|(method, _)| *method).collect();
        let missing: Vec<Rc<str>> = self.program[extern_id]
            .methods
            .iter()
            .enumerate()
            .filter(|(position, method)| method.is_abstract && !given.contains(position))
            .map(|(_, method)| method.name.clone())
            .collect();
        for name in missing {
            let message = format!("the abstract method '{name}' has no body");
            self.error(span, message).help("give it in an initializer: = { … }");
        }
    }

    fn abstract_method(
        &mut self,
        id: InstanceId,
        extern_id: ExternId,
        type_args: &[Type],
        decl: &'a ast::FunctionDecl,
    ) {
        let position = self.program[extern_id].methods.iter().position(|method| {
            method.is_abstract && method.name == decl.name.name && method.params.len() == decl.params.len()
        });
        let function = FunctionId::from_index(self.program.functions.len());
        self.program.functions.push(Function {
            name: decl.name.name.clone(),
            type_args: Vec::new(),
            params: Vec::new(),
            result: Type::Void,
            body: crate::typed::Block::default(),
            annotations: Vec::new(),
            span: decl.name.span,
        });
        let mut context = Context::new(Place::Function);
        context.this = Some(id);
        self.function_body(decl, Vec::new(), function, context);
        let Some(position) = position else {
            let message = format!(
                "extern '{}' has no abstract method '{}' with {} parameters",
                self.program[extern_id].name,
                decl.name.name,
                decl.params.len()
            );
            self.error(decl.name.span, message);
            return;
        };
        let wanted = self.method_signature(extern_id, type_args, position);
        let given = self.program[function].clone();
        let same = wanted.result == given.result
            && wanted.params.iter().zip(&given.params).all(|(a, b)| a.ty == b.ty && a.direction == b.direction);
        let open = wanted.type_params.is_empty();
        if !same && open {
            let before = self.program[extern_id].methods[position].span;
            let message = format!("method '{}' has other types than the abstract method", decl.name.name);
            self.error(decl.name.span, message).note_at(before, "declared here");
        }
        self.program.instances[id.index()].methods.push((position, function));
    }
}
