//! Functions, extern functions and objects, actions, and parameters.

use super::scope::{FunctionSymbol, Symbol};
use super::templates::FunctionTemplate;
use super::{Checker, Context, Place};
use crate::eval;
use crate::typed::{
    Action, ActionId, Direction, Extern, ExternFunction, ExternFunctionId, ExternId, Function, FunctionId, Method,
    Parameter, Span, TopLevel, Type, Variable, VariableKind, find_annotation,
};
use p4_syntax::diagnostic::Stage;
use p4_syntax::{Kind, ast};
use std::collections::HashMap;

impl<'a> Checker<'a> {
    /// Declares parameters in the innermost scope.
    pub(super) fn parameters(&mut self, decls: &'a [ast::ParameterDecl]) -> Vec<Parameter> {
        decls
            .iter()
            .map(|decl| {
                let direction = direction(decl.direction);
                self.parameter(decl, VariableKind::Parameter(direction))
            })
            .collect()
    }

    /// Declares constructor parameters in the innermost scope.
    pub(super) fn constructor_parameters(&mut self, decls: &'a [ast::ParameterDecl]) -> Vec<Parameter> {
        decls
            .iter()
            .map(|decl| {
                if decl.direction != ast::Direction::None {
                    self.error_of(Kind::Invalid, decl.name.span, "a constructor parameter has no direction");
                }
                self.parameter(decl, VariableKind::ConstructorParameter)
            })
            .collect()
    }

    /// Constructor parameters of a parser or control: only packages take packages.
    pub(super) fn constructor_parameters_of_object(&mut self, decls: &'a [ast::ParameterDecl]) -> Vec<Parameter> {
        let params = self.constructor_parameters(decls);
        for (decl, param) in decls.iter().zip(&params) {
            if matches!(param.ty, Type::Package(..)) {
                self.error(decl.name.span, format!("the parameter '{}' cannot be a package", decl.name.name));
            }
        }
        params
    }

    fn parameter(&mut self, decl: &'a ast::ParameterDecl, kind: VariableKind) -> Parameter {
        let annotations = self.annotations(&decl.annotations);
        let ty = self.parameter_type(&decl.ty);
        let direction = direction(decl.direction);
        if matches!(ty, Type::Parser(_) | Type::Control(_)) {
            let message = format!("a parameter cannot have the type of '{}', which has a body", self.show(&ty));
            self.error(decl.ty.span, message).help("give it a parser type or control type: a declaration without body");
        }
        self.check_parameter_type(decl, &ty, direction);
        let default = decl.default.as_ref().map(|value| {
            if matches!(direction, Direction::Out | Direction::InOut) {
                self.error_of(Kind::Invalid, value.span, "a parameter that is written cannot have a default value");
            }
            let value = if self.has_variables(&ty) {
                // Its type is compared once the type arguments are known.
                self.expr(value, Some(&ty))
            } else {
                self.expr_as(value, &ty)
            };
            if !eval::is_known(&self.program, &value) {
                self.error(value.span, "a default value must be known at compile time");
            }
            value
        });
        let optional = find_annotation(&annotations, "optional").is_some();
        if default.is_some() && optional {
            self.error_of(Kind::Invalid, decl.name.span, "an optional parameter cannot have a default value");
        }
        let var = self.new_variable(Variable {
            name: decl.name.name.clone(),
            ty: ty.clone(),
            kind,
            annotations: annotations.clone(),
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::Variable(var));
        Parameter { var, name: decl.name.name.clone(), direction, ty, default, optional, annotations }
    }

    fn parameter_type(&mut self, ty: &'a ast::Type) -> Type {
        let resolved = self.resolve_type(ty);
        if matches!(resolved, Type::Void) {
            self.error(ty.span, "a parameter cannot be 'void'");
            return Type::Unknown;
        }
        if let Type::Extern(id, args) = &resolved
            && args.len() != self.program[*id].type_params.len()
        {
            let message = format!(
                "'{}' takes {} type arguments, none given",
                self.program[*id].name,
                self.program[*id].type_params.len()
            );
            self.error(ty.span, message);
            return Type::Unknown;
        }
        resolved
    }

    fn check_parameter_type(&mut self, decl: &'a ast::ParameterDecl, ty: &Type, direction: Direction) {
        if direction == Direction::None {
            return;
        }
        let why = match ty {
            Type::Integer => "'int' has no width",
            Type::String => "a string is known at compile time",
            Type::MatchKind => "a match kind is known at compile time",
            ty if Self::is_object(ty) => "it is an object and not a value",
            _ => return,
        };
        let message =
            format!("parameter '{}' of type '{}' cannot have a direction: {why}", decl.name.name, self.show(ty));
        self.error(decl.name.span, message);
    }

    /// Parameters with direction come before those without, in actions.
    fn check_action_parameters(&mut self, params: &[Parameter], decls: &[ast::ParameterDecl]) {
        let mut seen_data: Option<Span> = None;
        for (param, decl) in params.iter().zip(decls) {
            if param.direction == Direction::None {
                seen_data = seen_data.or(Some(decl.name.span));
                if !self.is_storable(&param.ty) {
                    let message = format!("an action cannot have a parameter of type '{}'", self.show(&param.ty));
                    self.error(decl.name.span, message);
                }
            } else if let Some(before) = seen_data {
                let message = format!("parameter '{}' with a direction stands behind one without", param.name);
                self.error(decl.name.span, message)
                    .note_at(before, "this one has no direction: it comes from the control plane");
            }
        }
    }

    /// An action, of the top level or of a control.
    pub(super) fn action(&mut self, decl: &'a ast::ActionDecl) -> Option<ActionId> {
        let annotations = self.annotations(&decl.annotations);
        let mut context = Context::new(Place::Action);
        context.this = self.context.this;
        let ((params, body), used) = self.in_context(context, |checker| {
            checker.scoped(|checker| {
                let params = checker.parameters(&decl.params);
                checker.check_action_parameters(&params, &decl.params);
                let body = checker.block(&decl.body);
                (params, body)
            })
        });
        self.context.extra_locals.extend(used.extra_locals);
        let id = ActionId::from_index(self.program.actions.len());
        self.program.actions.push(Action {
            name: decl.name.name.clone(),
            params,
            body,
            annotations,
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::Action(id));
        Some(id)
    }

    /// A function of the top level.
    pub(super) fn function(&mut self, decl: &'a ast::FunctionDecl) {
        let (type_params, params, result) = self.scoped(|checker| {
            let type_params = checker.declare_type_params(&decl.type_params);
            let (params, result) = checker.prototype(decl);
            (type_params, params, result)
        });
        let generic = !type_params.is_empty();
        let index = self.function_templates.len();
        self.function_templates.push(FunctionTemplate { decl, type_params, params, result, instances: HashMap::new() });
        if generic {
            // Once with the variables as they are, so that mistakes show even if it is never called.
            let args =
                self.function_templates[index].type_params.iter().map(|param| Type::Variable(param.var)).collect();
            self.instantiate_function(index, args, decl.name.span);
        } else {
            let id = self.instantiate_function(index, Vec::new(), decl.name.span);
            self.program.top_level.push(TopLevel::Function(id));
        }
        self.declare_function(&decl.name, FunctionSymbol::Template(index));
    }

    fn prototype(&mut self, decl: &'a ast::FunctionDecl) -> (Vec<Parameter>, Type) {
        let result = match &decl.result {
            Some(ty) => self.resolve_type(ty),
            None => Type::Void,
        };
        if (Self::is_object(&result) && decl.body.is_some()) || matches!(result, Type::Integer | Type::MatchKind) {
            let message = format!("a function cannot return '{}'", self.show(&result));
            self.error(decl.name.span, message);
        }
        (self.parameters(&decl.params), result)
    }

    /// The function with these type arguments; its body is checked the first time.
    pub(super) fn instantiate_function(&mut self, index: usize, args: Vec<Type>, span: Span) -> FunctionId {
        let template = &self.function_templates[index];
        if let Some(id) = template.instances.get(&args) {
            return *id;
        }
        if self.active_functions.contains(&index)
            && let Some(id) = template.instances.values().next().copied()
        {
            self.report_own_use(span);
            return id;
        }
        let decl = template.decl;
        let id = FunctionId::from_index(self.program.functions.len());
        self.program.functions.push(Function {
            name: decl.name.name.clone(),
            type_args: args.clone(),
            params: Vec::new(),
            result: Type::Void,
            body: crate::typed::Block::default(),
            annotations: Vec::new(),
            span: decl.name.span,
        });
        self.function_templates[index].instances.insert(args.clone(), id);
        // Functions live at the top level: names around the call do not count.
        let around = self.scopes.set_aside();
        self.active_functions.push(index);
        self.function_body(decl, args, id, Context::new(Place::Function));
        self.active_functions.pop();
        self.scopes.restore(around);
        id
    }

    /// Checks a body and fills in function `id`.
    pub(super) fn function_body(
        &mut self,
        decl: &'a ast::FunctionDecl,
        args: Vec<Type>,
        id: FunctionId,
        context: Context,
    ) {
        let annotations = self.annotations(&decl.annotations);
        let ((params, result, body), used) = self.in_context(context, |checker| {
            checker.scoped(|checker| {
                for (name, ty) in decl.type_params.iter().zip(args) {
                    checker.declare(name, Symbol::Type(ty));
                }
                let (params, result) = checker.prototype(decl);
                checker.context.result = result.clone();
                let body = match &decl.body {
                    Some(body) => checker.block(body),
                    None => crate::typed::Block::default(),
                };
                (params, result, body)
            })
        });
        self.context.extra_locals.extend(used.extra_locals);
        let returns = matches!(result, Type::Void | Type::Unknown) || super::stmt::always_leaves(&body);
        if !returns {
            let message = format!("function '{}' does not return a value on all paths", decl.name.name);
            self.error_of(Kind::Insufficient, decl.name.span, message).at_stage(Stage::Flow);
        }
        let function = &mut self.program.functions[id.index()];
        function.params = params;
        function.result = result;
        function.body = body;
        function.annotations = annotations;
    }

    pub(super) fn extern_function(&mut self, decl: &'a ast::FunctionDecl) {
        let method = self.method(decl);
        let id = ExternFunctionId::from_index(self.program.extern_functions.len());
        self.program.extern_functions.push(ExternFunction {
            name: method.name,
            type_params: method.type_params,
            params: method.params,
            result: method.result,
            annotations: method.annotations,
            span: method.span,
        });
        self.declare_function(&decl.name, FunctionSymbol::Extern(id));
    }

    fn method(&mut self, decl: &'a ast::FunctionDecl) -> Method {
        let annotations = self.annotations(&decl.annotations);
        let (type_params, params, result) = self.scoped(|checker| {
            let type_params = checker.declare_type_params(&decl.type_params);
            let (params, result) = checker.prototype(decl);
            (type_params, params, result)
        });
        Method {
            name: decl.name.name.clone(),
            type_params,
            params,
            result,
            is_abstract: decl.is_abstract,
            annotations,
            span: decl.name.span,
        }
    }

    pub(super) fn extern_object(&mut self, decl: &'a ast::ExternDecl) {
        let annotations = self.annotations(&decl.annotations);
        let forward = match self.scopes.find_here(&decl.name.name) {
            Some(entry) => match entry.symbol {
                Symbol::Extern(id)
                    if self.program[id].methods.is_empty() && self.program[id].constructors.is_empty() =>
                {
                    Some(id)
                }
                _ => None,
            },
            None => None,
        };
        let id = forward.unwrap_or_else(|| {
            let id = ExternId::from_index(self.program.externs.len());
            self.program.externs.push(Extern {
                name: decl.name.name.clone(),
                type_params: Vec::new(),
                constructors: Vec::new(),
                methods: Vec::new(),
                annotations,
                span: decl.name.span,
            });
            self.program.top_level.push(TopLevel::Extern(id));
            self.declare(&decl.name, Symbol::Extern(id));
            id
        });
        self.scoped(|checker| {
            let type_params = checker.declare_type_params(&decl.type_params);
            checker.program.externs[id.index()].type_params = type_params;
            for method in &decl.methods {
                checker.extern_method(id, decl, method);
            }
        });
    }

    fn extern_method(&mut self, id: ExternId, decl: &'a ast::ExternDecl, method: &'a ast::FunctionDecl) {
        let is_constructor = method.result.is_none();
        if !is_constructor && method.name.name == decl.name.name {
            self.error_of(Kind::Invalid, method.name.span, "a constructor has no return type");
            return;
        }
        let checked = self.method(method);
        let own = |part: &Type| matches!(part, Type::Extern(other, _) if *other == id);
        for (param, decl) in checked.params.iter().zip(&method.params) {
            if matches!(param.ty, Type::Apply(..) | Type::Package(..)) {
                let message = format!("an extern cannot take an object of type '{}'", self.show(&param.ty));
                self.error(decl.ty.span, message);
            }
        }
        let itself = checked.params.iter().any(|param| self.mentions(&param.ty, &own, 0));
        if itself && !is_constructor {
            let message = format!("a method of '{}' cannot take '{}' itself", decl.name.name, decl.name.name);
            self.error_of(Kind::Unsupported, method.name.span, message);
        }
        let entry = &self.program[id];
        let list = if is_constructor { &entry.constructors } else { &entry.methods };
        let clash = list.iter().find(|other| {
            other.name == checked.name
                && other.params.len() == checked.params.len()
                && other.params.iter().zip(&checked.params).all(|(a, b)| a.name == b.name)
        });
        if let Some(before) = clash {
            let before = before.span;
            let message = format!("'{}' with these parameters is declared twice", checked.name);
            self.error_of(Kind::Duplicate, checked.span, message).note_at(before, "declared here before");
            return;
        }
        let entry = &mut self.program.externs[id.index()];
        if is_constructor {
            entry.constructors.push(checked);
        } else {
            entry.methods.push(checked);
        }
    }
}

/// From the syntax tree's direction to the typed one.
pub(super) fn direction(direction: ast::Direction) -> Direction {
    match direction {
        ast::Direction::None => Direction::None,
        ast::Direction::In => Direction::In,
        ast::Direction::Out => Direction::Out,
        ast::Direction::InOut => Direction::InOut,
    }
}
