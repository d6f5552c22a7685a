//! Parsers: states, transitions, value sets.

use super::scope::Symbol;
use super::{Checker, Context, Place};
use crate::typed::{
    Callee, Expr, ExprKind, KeySet, NextState, Parser, SelectCase, State, Transition, Type, ValueSet, ValueSetId,
};
use p4_syntax::{Kind, ast};
use std::collections::HashMap;
use std::rc::Rc;

/// Positions of the states of a parser.
type States = HashMap<Rc<str>, usize>;

impl<'a> Checker<'a> {
    pub(super) fn parser(&mut self, decl: &'a ast::ParserDecl) {
        let Some(body) = &decl.body else {
            self.apply_type(true, &decl.name, &decl.type_params, &decl.params, &decl.annotations);
            return;
        };
        let id = if decl.type_params.is_empty() {
            let parser = self.parser_with(decl, body, &[]);
            self.add_parser(parser, false)
        } else {
            self.generic_parser(decl, body)
        };
        self.declare_object(&decl.name, Symbol::Parser(id), Type::Parser(id));
    }

    /// Checks a parser, its type parameters standing for `args`.
    pub(super) fn parser_with(
        &mut self,
        decl: &'a ast::ParserDecl,
        body: &'a ast::ParserBody,
        args: &[Type],
    ) -> Parser {
        let annotations = self.annotations(&decl.annotations);
        let context = Context::new(Place::Parser);
        let (mut parser, used) = self.in_context(context, |checker| {
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
                    let (states, start) = checker.states(&body.states, decl);
                    Parser {
                        name: decl.name.name.clone(),
                        params,
                        constructor_params,
                        locals,
                        states,
                        start,
                        annotations,
                        span: decl.name.span,
                    }
                })
            })
        });
        parser.locals.extend(used.extra_locals);
        parser
    }

    fn states(&mut self, decls: &'a [ast::StateDecl], parser: &ast::ParserDecl) -> (Vec<State>, usize) {
        let mut positions = States::new();
        for (position, decl) in decls.iter().enumerate() {
            let name = &decl.name.name;
            if matches!(&**name, "accept" | "reject") {
                let message = format!("state '{name}' is built in and cannot be declared");
                self.error_of(Kind::Invalid, decl.name.span, message);
            }
            if let Some(before) = positions.get(name) {
                let before = decls[*before].name.span;
                let message = format!("state '{name}' is declared twice");
                self.error_of(Kind::Duplicate, decl.name.span, message).note_at(before, "declared here before");
                continue;
            }
            if let Some(entry) = self.scopes.find_here(name) {
                let before = entry.span;
                let message = format!("state '{name}' has the name of a local declaration");
                self.error_of(Kind::Duplicate, decl.name.span, message).note_at(before, "declared here");
            }
            positions.insert(name.clone(), position);
        }
        let start = positions.get("start").copied().unwrap_or_else(|| {
            let message = format!("parser '{}' has no state 'start'", parser.name.name);
            self.error_of(Kind::Invalid, parser.name.span, message);
            0
        });
        let states: Vec<State> = decls.iter().map(|decl| self.state(decl, &positions)).collect();
        if start < states.len() && !ends(&states, start) {
            let message = format!("parser '{}' never reaches 'accept' or 'reject'", parser.name.name);
            self.error_of(Kind::Unreachable, parser.name.span, message);
        }
        (states, start)
    }

    fn state(&mut self, decl: &'a ast::StateDecl, states: &States) -> State {
        let annotations = self.annotations(&decl.annotations);
        self.scoped(|checker| {
            let body = checker.statements(&decl.statements);
            let transition = match &decl.transition {
                None => Transition::Direct(NextState::Reject),
                Some(ast::TransitionDecl::Direct(name)) => Transition::Direct(checker.next_state(name, states)),
                Some(ast::TransitionDecl::Select { keys, cases, span }) => checker.select(keys, cases, *span, states),
            };
            State { name: decl.name.name.clone(), body, transition, annotations, span: decl.name.span }
        })
    }

    fn next_state(&mut self, name: &ast::Ident, states: &States) -> NextState {
        match &*name.name {
            "accept" => NextState::Accept,
            "reject" => NextState::Reject,
            other => match states.get(other) {
                Some(position) => NextState::State(*position),
                None => {
                    self.error_of(Kind::NotFound, name.span, format!("there is no state '{other}'"));
                    NextState::Reject
                }
            },
        }
    }

    fn select(
        &mut self,
        keys: &'a [ast::Expr],
        cases: &'a [ast::SelectCaseDecl],
        span: crate::typed::Span,
        states: &States,
    ) -> Transition {
        let whole: Vec<Expr> = keys.iter().map(|key| self.expr(key, None)).collect();
        let types: Vec<Type> = whole.iter().map(|key| key.ty.clone()).collect();
        let mut keys = Vec::new();
        for key in whole {
            self.select_key(key, &mut keys);
        }
        let cases = cases
            .iter()
            .map(|case| {
                let sets = self.case_sets(&case.set, &types);
                sets.iter().for_each(|set| self.refuse_calls(set));
                SelectCase { sets, next: self.next_state(&case.next, states), span: case.set.span }
            })
            .collect();
        Transition::Select { keys, cases, span }
    }

    /// Refuses calls in the set of a case, because its values have to exist before those of the keys.
    fn refuse_calls(&mut self, set: &KeySet) {
        let parts = match set {
            KeySet::Any | KeySet::ValueSet(_) => return,
            KeySet::Value(value) => [Some(value), None],
            KeySet::Mask(first, second) | KeySet::Range(first, second) => [Some(first), Some(second)],
        };
        let mut calls = Vec::new();
        for part in parts.into_iter().flatten() {
            part.walk(&mut |part| match &part.kind {
                ExprKind::Call(call) if matches!(call.callee, Callee::Function(_) | Callee::Action(_)) => {
                    calls.push(part.span);
                }
                _ => {}
            });
        }
        for span in calls {
            self.error_of(Kind::Invalid, span, "functions and actions cannot be called in the cases of 'select'")
                .help("assign the result to a variable before, and compare with that");
        }
    }

    /// Checks a key; the parts of a tuple become keys of their own.
    fn select_key(&mut self, value: Expr, keys: &mut Vec<Expr>) {
        let parts = match &value.ty {
            Type::Tuple(items) => items.to_vec(),
            _ => {
                let key = self.simple_key(value);
                keys.push(key);
                return;
            }
        };
        for (field, ty) in parts.into_iter().enumerate() {
            let span = value.span;
            let part = match &value.kind {
                ExprKind::List(items) | ExprKind::Struct(items) => items[field].clone(),
                _ => Expr { kind: ExprKind::Field { base: Box::new(value.clone()), field }, ty, span },
            };
            self.select_key(part, keys);
        }
    }

    fn simple_key(&mut self, value: Expr) -> Expr {
        let base = self.program.representation(&value.ty);
        match base {
            Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Enum(_) | Type::Error | Type::Unknown => value,
            Type::Integer => {
                self.error(value.span, "a number without width cannot be selected on; write it as 8w5");
                value
            }
            _ => {
                let message = format!("'select' cannot look at a value of type '{}'", self.show(&value.ty));
                self.error(value.span, message);
                value
            }
        }
    }

    /// The sets of a case: one for each key, or one for all.
    fn case_sets(&mut self, set: &'a ast::Expr, types: &[Type]) -> Vec<KeySet> {
        match &set.kind {
            ast::ExprKind::Any => vec![KeySet::Any],
            ast::ExprKind::Tuple(sets) => {
                if sets.len() != types.len() {
                    let message = format!("{} keys are selected on, but {} sets given", types.len(), sets.len());
                    self.error(set.span, message);
                    return vec![KeySet::Any];
                }
                self.sets_of(sets, types)
            }
            ast::ExprKind::Path(path) if matches!(self.find(path), Some(Symbol::ValueSet(_))) => {
                self.value_set_case(path, types, set.span)
            }
            // `{ a, b }` stands for one tuple of all keys.
            ast::ExprKind::List(items) if items.len() == types.len() && types.len() > 1 => {
                items.iter().zip(types).map(|(item, ty)| self.key_set(item, ty)).collect()
            }
            _ => match types {
                [_] => self.sets_of(std::slice::from_ref(set), types),
                _ => {
                    let message = format!("{} keys are selected on, but one set given", types.len());
                    self.error(set.span, message).help("write the sets in parentheses: (a, b)");
                    vec![KeySet::Any]
                }
            },
        }
    }

    fn sets_of(&mut self, sets: &'a [ast::Expr], types: &[Type]) -> Vec<KeySet> {
        let mut output = Vec::new();
        for (set, ty) in sets.iter().zip(types) {
            self.flat_key_sets(set, ty, &mut output);
        }
        output
    }

    fn value_set_case(&mut self, path: &ast::Path, types: &[Type], span: crate::typed::Span) -> Vec<KeySet> {
        let Some(Symbol::ValueSet(id)) = self.find(path) else {
            return vec![KeySet::Any];
        };
        let element = self.program[id].element.clone();
        let parts: Vec<Type> = match &element {
            Type::Header(id) => self.field_types(*id),
            other => self.program.simple_types(other),
        };
        let matches =
            parts.len() == types.len() && parts.iter().zip(types).all(|(part, ty)| self.same_representation(part, ty));
        if !matches {
            let message = format!(
                "the elements of value set '{}' are of type '{}', which does not fit the keys",
                path.name.name,
                self.show(&element)
            );
            self.error(span, message);
        }
        vec![KeySet::ValueSet(id)]
    }

    fn same_representation(&self, a: &Type, b: &Type) -> bool {
        matches!(a, Type::Unknown) || matches!(b, Type::Unknown) || a == b || self.converts(a, b) || self.converts(b, a)
    }

    pub(super) fn value_set(&mut self, decl: &'a ast::ValueSetDecl) -> ValueSetId {
        let annotations = self.annotations(&decl.annotations);
        let element = self.value_type(&decl.element);
        let fine = self.program.simple_types(&element).iter().all(|ty| {
            matches!(
                self.program.representation(ty),
                Type::Bit(_) | Type::Int(_) | Type::Bool | Type::Enum(_) | Type::Error | Type::Unknown
            )
        });
        if !fine {
            let message = format!("a value set cannot have elements of type '{}'", self.show(&element));
            self.error(decl.element.span, message);
        }
        let size = self.expr(&decl.size, Some(&Type::Integer));
        if !matches!(size.ty, Type::Integer | Type::Bit(_) | Type::Unknown)
            || !crate::eval::is_known(&self.program, &size)
        {
            self.error_of(Kind::Expected, size.span, "the size of a value set must be a number known at compile time");
        }
        let id = ValueSetId::from_index(self.program.value_sets.len());
        self.program.value_sets.push(ValueSet {
            name: decl.name.name.clone(),
            element,
            size,
            annotations,
            span: decl.name.span,
        });
        self.declare(&decl.name, Symbol::ValueSet(id));
        id
    }
}

/// Can a parser that begins in `start` come to an end?
fn ends(states: &[State], start: usize) -> bool {
    let mut seen = vec![false; states.len()];
    let mut open = vec![start];
    while let Some(position) = open.pop() {
        let Some(state) = states.get(position) else { return true };
        if std::mem::replace(&mut seen[position], true) {
            continue;
        }
        let targets: Vec<NextState> = match &state.transition {
            Transition::Direct(next) => vec![*next],
            // Without a case for everything it may end in `error.NoMatch`.
            Transition::Select { cases, .. } => {
                let any = |case: &SelectCase| case.sets.iter().all(|set| matches!(set, KeySet::Any));
                if !cases.iter().any(any) {
                    return true;
                }
                cases.iter().map(|case| case.next).collect()
            }
        };
        for target in targets {
            match target {
                NextState::State(next) => open.push(next),
                NextState::Accept | NextState::Reject => return true,
            }
        }
    }
    false
}
