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
            let apply = if self.random.one_in(3) { self.parser_application(index) } else { None };
            if apply.is_none() {
                self.note("extract");
            }
            let extract = apply.unwrap_or_else(|| format!("packet.extract({});\n", header.path));
            text.push_str(&format!("state {name} {{\n{extract}"));
            self.valid = [index].into();
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
            text.push_str(&self.transition(index, count));
            text.push_str("}\n");
            self.valid.clear();
        }
        text
    }

    fn next_state(&mut self, index: usize, count: usize) -> String {
        let next = index + 1 + self.random.below(count - index);
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
            let sets: Vec<String> = keys.iter().map(|(width, _)| self.select_set(*width)).collect();
            let set = if sets.len() == 1 { sets.concat() } else { format!("({})", sets.join(", ")) };
            text.push_str(&format!("{set}: {};\n", self.next_state(index, count)));
        }
        if self.random.one_in(4) {
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
