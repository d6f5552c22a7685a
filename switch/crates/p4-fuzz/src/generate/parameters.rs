//! Parameters with directions, and arguments for them.

use std::collections::BTreeSet;

use super::types::{PAIR, Type};
use super::{Generator, Header, Parameter, Variable};

/// Parameters as they are declared.
#[derive(Default)]
pub(super) struct Declared {
    pub params: Vec<Parameter>,
    /// `direction type name` of each.
    pub texts: Vec<String>,
    /// Statements that initialize those that are `out`.
    pub first: String,
    /// The header that each is, by its number among the headers of the body.
    headers: Vec<Option<usize>>,
}

impl Declared {
    /// The parameters, once it is known which headers the body makes invalid.
    pub fn after(mut self, invalidated: &BTreeSet<usize>) -> Vec<Parameter> {
        for (param, header) in self.params.iter_mut().zip(&self.headers) {
            param.invalidates = param.direction == "out" || header.is_some_and(|index| invalidated.contains(&index));
        }
        self.params
    }
}

impl Generator {
    /// Declares at most so many parameters; often of a type that the variables `known` have, so that calls find something
    /// to write to.
    pub(super) fn parameters(&mut self, most: usize, known: &[Variable]) -> Declared {
        let mut declared = Declared::default();
        for _ in 0..self.random.below(most + 1) {
            let direction = ["in", "out", "inout"][self.random.below(3)];
            let ty = match self.random.pick(known) {
                _ if self.random.one_in(4) => Type::Header(self.random.below(self.header_types.len())),
                Some(Variable { ty: Type::Varbit(_), .. }) => Type::Bool,
                Some(variable) => variable.ty.clone(),
                None => [Type::Bit(8), Type::Bit(16), Type::Int(8), Type::Bool][self.random.below(4)].clone(),
            };
            let name = self.fresh("p");
            declared.texts.push(format!("{direction} {} {name}", ty.text()));
            let mut header = None;
            if let Type::Header(kind) = ty {
                self.note("header parameter");
                header = Some(self.headers.len());
                self.header_parameter(&name, kind, direction != "in");
            } else if direction == "out" {
                declared.first.push_str(&format!("{name} = {};\n", self.constant(&ty)));
            }
            declared.headers.push(header);
            declared.params.push(Parameter { direction, ty, invalidates: false });
        }
        for (param, text) in declared.params.iter().zip(&declared.texts) {
            let name = text.rsplit(' ').next().unwrap_or_default();
            if matches!(param.ty, Type::Header(_)) {
                continue;
            }
            self.declare(name, &param.ty, param.direction != "in");
            if param.ty == Type::Pair {
                for (part, ty) in PAIR {
                    self.declare(&format!("{name}.{part}"), &ty, param.direction != "in");
                }
            }
        }
        declared
    }

    pub(super) fn header_parameter(&mut self, name: &str, kind: usize, writable: bool) {
        let index = self.headers.len();
        for (field, ty) in self.header_types[kind].clone() {
            self.variables.push(Variable { name: format!("{name}.{field}"), ty, writable, header: Some(index) });
        }
        self.headers.push(Header { path: name.to_owned(), kind, writable, group: None });
    }

    /// Arguments for parameters, if there is something to write to for each. Headers that the call perhaps makes invalid
    /// are known to be valid no more.
    pub(super) fn arguments(&mut self, params: &[Parameter], depth: usize) -> Option<Vec<String>> {
        let (mut texts, mut perhaps_invalid) = (vec![], BTreeSet::new());
        for param in params {
            texts.push(match (param.direction, &param.ty) {
                ("in", ty) => self.expression(ty, depth),
                (_, Type::Header(kind)) => {
                    let index = self.target_header(*kind)?;
                    if param.invalidates {
                        perhaps_invalid.insert(index);
                    }
                    perhaps_invalid.extend(self.other_members(index));
                    self.note("header argument");
                    self.headers[index].path.clone()
                }
                (_, ty) => self.target(ty)?,
            });
        }
        self.forget(&perhaps_invalid);
        Some(texts)
    }

    /// A header that can be written and made invalid.
    fn target_header(&mut self, kind: usize) -> Option<usize> {
        let fitting: Vec<usize> = self
            .headers
            .iter()
            .enumerate()
            .filter(|(_, header)| self.context.can_invalidate && header.writable && header.kind == kind)
            .map(|(index, _)| index)
            .collect();
        self.random.pick(&fitting).copied()
    }
}
