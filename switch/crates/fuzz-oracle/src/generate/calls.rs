//! Functions and actions, and calls of them.

use super::scope::Scope;
use super::types::Type;
use super::{Callable, Context, Generator, Variable};

impl Generator {
    /// Something that can be written, of that type; a slice for some.
    pub(super) fn target(&mut self, ty: &Type) -> Option<String> {
        let same = self.visible(|variable| variable.writable && variable.ty == *ty);
        if self.random.one_in(6)
            && let Some(element) = self.element(ty, true)
        {
            return Some(element);
        }
        if let (Type::Bit(width), true) = (ty, self.random.one_in(3)) {
            if self.random.one_in(6)
                && let Some(slice) = self.plus_slice_target(*width)
            {
                return Some(slice);
            }
            let longer = self.visible(|variable| {
                variable.writable && matches!(variable.ty, Type::Bit(w) | Type::Int(w) if w > *width)
            });
            if let Some(Variable { name, ty: Type::Bit(w) | Type::Int(w), .. }) = self.random.pick(&longer) {
                let (name, w) = (name.clone(), *w);
                self.note("slice as l-value");
                let low = self.random.below((w - width + 1) as usize) as u32;
                return Some(format!("{name}[{}]", self.bounds(low, *width)));
            }
        }
        self.random.pick(&same).map(|variable| variable.name.clone())
    }

    /// A call of a function, with a result of that type if one is asked for.
    pub(super) fn function_call(&mut self, result: Option<&Type>, depth: usize) -> Option<String> {
        let fitting: Vec<Callable> =
            self.functions.iter().filter(|function| result.is_none_or(|ty| function.can_give(ty))).cloned().collect();
        let function = self.random.pick(&fitting)?.clone();
        let (function, type_args) = self.instance_of(function, result)?;
        let args = self.arguments(&function.params, depth)?;
        self.note(if result.is_some() { "function call in an expression" } else { "function call" });
        for param in &function.params {
            self.note(match param.direction {
                "in" => "in argument",
                "out" => "out argument",
                _ => "inout argument",
            });
        }
        Some(format!("{}{type_args}({})", function.name, args.join(", ")))
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

    /// A function of the top level.
    pub(super) fn function(&mut self) -> String {
        let known = self.visible(|variable| variable.writable);
        let outside = self.enter(Scope::default());
        let name = self.fresh("f");
        let declared = self.parameters(3, &known);
        let result = if self.random.one_in(6) {
            self.note("function with a header as result");
            Type::Header(self.random.below(self.header_types.len()))
        } else {
            self.any_type()
        };
        self.context = Context { can_invalidate: true, result: Some(Some(result.clone())), ..Context::default() };
        self.budget = 5;
        let body = self.statements(2);
        let value = self.expression(&result, 2);
        let text = format!(
            "{} {name}({}) {{\n{}{body}return {value};\n}}\n",
            self.spelled(&result),
            declared.texts.join(", "),
            declared.first
        );
        let params = declared.after(&self.invalidated);
        self.enter(outside);
        let result = Some(result);
        self.functions.push(Callable { name, params, data: vec![], result, invalidates: Default::default() });
        text
    }

    /// An action of the control.
    pub(super) fn action(&mut self) -> String {
        self.action_that("")
    }

    /// An action that does this first.
    pub(super) fn action_that(&mut self, does: &str) -> String {
        let (before, headers) = (self.variables.len(), self.headers.len());
        let name = self.fresh("a");
        let known = self.visible(|variable| variable.writable);
        let mut declared = self.parameters(3, &known);
        let mut data = vec![];
        for _ in 0..self.random.below(3) {
            let (ty, name) = (self.data_type(), self.fresh("d"));
            declared.texts.push(format!("{} {name}", self.spelled(&ty)));
            self.declare(&name, &ty, false);
            data.push(ty);
        }
        self.context = Context { can_exit: true, can_invalidate: true, result: Some(None), ..Context::default() };
        self.budget = 4;
        let (valid, invalidated) = (std::mem::take(&mut self.valid), std::mem::take(&mut self.invalidated));
        let body = self.statements(2);
        let mut invalidates = std::mem::replace(&mut self.invalidated, invalidated);
        self.valid = valid;
        self.variables.truncate(before);
        self.headers.truncate(headers);
        let text = format!("action {name}({}) {{\n{does}{}{body}}}\n", declared.texts.join(", "), declared.first);
        let params = declared.after(&invalidates);
        invalidates.retain(|header| *header < headers);
        self.actions.push(Callable { name, params, data, result: None, invalidates });
        text
    }
}
