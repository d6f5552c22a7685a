//! Arguments to parameters.

use super::Checker;
use super::generics::Bindings;
use crate::eval;
use crate::typed::{Argument, Direction, Expr, ExprKind, Parameter, Span, Type, TypeParameter, VariableKind};
use p4_syntax::{Kind, ast};
use std::rc::Rc;

/// The kind of callee, for the rules that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallStyle {
    /// A function or an extern: arguments without direction are known at compile time.
    Function,
    /// An action: arguments without direction may be any value.
    Action,
    /// `apply` of a parser or control.
    Apply,
    /// A constructor: all arguments are known at compile time.
    Constructor,
}

/// A signature to be called.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: Rc<str>,
    pub(super) type_params: Vec<TypeParameter>,
    pub(super) params: Vec<Parameter>,
    pub(super) result: Type,
    pub(super) style: CallStyle,
}

/// A call with everything resolved.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) type_args: Vec<Type>,
    pub(super) args: Vec<Argument>,
    pub(super) result: Type,
}

/// An argument while type arguments are still looked for.
enum Pending {
    Omitted,
    Default(Expr),
    /// Checked against its final type.
    Done(Expr),
    /// Checked without a type.
    Open(Expr),
}

impl<'a> Checker<'a> {
    /// Can these arguments be for these parameters, going by number and names?
    pub(super) fn arguments_fit(params: &[Parameter], args: &[ast::Argument]) -> bool {
        Self::assign_arguments(params, args).is_ok()
    }

    /// For each parameter, the position of its argument; or else an error: its kind, its place if it is not the call,
    /// and a text.
    fn assign_arguments(
        params: &[Parameter],
        args: &[ast::Argument],
    ) -> Result<Vec<Option<usize>>, (Kind, Option<Span>, String)> {
        let mut assigned: Vec<Option<usize>> = vec![None; params.len()];
        let named = args.iter().filter(|arg| arg.name.is_some()).count();
        if named != 0 && named != args.len() {
            return Err((Kind::Invalid, None, "either all arguments are named or none".into()));
        }
        for (index, arg) in args.iter().enumerate() {
            let position = match &arg.name {
                None => index,
                Some(name) => match params.iter().position(|param| param.name == name.name) {
                    Some(position) => position,
                    None => {
                        return Err((
                            Kind::TypeError,
                            Some(name.span),
                            format!("there is no parameter '{}'", name.name),
                        ));
                    }
                },
            };
            let Some(slot) = assigned.get_mut(position) else {
                let message = format!("{} arguments given, at most {} taken", args.len(), params.len());
                return Err((Kind::TypeError, Some(arg.value.span), message));
            };
            if slot.is_some() {
                let name = &params[position].name;
                return Err((Kind::Duplicate, Some(arg.value.span), format!("parameter '{name}' gets two arguments")));
            }
            *slot = Some(index);
        }
        for (param, slot) in params.iter().zip(&assigned) {
            if slot.is_none() && param.default.is_none() && !param.optional {
                return Err((Kind::TypeError, None, format!("no argument for parameter '{}'", param.name)));
            }
        }
        Ok(assigned)
    }

    /// Checks arguments and finds type arguments. None after a message.
    pub(super) fn resolve_call(
        &mut self,
        signature: &Signature,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Resolved> {
        let explicit: Vec<Type> = type_args.iter().map(|arg| self.resolve_type(arg)).collect();
        self.resolve_call_with(signature, explicit, args, want, span)
    }

    /// As [`Checker::resolve_call`], the given type arguments resolved already.
    pub(super) fn resolve_call_with(
        &mut self,
        signature: &Signature,
        explicit: Vec<Type>,
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Resolved> {
        let assigned = match Self::assign_arguments(&signature.params, args) {
            Ok(assigned) => assigned,
            Err((kind, place, message)) => {
                let message = format!("call of '{}': {message}", signature.name);
                self.error_of(kind, place.unwrap_or(span), message);
                for arg in args {
                    if !matches!(arg.value.kind, ast::ExprKind::Any) {
                        self.quiet_check(&arg.value);
                    }
                }
                return None;
            }
        };
        let mut bindings = self.explicit_bindings(signature, explicit, span)?;
        let errors = self.diagnostics.error_count();
        let mut pending = Vec::new();
        for (param, slot) in signature.params.iter().zip(&assigned) {
            let item = match slot.and_then(|index| args.get(index)) {
                None => match &param.default {
                    Some(value) => {
                        let open = self.substitute(&param.ty, &bindings);
                        let ty = value.ty.clone();
                        let is_open = self
                            .object_args
                            .get(&ty)
                            .is_some_and(|(_, args)| args.iter().any(|arg| self.has_variables(arg)));
                        if !is_open && self.mentions_any(&open, &signature.type_params) {
                            self.unify(&open, &ty, &signature.type_params, &mut bindings);
                        }
                        Pending::Default(value.clone())
                    }
                    None => Pending::Omitted,
                },
                Some(arg) => self.argument(signature, param, &arg.value, &mut bindings),
            };
            pending.push(item);
        }
        if self.diagnostics.error_count() > errors {
            return None;
        }
        if let Some(want) = want
            && self.mentions_any(&signature.result, &signature.type_params)
        {
            let result = self.substitute(&signature.result, &bindings);
            if self.mentions_any(&result, &signature.type_params) {
                self.unify(&result, want, &signature.type_params, &mut bindings);
            }
        }
        let allow_integer = signature.style == CallStyle::Constructor;
        // Only omitted optional parameters speak of it: it stays open.
        let only_omitted: Vec<_> = signature
            .type_params
            .iter()
            .filter(|candidate| {
                let single = std::slice::from_ref(*candidate);
                let mut uses = signature.params.iter().filter(|param| self.mentions_any(&param.ty, single)).peekable();
                uses.peek().is_some() && uses.all(|param| param.optional)
            })
            .map(|candidate| candidate.var)
            .collect();
        for param in &signature.type_params {
            if let Some(bound) = bindings.get(&param.var).cloned()
                && self.is_anonymous(&bound)
            {
                let message =
                    format!("the type of the structure that stands for type parameter '{}' is not known", param.name);
                self.error(span, message).help("write it with a cast: (T){…}");
                return None;
            }
        }
        let may_be_open = |var| only_omitted.contains(&var);
        let type_args = self.collect_type_args(&signature.type_params, &bindings, span, allow_integer, &may_be_open)?;
        let args = signature
            .params
            .iter()
            .zip(pending)
            .map(|(param, item)| self.finish_argument(signature.style, param, item, &bindings))
            .collect();
        Some(Resolved { type_args, args, result: self.substitute(&signature.result, &bindings) })
    }

    /// Looks at an argument of a wrong call, for mistakes of its own.
    fn quiet_check(&mut self, value: &'a ast::Expr) {
        let simple = !matches!(
            value.kind,
            ast::ExprKind::List(_) | ast::ExprKind::Struct { .. } | ast::ExprKind::Invalid | ast::ExprKind::Dots
        );
        if simple {
            self.expr(value, None);
        }
    }

    fn explicit_bindings(&mut self, signature: &Signature, explicit: Vec<Type>, span: Span) -> Option<Bindings> {
        let mut bindings = Bindings::new();
        if explicit.is_empty() {
            return Some(bindings);
        }
        if explicit.len() != signature.type_params.len() {
            let message = format!(
                "'{}' takes {} type arguments, {} given",
                signature.name,
                signature.type_params.len(),
                explicit.len()
            );
            self.error(span, message);
            return None;
        }
        for (param, ty) in signature.type_params.iter().zip(explicit) {
            if !matches!(ty, Type::Unknown) {
                bindings.insert(param.var, ty);
            }
        }
        Some(bindings)
    }

    fn argument(
        &mut self,
        signature: &Signature,
        param: &Parameter,
        value: &'a ast::Expr,
        bindings: &mut Bindings,
    ) -> Pending {
        if matches!(value.kind, ast::ExprKind::Any) {
            if param.direction != Direction::Out && !param.optional {
                let message = format!("'_' can only stand for an 'out' parameter; '{}' is none", param.name);
                self.error(value.span, message);
            }
            return Pending::Omitted;
        }
        let ty = self.substitute(&param.ty, bindings);
        if !self.mentions_any(&ty, &signature.type_params) {
            let checked = self.expr(value, Some(&ty));
            return Pending::Done(self.check_argument(signature.style, param, checked, &ty));
        }
        let checked = self.expr(value, Some(&ty));
        if matches!(checked.ty, Type::Unknown) {
            return Pending::Done(checked);
        }
        if !self.unify(&ty, &checked.ty.clone(), &signature.type_params, bindings) {
            let message = format!(
                "argument for parameter '{}' of type '{}' cannot be '{}'",
                param.name,
                self.show(&ty),
                self.show(&checked.ty)
            );
            self.error(value.span, message);
        }
        Pending::Open(checked)
    }

    fn finish_argument(&mut self, style: CallStyle, param: &Parameter, item: Pending, bindings: &Bindings) -> Argument {
        let ty = self.substitute(&param.ty, bindings);
        let value = match item {
            Pending::Omitted => None,
            Pending::Done(value) => Some(value),
            Pending::Default(value) => {
                let value = self.specialize_default(value, bindings);
                Some(self.coerce(value, &ty))
            }
            Pending::Open(value) => Some(self.check_argument(style, param, value, &ty)),
        };
        Argument { name: param.name.clone(), direction: param.direction, ty, value }
    }

    /// Checks an argument against the type and the direction of its parameter.
    fn check_argument(&mut self, style: CallStyle, param: &Parameter, value: Expr, ty: &Type) -> Expr {
        if matches!(value.kind, ExprKind::Invalidated) {
            return value;
        }
        if matches!(param.direction, Direction::Out | Direction::InOut) {
            if value.ty != *ty && !matches!(value.ty, Type::Unknown) && !matches!(ty, Type::Unknown) {
                let message = format!(
                    "parameter '{}' is written and needs a variable of type '{}', not '{}'",
                    param.name,
                    self.show(ty),
                    self.show(&value.ty)
                );
                self.error(value.span, message);
                return self.wrong(value.span);
            }
            self.require_lvalue(&value);
            return value;
        }
        let value = self.coerce(value, ty);
        let must_be_known = match style {
            CallStyle::Constructor => true,
            CallStyle::Action => false,
            CallStyle::Function | CallStyle::Apply => param.direction == Direction::None,
        };
        if must_be_known && !self.is_known_argument(&value) && !matches!(ty, Type::Variable(_)) {
            let message = format!("the argument for parameter '{}' must be known at compile time", param.name);
            self.error(value.span, message);
        }
        value
    }

    /// Known at compile time, counting parameters without direction as known.
    fn is_known_argument(&self, value: &Expr) -> bool {
        if let ExprKind::Var(id) = &value.kind
            && matches!(self.program[*id].kind, VariableKind::Parameter(Direction::None))
        {
            return true;
        }
        eval::is_known(&self.program, value)
    }
}
