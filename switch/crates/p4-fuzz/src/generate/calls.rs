//! Functions and actions, and calls of them.

use super::types::Type;
use super::{Callable, Context, Generator, Parameter, Variable};

impl Generator {
    /// Something that can be written, of that type; a slice for some.
    pub(super) fn target(&mut self, ty: &Type) -> Option<String> {
        let same = self.visible(|variable| variable.writable && variable.ty == *ty);
        if let (Type::Bit(width), true) = (ty, self.random.one_in(3)) {
            let longer = self.visible(|variable| {
                variable.writable && matches!(variable.ty, Type::Bit(w) | Type::Int(w) if w > *width)
            });
            if let Some(Variable { name, ty: Type::Bit(w) | Type::Int(w), .. }) = self.random.pick(&longer) {
                let (name, w) = (name.clone(), *w);
                self.note("slice as l-value");
                let low = self.random.below((w - width + 1) as usize) as u32;
                return Some(format!("{name}[{}:{low}]", low + width - 1));
            }
        }
        self.random.pick(&same).map(|variable| variable.name.clone())
    }

    /// Arguments for parameters, if there is something to write to for each.
    pub(super) fn arguments(&mut self, params: &[Parameter], depth: usize) -> Option<Vec<String>> {
        params
            .iter()
            .map(|param| match param.direction {
                "in" => Some(self.expression(&param.ty, depth)),
                _ => self.target(&param.ty),
            })
            .collect()
    }

    /// A call of a function, with a result of that type if one is asked for.
    pub(super) fn function_call(&mut self, result: Option<&Type>, depth: usize) -> Option<String> {
        let fitting: Vec<Callable> = self
            .functions
            .iter()
            .filter(|function| result.is_none() || function.result.as_ref() == result)
            .cloned()
            .collect();
        let function = self.random.pick(&fitting)?.clone();
        let args = self.arguments(&function.params, depth)?;
        self.note(if result.is_some() { "function call in an expression" } else { "function call" });
        for param in &function.params {
            self.note(match param.direction {
                "in" => "in argument",
                "out" => "out argument",
                _ => "inout argument",
            });
        }
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    /// A direct call of an action.
    pub(super) fn action_call(&mut self) -> Option<String> {
        let fitting: Vec<Callable> = self
            .actions
            .iter()
            .filter(|action| self.context.can_invalidate || action.invalidates.is_empty())
            .cloned()
            .collect();
        let action = self.random.pick(&fitting)?.clone();
        let mut args = self.arguments(&action.params, 2)?;
        for ty in &action.data {
            args.push(self.expression(ty, 1));
        }
        self.forget(&action.invalidates);
        self.note("action call");
        Some(format!("{}({});\n", action.name, args.join(", ")))
    }

    /// Headers are perhaps invalid now.
    pub(super) fn forget(&mut self, headers: &std::collections::BTreeSet<usize>) {
        for header in headers {
            self.valid.remove(header);
            self.invalidated.insert(*header);
        }
    }

    /// Parameters with directions, declared; text of them, and of what initializes those that are `out`.
    fn parameters(&mut self) -> (Vec<Parameter>, Vec<String>, Vec<String>) {
        let (mut params, mut texts, mut first) = (vec![], vec![], vec![]);
        for _ in 0..self.random.below(4) {
            let direction = ["in", "out", "inout"][self.random.below(3)];
            // Often one of the few types that variables have, so that calls find something to write to.
            let known = self.visible(|variable| variable.writable);
            let ty = match self.random.pick(&known) {
                Some(variable) => variable.ty.clone(),
                None => [Type::Bit(8), Type::Bit(16), Type::Int(8), Type::Bool][self.random.below(4)].clone(),
            };
            let name = self.fresh("p");
            texts.push(format!("{direction} {} {name}", ty.text()));
            if direction == "out" {
                first.push(format!("{name} = {};\n", self.constant(&ty)));
            }
            params.push((Parameter { direction, ty }, name));
        }
        for (param, name) in &params {
            self.declare(name, &param.ty, param.direction != "in");
        }
        (params.into_iter().map(|(param, _)| param).collect(), texts, first)
    }

    /// A function of the top level.
    pub(super) fn function(&mut self) -> String {
        let outside = std::mem::take(&mut self.variables);
        let name = self.fresh("f");
        let (params, texts, first) = self.parameters();
        let result = self.simple_type();
        self.context = Context { result: Some(Some(result.clone())), ..Context::default() };
        self.budget = 5;
        let body = self.statements(2);
        let value = self.expression(&result, 2);
        self.variables = outside;
        let text =
            format!("{} {name}({}) {{\n{}{body}return {value};\n}}\n", result.text(), texts.join(", "), first.concat());
        let result = Some(result);
        self.functions.push(Callable { name, params, data: vec![], result, invalidates: Default::default() });
        text
    }

    /// An action of the control.
    pub(super) fn action(&mut self) -> String {
        let before = self.variables.len();
        let name = self.fresh("a");
        let (params, mut texts, first) = self.parameters();
        let mut data = vec![];
        for _ in 0..self.random.below(3) {
            let (ty, name) = (self.number_type(), self.fresh("d"));
            texts.push(format!("{} {name}", ty.text()));
            self.declare(&name, &ty, false);
            data.push(ty);
        }
        self.context = Context { can_exit: true, can_invalidate: true, result: Some(None), ..Context::default() };
        self.budget = 4;
        let (valid, invalidated) = (std::mem::take(&mut self.valid), std::mem::take(&mut self.invalidated));
        let body = self.statements(2);
        let invalidates = std::mem::replace(&mut self.invalidated, invalidated);
        self.valid = valid;
        self.variables.truncate(before);
        let text = format!("action {name}({}) {{\n{}{body}}}\n", texts.join(", "), first.concat());
        self.actions.push(Callable { name, params, data, result: None, invalidates });
        text
    }
}
