//! Calls.

use super::arguments::{CallStyle, Signature};
use super::scope::{FunctionSymbol, Symbol};
use super::{Checker, Place};
use crate::typed::{Argument, Call, Callee, Expr, ExprKind, ExternId, Method, Object, Span, Type, Value};
use p4_syntax::{Kind, ast};
use std::rc::Rc;

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a ast::Expr,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let result = match &callee.kind {
            ast::ExprKind::Path(path) => self.call_name(path, type_args, args, want, span),
            ast::ExprKind::Member(base, name) => self.call_member(base, name, type_args, args, want, span),
            _ => {
                self.error(callee.span, "this cannot be called");
                None
            }
        };
        result.unwrap_or_else(|| self.wrong(span))
    }

    pub(super) fn call_expr(
        &self,
        callee: Callee,
        type_args: Vec<Type>,
        args: Vec<Argument>,
        result: Type,
        span: Span,
    ) -> Expr {
        let call = Call { callee, type_args, args, result: result.clone(), span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: result, span }
    }

    fn call_name(
        &mut self,
        path: &'a ast::Path,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        match self.find(path) {
            None => {
                self.report_unknown(&path.name, "function");
                None
            }
            Some(Symbol::Functions(list)) => self.call_function(&list, type_args, args, want, span),
            Some(Symbol::Action(id)) => {
                if !matches!(self.context.place, Place::Control | Place::Action) {
                    self.error(span, "an action can only be called in a control or in another action");
                }
                let signature = Signature {
                    name: path.name.name.clone(),
                    type_params: Vec::new(),
                    params: self.program[id].params.clone(),
                    result: Type::Void,
                    style: CallStyle::Action,
                };
                let resolved = self.resolve_call(&signature, type_args, args, None, span)?;
                Some(self.call_expr(Callee::Action(id), Vec::new(), resolved.args, Type::Void, span))
            }
            Some(Symbol::Wrong) => None,
            Some(other) => {
                let message = format!("'{}' is {}, it cannot be called", path.name.name, other.describe());
                self.error(span, message);
                None
            }
        }
    }

    fn function_signature(&self, function: FunctionSymbol) -> Signature {
        match function {
            FunctionSymbol::Template(index) => {
                let template = &self.function_templates[index];
                Signature {
                    name: template.decl.name.name.clone(),
                    type_params: template.type_params.clone(),
                    params: template.params.clone(),
                    result: template.result.clone(),
                    style: CallStyle::Function,
                }
            }
            FunctionSymbol::Extern(id) => {
                let entry = &self.program[id];
                Signature {
                    name: entry.name.clone(),
                    type_params: entry.type_params.clone(),
                    params: entry.params.clone(),
                    result: entry.result.clone(),
                    style: CallStyle::Function,
                }
            }
        }
    }

    fn call_function(
        &mut self,
        list: &[FunctionSymbol],
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let signatures: Vec<Signature> = list.iter().map(|item| self.function_signature(*item)).collect();
        let position = self.pick(&signatures, args, span)?;
        let signature = &signatures[position];
        let resolved = self.resolve_call(signature, type_args, args, want, span)?;
        if &*signature.name == "verify"
            && matches!(list[position], FunctionSymbol::Extern(_))
            && !matches!(self.context.place, Place::Parser | Place::Function)
        {
            self.error(span, "'verify' can only be called in a parser");
        }
        if let Some(ty) = resolved.type_args.iter().find(|ty| Self::is_object(ty) && !matches!(ty, Type::Extern(..))) {
            let message = format!("'{}' cannot be the type of an argument here", self.show(ty));
            self.error(span, message);
        }
        if &*signature.name == "static_assert" && matches!(list[position], FunctionSymbol::Extern(_)) {
            return Some(self.static_assert(&resolved.args, span));
        }
        match list[position] {
            FunctionSymbol::Extern(id) => {
                let callee = Callee::ExternFunction(id);
                Some(self.call_expr(callee, resolved.type_args, resolved.args, resolved.result, span))
            }
            FunctionSymbol::Template(index) => {
                let open = resolved.type_args.iter().any(|ty| self.has_variables(ty));
                let id = if open {
                    // Inside the check of a generic body itself: that of the callee is checked elsewhere.
                    let own = self.function_templates[index]
                        .type_params
                        .iter()
                        .map(|param| Type::Variable(param.var))
                        .collect();
                    self.instantiate_function(index, own, span)
                } else {
                    self.instantiate_function(index, resolved.type_args.clone(), span)
                };
                let callee = Callee::Function(id);
                Some(self.call_expr(callee, resolved.type_args, resolved.args, resolved.result, span))
            }
        }
    }

    /// The one among several signatures that the arguments are for, by their number and names.
    fn pick(&mut self, signatures: &[Signature], args: &'a [ast::Argument], span: Span) -> Option<usize> {
        if signatures.len() == 1 {
            return Some(0);
        }
        let fitting: Vec<usize> =
            (0..signatures.len()).filter(|index| Self::arguments_fit(&signatures[*index].params, args)).collect();
        match fitting.as_slice() {
            [one] => Some(*one),
            [] => {
                let name = signatures.first().map_or_else(|| "".into(), |item| item.name.clone());
                let lists: Vec<String> = signatures.iter().map(|item| self.show_signature(item)).collect();
                let message = format!("no '{name}' takes these arguments");
                self.error(span, message).help(format!("there is: {}", lists.join(", ")));
                None
            }
            [first, ..] => {
                let exact: Vec<usize> =
                    fitting.iter().copied().filter(|index| signatures[*index].params.len() == args.len()).collect();
                if exact.len() > 1 {
                    let lists: Vec<String> =
                        exact.iter().map(|index| self.show_signature(&signatures[*index])).collect();
                    let message = format!("it is not clear which '{}' is meant", signatures[*first].name);
                    self.error_of(Kind::Duplicate, span, message)
                        .help(format!("there is: {}", lists.join(", ")))
                        .help("name the arguments");
                    return None;
                }
                Some(exact.first().copied().unwrap_or(*first))
            }
        }
    }

    fn show_signature(&self, signature: &Signature) -> String {
        let params: Vec<String> =
            signature.params.iter().map(|param| format!("{} {}", self.show(&param.ty), param.name)).collect();
        format!("{}({})", signature.name, params.join(", "))
    }

    fn static_assert(&mut self, args: &[Argument], span: Span) -> Expr {
        let value = |index: usize| args.get(index).and_then(|arg| arg.value.as_ref()).map(|value| &value.kind);
        let holds = match value(0) {
            Some(ExprKind::Literal(Value::Bool(holds))) => Some(*holds),
            _ => None,
        };
        let text: Rc<str> = match value(1) {
            Some(ExprKind::Literal(Value::String(text))) => text.clone(),
            _ => "the condition does not hold".into(),
        };
        match holds {
            Some(true) => {}
            Some(false) => {
                self.error_of(Kind::Expected, span, format!("static_assert failed: {text}"));
            }
            None => {
                self.error_of(Kind::Unexpected, span, "the condition of static_assert must be known at compile time");
            }
        }
        self.literal(Value::Bool(true), Type::Bool, span)
    }

    fn call_member(
        &mut self,
        base: &'a ast::Expr,
        name: &'a ast::Ident,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        match &base.kind {
            ast::ExprKind::Type(ty) => {
                if &*name.name == "apply" {
                    return self.direct_apply(ty, name, args, span);
                }
                let resolved = self.resolve_type(ty);
                return self.size_method(&resolved, name, args, span);
            }
            ast::ExprKind::Path(path) => {
                if let Some(Symbol::Table(id)) = self.find(path) {
                    return self.apply_table(id, name, args, span);
                }
            }
            _ => {}
        }
        let base = self.expr(base, None);
        match (&base.kind, &base.ty) {
            (ExprKind::Object(object), Type::Extern(id, args_of_type)) => {
                let (object, id, own) = (*object, *id, args_of_type.to_vec());
                self.call_method(object, id, &own, name, type_args, args, want, span)
            }
            (ExprKind::Object(object), Type::Parser(_) | Type::Control(_) | Type::Apply(..)) => {
                let (object, ty) = (*object, base.ty.clone());
                self.apply_object(object, &ty, name, args, span)
            }
            (_, Type::Unknown) => None,
            _ => self.builtin_method(base, name, args, span),
        }
    }

    fn apply_table(
        &mut self,
        id: crate::typed::TableId,
        name: &ast::Ident,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        if &*name.name != "apply" {
            let message = format!("a table has no method '{}'; it has 'apply'", name.name);
            self.error(name.span, message);
            return None;
        }
        if !args.is_empty() {
            self.error(span, "'apply' of a table takes no arguments");
        }
        self.check_table_place(span);
        Some(self.call_expr(Callee::Table(id), Vec::new(), Vec::new(), Type::Void, span))
    }

    #[allow(clippy::too_many_arguments)]
    fn call_method(
        &mut self,
        object: Object,
        id: ExternId,
        own_args: &[Type],
        name: &'a ast::Ident,
        type_args: &'a [ast::Type],
        args: &'a [ast::Argument],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let positions: Vec<usize> = self.program[id]
            .methods
            .iter()
            .enumerate()
            .filter(|(_, method)| method.name == name.name)
            .map(|(position, _)| position)
            .collect();
        if positions.is_empty() {
            let mut known: Vec<String> =
                self.program[id].methods.iter().map(|method| method.name.to_string()).collect();
            known.dedup();
            let message = format!("extern '{}' has no method '{}'", self.program[id].name, name.name);
            let diagnostic = self.error(name.span, message);
            if !known.is_empty() {
                diagnostic.help(format!("it has: {}", known.join(", ")));
            }
            return None;
        }
        let signatures: Vec<Signature> =
            positions.iter().map(|position| self.method_signature(id, own_args, *position)).collect();
        let picked = self.pick(&signatures, args, span)?;
        let resolved = self.resolve_call(&signatures[picked], type_args, args, want, span)?;
        let callee = Callee::Method { object, method: positions[picked] };
        let call = self.call_expr(callee, resolved.type_args, resolved.args, resolved.result, span);
        self.check_packet_method(id, name, &call);
        Some(call)
    }

    /// A method's signature with the object's type arguments put in.
    pub(super) fn method_signature(&mut self, id: ExternId, own_args: &[Type], position: usize) -> Signature {
        let method = self.program[id].methods[position].clone();
        self.bound_signature(id, own_args, method, CallStyle::Function)
    }

    /// A method's or constructor's signature with the object's type arguments put in.
    pub(super) fn bound_signature(
        &mut self,
        id: ExternId,
        own_args: &[Type],
        method: Method,
        style: CallStyle,
    ) -> Signature {
        let bindings =
            self.program[id].type_params.iter().map(|param| param.var).zip(own_args.iter().cloned()).collect();
        let mut params = method.params;
        for param in &mut params {
            param.ty = self.substitute(&param.ty, &bindings);
        }
        Signature {
            name: method.name,
            type_params: method.type_params,
            params,
            result: self.substitute(&method.result, &bindings),
            style,
        }
    }

    /// `x.apply(…)` of a parser or control.
    pub(super) fn apply_object(
        &mut self,
        object: Object,
        ty: &Type,
        name: &ast::Ident,
        args: &'a [ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        if &*name.name != "apply" {
            let message = format!("'{}' has no method '{}'; it has 'apply'", self.show(ty), name.name);
            self.error(name.span, message);
            return None;
        }
        let (mut params, is_parser, label) = match ty {
            Type::Parser(id) => (self.program[*id].params.clone(), true, self.program[*id].name.clone()),
            Type::Control(id) => (self.program[*id].params.clone(), false, self.program[*id].name.clone()),
            Type::Apply(id, _) => {
                let entry = &self.program[*id];
                (entry.params.clone(), entry.is_parser, entry.name.clone())
            }
            _ => return None,
        };
        if let Type::Apply(id, type_args) = ty {
            let bindings =
                self.program[*id].type_params.iter().map(|param| param.var).zip(type_args.iter().cloned()).collect();
            for param in &mut params {
                param.ty = self.substitute(&param.ty, &bindings);
            }
        }
        let wanted = if is_parser { Place::Parser } else { Place::Control };
        if self.context.place != wanted {
            let message = if is_parser {
                "a parser can only be applied in a state of another parser"
            } else {
                "a control can only be applied in the 'apply' block of another control"
            };
            self.error(span, message);
        }
        let signature =
            Signature { name: label, type_params: Vec::new(), params, result: Type::Void, style: CallStyle::Apply };
        let resolved = self.resolve_call(&signature, &[], args, None, span)?;
        Some(self.call_expr(Callee::Apply(object), Vec::new(), resolved.args, Type::Void, span))
    }
}
