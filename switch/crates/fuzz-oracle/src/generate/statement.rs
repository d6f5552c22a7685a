//! Statements.

use super::Generator;
use super::types::{COLOURS, Type};

impl Generator {
    /// A few statements; the scope of their declarations ends with them.
    pub(super) fn statements(&mut self, depth: usize) -> String {
        let (before, headers) = (self.variables.len(), self.headers.len());
        let mut text = String::new();
        for _ in 0..1 + self.random.below(4) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            text.push_str(&self.statement(depth));
        }
        self.variables.truncate(before);
        self.headers.truncate(headers);
        self.valid.retain(|header| *header < headers);
        text
    }

    /// A block that may not run, and the headers that are valid at its end. The set of headers known to be valid stays
    /// as it was before the block.
    fn branch(&mut self, depth: usize) -> (String, std::collections::BTreeSet<usize>) {
        let before = self.valid.clone();
        let text = self.statements(depth);
        (format!("{{\n{text}}}"), std::mem::replace(&mut self.valid, before))
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 13 } else { 24 }) {
            0 | 1 => self.unused_division().unwrap_or_else(|| self.local()),
            2 => self.validity(),
            3 => match self.random.below(8) {
                6 | 7 => self.union_stack_change(),
                0 => self.stack_movement(),
                1 if self.random.one_in(3) => self.stack_of_list(),
                1 => self.filled_stack(),
                2 => self.group_assignment(),
                _ => self.header_assignment(),
            },
            4 => match self.function_call(None, 2) {
                Some(call) => format!("{call};\n"),
                None => self.assignment(),
            },
            5 => self.jump(),
            6 | 7 => self.extern_call().unwrap_or_else(|| self.assignment()),
            13..=15 => self.conditional(depth),
            16 => {
                self.note("block");
                let before = self.variables.len();
                let text = format!("{{\n{}}}\n", self.statements(depth - 1));
                self.variables.truncate(before);
                text
            }
            17 => self.switch(depth),
            18 if !self.context.in_loop => self.for_loop(depth),
            19 => self.action_call_here(),
            20 | 21 => self.application(depth).unwrap_or_else(|| self.action_call_here()),
            22 | 23 => self.sub_application().unwrap_or_else(|| self.assignment()),
            _ => self.assignment(),
        }
    }

    fn action_call_here(&mut self) -> String {
        if self.context.result == Some(None) && self.context.can_apply {
            return self.action_call().unwrap_or_else(|| self.assignment());
        }
        self.assignment()
    }

    pub(super) fn assignment(&mut self) -> String {
        let writable = self.visible(|variable| variable.writable);
        let Some(variable) = self.random.pick(&writable).cloned() else { return String::new() };
        let mut ty = variable.ty.clone();
        if let Type::Bit(width) | Type::Int(width) = ty
            && self.random.one_in(3)
        {
            ty = Type::Bit(1 + self.random.below(width as usize) as u32);
        }
        let target = match self.target(&ty) {
            Some(target) => target,
            None => {
                ty = variable.ty;
                variable.name
            }
        };
        self.note("assignment");
        if let Some(list) = self.list(&ty) {
            return format!("{target} = {list};\n");
        }
        if matches!(ty, Type::Bit(_) | Type::Int(_)) && self.random.one_in(6) {
            let op = ["+", "-", "*", "&", "|", "^", "|+|", "|-|"][self.random.below(8)];
            self.note("operator assignment");
            return format!("{target} {op}= {};\n", self.expression(&ty, 2));
        }
        format!("{target} = {};\n", self.expression(&ty, 3))
    }

    fn local(&mut self) -> String {
        if self.random.one_in(6) && !self.context.in_parser {
            return self.local_headers();
        }
        if self.random.one_in(6)
            && let Some(varbit) = self.local_varbit()
        {
            return varbit;
        }
        let ty = self.any_type();
        let value = self.expression(&ty, 3);
        let hidden = self.visible(|variable| variable.name.starts_with('v') && !variable.name.contains('.'));
        let own = self.random.one_in(4).then(|| self.random.pick(&hidden).cloned()).flatten();
        // Within a block of its own, so that it is not declared twice in one.
        if let Some(hidden) = own {
            self.note("shadowing");
            let before = self.variables.len();
            self.declare(&hidden.name, &ty, true);
            let text =
                format!("{{\n{} {} = {value};\n{}{}}}\n", ty.text(), hidden.name, self.assignment(), self.assignment());
            self.variables.truncate(before);
            return text;
        }
        let name = self.fresh("v");
        self.declare(&name, &ty, true);
        format!("{} {name} = {value};\n", self.spelled(&ty))
    }

    /// A variable of headers: all of them are invalid.
    pub(super) fn local_headers(&mut self) -> String {
        let (ty, name) = (self.type_of_headers(), self.fresh("v"));
        self.note("local of headers");
        self.headers_of(&name, &ty, true);
        format!("{} {name};\n", ty.text())
    }

    /// May be asked whether headers are valid?
    pub(super) fn sees_headers(&self) -> bool {
        !self.context.in_parser
    }

    fn jump(&mut self) -> String {
        let condition = self.expression(&Type::Bool, 2);
        if self.context.in_loop && self.random.one_in(2) {
            let word = ["break", "continue"][self.random.below(2)];
            self.note(word);
            return format!("if ({condition}) {{ {word}; }}\n");
        }
        if self.context.can_exit && self.random.one_in(3) {
            self.note("exit");
            return format!("if ({condition}) {{ exit; }}\n");
        }
        match self.context.result.clone() {
            Some(Some(ty)) => {
                self.note("return of a value");
                format!("if ({condition}) {{ return {}; }}\n", self.expression(&ty, 2))
            }
            Some(None) => {
                self.note("return");
                format!("if ({condition}) {{ return; }}\n")
            }
            None => self.assignment(),
        }
    }

    fn conditional(&mut self, depth: usize) -> String {
        self.note("if");
        if self.random.one_in(2) && self.sees_headers() && !self.headers.is_empty() {
            let index = self.random.below(self.headers.len());
            let path = self.headers[index].path.clone();
            let before = self.valid.clone();
            if let Some((condition, all)) = self.whole_stack(index) {
                self.valid.extend(all);
                let (yes, after) = self.branch(depth - 1);
                self.valid = before.intersection(&after).copied().collect();
                return format!("if ({condition}) {yes}\n");
            }
            self.valid.insert(index);
            let (yes, after) = self.branch(depth - 1);
            self.valid = before.intersection(&after).copied().collect();
            return format!("if ({path}.isValid()) {yes}\n");
        }
        let condition = self.expression(&Type::Bool, 3);
        let before = self.valid.clone();
        let (yes, after) = self.branch(depth - 1);
        if self.random.one_in(2) {
            self.valid = before.intersection(&after).copied().collect();
            return format!("if ({condition}) {yes}\n");
        }
        self.note("else");
        let (no, other) = self.branch(depth - 1);
        self.valid = after.intersection(&other).copied().collect();
        format!("if ({condition}) {yes} else {no}\n")
    }

    /// Runs one of several blocks, or none. Headers are valid afterwards if they are valid before and at the end of
    /// each block.
    pub(super) fn cases(&mut self, labels: Vec<String>, depth: usize) -> String {
        let mut after = self.valid.clone();
        let mut text = String::new();
        for label in labels {
            let (block, valid) = self.branch(depth - 1);
            after = after.intersection(&valid).copied().collect();
            text.push_str(&format!("{label}: {block}\n"));
        }
        self.valid = after;
        text
    }

    fn switch(&mut self, depth: usize) -> String {
        if self.context.in_loop {
            return self.assignment();
        }
        if self.random.one_in(3) {
            self.note("switch over an enumeration");
            let value = self.expression(&Type::Colour, 2);
            let labels = COLOURS[..2].iter().map(|name| format!("Colour.{name}")).collect();
            return format!("switch ({value}) {{\n{}}}\n", self.cases(labels, depth));
        }
        self.note("switch over a number");
        let width = 2 + self.random.below(3) as u32;
        let value = self.expression(&Type::Bit(width), 2);
        let mut labels: Vec<String> = (0..3).map(|label| format!("{width}w{label}")).collect();
        if self.random.one_in(2) {
            labels.push("default".to_owned());
        }
        format!("switch ({value}) {{\n{}}}\n", self.cases(labels, depth))
    }

    fn for_loop(&mut self, depth: usize) -> String {
        let before = (self.variables.len(), self.context.clone(), self.valid.clone());
        self.context.in_loop = true;
        self.context.can_invalidate = false;
        // Unrolled, with all that is in it.
        self.budget = self.budget.min(3);
        let (name, width) = (self.fresh("i"), 3 + self.random.below(6) as u32);
        let (from, turns) = (self.random.below(3), self.random.below(4));
        let head = if self.random.one_in(2) {
            self.note("for in a range");
            format!("bit<{width}> {name} in {from}..{}", from + turns)
        } else {
            self.note("for");
            let to = from + turns;
            format!("bit<{width}> {name} = {from}; {name} < {to}; {name} = {name} + 1")
        };
        self.declare(&name, &Type::Bit(width), false);
        let body = self.statements(depth - 1);
        self.variables.truncate(before.0);
        (self.context, self.valid) = (before.1, before.2);
        format!("for ({head}) {{\n{body}}}\n")
    }
}
