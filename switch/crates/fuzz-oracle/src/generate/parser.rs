//! Parsers.

use super::types::Type;
use super::{Context, Generator};

impl Generator {
    /// The states: each extracts a header and goes on to a later one.
    pub(super) fn states(&mut self) -> String {
        self.context = Context { in_parser: true, ..Context::default() };
        let count = self.headers.len();
        let mut text = String::new();
        for index in 0..count {
            let header = self.headers[index].clone();
            let name = if index == 0 { "start".to_owned() } else { format!("s{index}") };
            self.valid.clear();
            let before = self.variables.len();
            let next = header.group.as_ref().filter(|group| group.by_next).map(|group| group.path.clone());
            let apply = if next.is_none() && self.random.one_in(3) { self.parser_application(index) } else { None };
            let extracted = next.as_ref().map_or(header.path.clone(), |stack| format!("{stack}.next"));
            let extract = match apply {
                Some(apply) => apply,
                None => self.extraction(&extracted, header.kind),
            };
            let skip = self.skip(index);
            text.push_str(&format!("state {name} {{\n{skip}{extract}"));
            match &next {
                Some(stack) => self.last(stack, header.kind),
                None => self.valid = [index].into(),
            }
            if self.random.one_in(3) {
                self.note("assignment in a parser");
                let statement = self.assignment();
                text.push_str(&statement);
            }
            if self.random.one_in(8) {
                self.note("verify");
                let condition = self.expression(&Type::Bool, 2);
                text.push_str(&format!("verify({condition}, error.Odd);\n"));
            }
            self.loops = next.map(|_| name);
            text.push_str(&self.transition(index, count));
            text.push_str("}\n");
            self.valid.clear();
            self.variables.truncate(before);
        }
        std::mem::take(&mut self.value_sets) + &text
    }

    /// After an extraction to `next` of a stack: its last element can be read, and which one that is.
    fn last(&mut self, stack: &str, kind: usize) {
        self.note("next of a stack");
        for (field, ty) in self.header_types[kind].clone() {
            self.declare(&format!("{stack}.last.{field}"), &ty, false);
        }
        self.declare(&format!("{stack}.lastIndex"), &Type::Bit(32), false);
    }

    fn next_state(&mut self, index: usize, count: usize) -> String {
        let next = index + 1 + self.random.below(count - index);
        if let Some(again) = self.loops.clone().filter(|_| self.random.one_in(3)) {
            self.note("loop of a parser");
            return again;
        }
        if self.random.one_in(20) {
            self.note("reject");
            "reject".to_owned()
        } else if next >= count {
            "accept".to_owned()
        } else {
            format!("s{next}")
        }
    }

    pub(super) fn transition(&mut self, index: usize, count: usize) -> String {
        // A loop needs a way out.
        let again = self.loops.take();
        if self.random.one_in(4) {
            return format!("transition {};\n", self.next_state(index, count));
        }
        self.note("select");
        let mut keys = vec![];
        for _ in 0..1 + self.random.below(2) {
            let width = 1 + self.random.below(3) as u32;
            keys.push((width, self.expression(&Type::Bit(width), 2)));
        }
        let list: Vec<&str> = keys.iter().map(|(_, key)| key.as_str()).collect();
        let mut text = format!("transition select({}) {{\n", list.join(", "));
        for _ in 0..1 + self.random.below(3) {
            if let ([(width, _)], true) = (keys.as_slice(), self.random.one_in(8)) {
                let set = self.value_set(*width);
                text.push_str(&format!("{set}: {};\n", self.next_state(index, count)));
                continue;
            }
            let sets: Vec<String> = keys.iter().map(|(width, _)| self.select_set(*width)).collect();
            let set = if sets.len() == 1 { sets.concat() } else { format!("({})", sets.join(", ")) };
            self.loops = again.clone();
            text.push_str(&format!("{set}: {};\n", self.next_state(index, count)));
        }
        self.loops = None;
        if again.is_none() && self.random.one_in(4) {
            self.note("select without default");
        } else {
            text.push_str(&format!("default: {};\n", self.next_state(index, count)));
        }
        text.push_str("}\n");
        text
    }

    fn select_set(&mut self, width: u32) -> String {
        let all = (1u32 << width) - 1;
        let (value, other) = (self.random.draw() as u32 & all, self.random.draw() as u32 & all);
        match self.random.below(5) {
            0 => {
                self.note("select mask");
                format!("{width}w{value} &&& {width}w{other}")
            }
            1 => {
                self.note("select range");
                format!("{width}w{}..{width}w{}", value.min(other), value.max(other))
            }
            2 => "_".to_owned(),
            _ => format!("{width}w{value}"),
        }
    }
}
