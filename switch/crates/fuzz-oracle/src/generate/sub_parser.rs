//! Parsers that are applied within others.

use super::scope::Scope;
use super::types::Type;
use super::{Context, Generator, Parameter, Variable};

/// A parser that states apply.
pub(super) struct SubParser {
    name: String,
    /// The type of the header that it extracts.
    kind: usize,
    params: Vec<Parameter>,
}

impl Generator {
    /// A parser of the top level that extracts a header of some type.
    pub(super) fn sub_parser(&mut self, everything: &[Variable]) -> String {
        self.note("sub-parser");
        let (name, kind) = (self.fresh("P"), self.random.below(self.header_types.len()));
        let known: Vec<Variable> = everything.iter().filter(|variable| variable.writable).cloned().collect();
        let outside = self.enter(Scope::default());
        self.context = Context { in_parser: true, ..Context::default() };
        let header = format!("out {} extracted", Type::Header(kind).text());
        self.headers_of("extracted", &Type::Header(kind), true);
        let declared = self.parameters(3, &known);
        let params = declared.texts.iter().fold(header, |all, text| format!("{all}, {text}"));
        let mut text = String::new();
        if self.random.one_in(2) {
            let (ty, name) = (self.simple_type(), self.fresh("v"));
            text.push_str(&format!("{} {name} = {};\n", ty.text(), self.constant(&ty)));
            self.declare(&name, &ty, true);
        }
        self.valid.clear();
        let within = if self.random.one_in(3) { self.parser_application(0) } else { None };
        let extraction = match within {
            Some(application) => {
                self.note("parser within a sub-parser");
                text.push_str(&self.parser_instantiations());
                application
            }
            None => self.skip(0) + &self.extraction("extracted", kind),
        };
        self.valid = [0].into();
        text.push_str(&format!("state start {{\n{}{extraction}", declared.first));
        let assignment = self.assignment();
        text.push_str(&assignment);
        let count = 2 + self.random.below(2);
        text.push_str(&self.transition(0, count));
        text.push_str("}\n");
        for state in 1..count {
            let statements = [self.assignment(), self.assignment()].concat();
            let transition = self.transition(state, count);
            text.push_str(&format!("state s{state} {{\n{statements}{transition}}}\n"));
        }
        let sets = std::mem::take(&mut self.value_sets);
        let text = format!("parser {name}(packet_in packet, {params}) {{\n{sets}{text}}}\n");
        let params = declared.after(&[].into());
        self.enter(outside);
        self.parsers.push(SubParser { name, kind, params });
        text
    }

    /// Declares instances of the parsers made so far.
    pub(super) fn parser_instantiations(&mut self) -> String {
        self.parsers.iter().map(|parser| format!("{0}() i{0};\n", parser.name)).collect()
    }

    /// Applies a parser that extracts this header, if there is one.
    pub(super) fn parser_application(&mut self, header: usize) -> Option<String> {
        let kind = self.headers[header].kind;
        let fitting: Vec<usize> = (0..self.parsers.len()).filter(|parser| self.parsers[*parser].kind == kind).collect();
        let parser = *self.random.pick(&fitting)?;
        let (params, path) = (self.parsers[parser].params.clone(), self.headers[header].path.clone());
        let mut args = vec!["packet".to_owned(), path];
        args.extend(self.arguments(&params, 2)?);
        self.note("application of a parser");
        Some(format!("i{}.apply({});\n", self.parsers[parser].name, args.join(", ")))
    }
}
