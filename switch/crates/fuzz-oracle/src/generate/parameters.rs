//! Parameters with directions, and arguments for them.

use std::collections::BTreeSet;

use super::types::Type;
use super::{Generator, Parameter, Variable};

/// Parameters as they are declared.
#[derive(Default)]
pub(super) struct Declared {
    pub params: Vec<Parameter>,
    /// `direction type name` of each.
    pub texts: Vec<String>,
    /// Statements that initialize those that are `out`.
    pub first: String,
    /// The headers that are in each, by their numbers among the headers of the body.
    headers: Vec<BTreeSet<usize>>,
}

impl Declared {
    /// A parameter without headers that is read.
    pub fn add_in(&mut self, ty: Type, text: String) {
        self.texts.push(text);
        self.headers.push(BTreeSet::new());
        self.params.push(Parameter { direction: "in", ty, invalidates: false });
    }

    /// The parameters, once it is known which headers the body makes invalid.
    pub fn after(mut self, invalidated: &BTreeSet<usize>) -> Vec<Parameter> {
        for (param, headers) in self.params.iter_mut().zip(&self.headers) {
            param.invalidates = param.direction == "out" || !headers.is_disjoint(invalidated);
        }
        self.params
    }
}

impl Generator {
    /// Declares at most so many parameters; often of a type that the variables `known` have, so that calls find something
    /// to write to.
    pub(super) fn parameters(&mut self, most: usize, known: &[Variable]) -> Declared {
        self.parameters_after(Declared::default(), most, known)
    }

    /// The same behind others.
    pub(super) fn parameters_after(&mut self, mut declared: Declared, most: usize, known: &[Variable]) -> Declared {
        let first = declared.params.len();
        for _ in 0..self.random.below(most + 1) {
            let mut direction = ["in", "out", "inout"][self.random.below(3)];
            let ty = match self.random.pick(known) {
                _ if self.random.one_in(4) => self.type_of_headers(),
                Some(Variable { ty: ty @ Type::Varbit(_), .. }) => {
                    self.note("parameter of variable length");
                    // There is nothing to initialize it with.
                    direction = if direction == "in" { "in" } else { "inout" };
                    ty.clone()
                }
                Some(variable) => variable.ty.clone(),
                None => [Type::Bit(8), Type::Bit(16), Type::Int(8), Type::Bool][self.random.below(4)].clone(),
            };
            let name = self.fresh("p");
            declared.texts.push(format!("{direction} {} {name}", self.spelled(&ty)));
            let before = self.headers.len();
            if ty.has_headers() {
                self.note(match ty {
                    Type::Header(_) => "header parameter",
                    Type::Union => "union parameter",
                    Type::UnionStack(_) => "parameter of a stack of unions",
                    _ => "stack parameter",
                });
                self.headers_of(&name, &ty, direction != "in");
            } else if direction == "out" {
                declared.first.push_str(&format!("{name} = {};\n", self.constant(&ty)));
            }
            declared.headers.push((before..self.headers.len()).collect());
            declared.params.push(Parameter { direction, ty, invalidates: false });
        }
        for (param, text) in declared.params.iter().zip(&declared.texts).skip(first) {
            let name = text.rsplit(' ').next().unwrap_or_default();
            if param.ty.has_headers() {
                continue;
            }
            self.declare_parts(name, &param.ty, param.direction != "in");
        }
        declared
    }

    /// Arguments for parameters, if there is something to write to for each. Headers that the call perhaps makes invalid
    /// are known to be valid no more.
    pub(super) fn arguments(&mut self, params: &[Parameter], depth: usize) -> Option<Vec<String>> {
        let (mut texts, mut perhaps_invalid) = (vec![], BTreeSet::new());
        for param in params {
            let is_in = param.direction == "in";
            texts.push(match &param.ty {
                ty @ Type::Varbit(_) if is_in => {
                    let known = self.visible(|variable| variable.ty == *ty);
                    self.random.pick(&known)?.name.clone()
                }
                ty @ (Type::Stack(..) | Type::Union | Type::UnionStack(_)) if is_in => {
                    self.place_of_headers(ty, true)?.0
                }
                ty if is_in => self.expression(ty, depth),
                ty if ty.has_headers() => {
                    let (path, headers) = self.place_of_headers(ty, false)?;
                    for header in headers {
                        perhaps_invalid.extend(self.other_members(header));
                        if param.invalidates {
                            perhaps_invalid.insert(header);
                        }
                    }
                    self.note("header argument");
                    path
                }
                ty => self.target(ty)?,
            });
        }
        self.forget(&perhaps_invalid);
        Some(texts)
    }
}
