//! The meaning of names and expressions: types, members, and the declaration of the word at a place.

use crate::index::{DeclarationId, Index, Kind, Named, ScopeId, type_name};
use crate::scan::{Piece, Scanned};
use p4_syntax::ast::{Type, TypeKind};
use std::rc::Rc;

/// Types within types deeper than this are given up.
const MAX_DEPTH: usize = 32;

/// The types that type parameters stand for.
type Substitution = Vec<(Rc<str>, Meaning)>;

/// The kind of an expression, as far as its members are concerned.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A value or an object of a declared type, and its type arguments.
    Value(DeclarationId, Vec<Meaning>),
    /// A header stack.
    Stack(Box<Meaning>),
    /// A table.
    Table,
    /// The result of applying a table.
    Applied,
    /// The name of a type.
    TypeName(DeclarationId),
    /// The word `error`.
    Errors,
    /// A function or method.
    Callable(DeclarationId, Substitution),
    /// A method that is not declared, with its result.
    BuiltIn(Box<Meaning>),
    /// Anything without members.
    Plain,
}

/// A member of something.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Rc<str>,
    /// Its declaration; none for a member that the language itself has.
    pub declaration: Option<DeclarationId>,
    /// How the language has it, if it is not declared.
    pub signature: &'static str,
    /// Its meaning.
    pub meaning: Meaning,
}

/// The thing that a word at a place names.
#[derive(Clone, Debug)]
pub enum Target {
    /// Something declared.
    Declared(DeclarationId),
    /// Something that the language itself has, as it would be declared.
    BuiltIn(&'static str),
}

const SIZES: [(&str, &str); 4] = [
    ("minSizeInBits", "int minSizeInBits()"),
    ("minSizeInBytes", "int minSizeInBytes()"),
    ("maxSizeInBits", "int maxSizeInBits()"),
    ("maxSizeInBytes", "int maxSizeInBytes()"),
];

impl Index {
    fn meaning_of_type(&self, ty: &Type, scope: ScopeId, known: &Substitution, depth: usize) -> Meaning {
        if depth > MAX_DEPTH {
            return Meaning::Plain;
        }
        if let TypeKind::Stack(element, _) = &ty.kind {
            return Meaning::Stack(Box::new(self.meaning_of_type(element, scope, known, depth + 1)));
        }
        let Some((name, args)) = type_name(ty) else { return Meaning::Plain };
        if let Some((_, meaning)) = known.iter().find(|(param, _)| &**param == name) {
            return meaning.clone();
        }
        let Some(id) = self.find(name, scope) else { return Meaning::Plain };
        let named = &self.declarations[id];
        match (named.kind, &named.ty) {
            (Kind::Typedef, Some(ty)) => self.meaning_of_type(ty, named.scope, &Vec::new(), depth + 1),
            (
                Kind::Header | Kind::Struct | Kind::Union | Kind::Enum | Kind::Extern | Kind::Parser | Kind::Control,
                _,
            ) => {
                let args = args.iter().map(|arg| self.meaning_of_type(arg, scope, known, depth + 1));
                Meaning::Value(id, args.collect())
            }
            _ => Meaning::Plain,
        }
    }

    /// The meaning of a name at its use.
    fn meaning_of(&self, id: DeclarationId, known: &Substitution) -> Meaning {
        let named = &self.declarations[id];
        match named.kind {
            Kind::Field | Kind::Instance | Kind::Variable | Kind::Parameter | Kind::Constant => {
                named.ty.as_ref().map_or(Meaning::Plain, |ty| self.meaning_of_type(ty, named.scope, known, 0))
            }
            Kind::Table => Meaning::Table,
            Kind::Function | Kind::Method | Kind::Constructor => Meaning::Callable(id, known.clone()),
            Kind::Typedef => match self.meaning_of_named_type(named) {
                Meaning::Value(id, _) => Meaning::TypeName(id),
                _ => Meaning::Plain,
            },
            Kind::Header | Kind::Struct | Kind::Union | Kind::Enum | Kind::Extern | Kind::Parser | Kind::Control => {
                Meaning::TypeName(id)
            }
            _ => Meaning::Plain,
        }
    }

    fn meaning_of_named_type(&self, named: &Named) -> Meaning {
        named.ty.as_ref().map_or(Meaning::Plain, |ty| self.meaning_of_type(ty, named.scope, &Vec::new(), 0))
    }

    /// All members of something, in order of declaration.
    pub fn members(&self, of: &Meaning) -> Vec<Member> {
        let language = |list: &[(&'static str, &'static str)], result: &Meaning| -> Vec<Member> {
            let member = |(name, signature): &(&'static str, &'static str)| Member {
                name: (*name).into(),
                declaration: None,
                signature,
                meaning: result.clone(),
            };
            list.iter().map(member).collect()
        };
        let plain = Meaning::BuiltIn(Box::new(Meaning::Plain));
        match of {
            Meaning::Value(id, args) => {
                let named = &self.declarations[*id];
                let params = named.type_params.iter().cloned();
                let known: Substitution = params.zip(args.iter().cloned()).collect();
                let wanted = |kind: Kind| matches!(kind, Kind::Field | Kind::Method);
                let mut members = self.declared(&named.inner, &known, wanted);
                let more: &[(&str, &str)] = match named.kind {
                    Kind::Header => &[
                        ("isValid", "bool isValid()"),
                        ("setValid", "void setValid()"),
                        ("setInvalid", "void setInvalid()"),
                    ],
                    Kind::Union => &[("isValid", "bool isValid()")],
                    Kind::Parser => &[("apply", "void apply(…)  // the parser's parameters")],
                    Kind::Control => &[("apply", "void apply(…)  // the control's parameters")],
                    _ => &[],
                };
                members.extend(language(more, &plain));
                if matches!(named.kind, Kind::Header | Kind::Struct | Kind::Union) {
                    members.extend(language(&SIZES, &plain));
                }
                members
            }
            Meaning::Stack(element) => {
                let mut members = language(&[("next", "the next element"), ("last", "the last element")], element);
                members
                    .extend(language(&[("lastIndex", "bit<32> lastIndex"), ("size", "bit<32> size")], &Meaning::Plain));
                let methods =
                    [("push_front", "void push_front(int count)"), ("pop_front", "void pop_front(int count)")];
                members.extend(language(&methods, &plain));
                members
            }
            Meaning::Table => {
                let result = Meaning::BuiltIn(Box::new(Meaning::Applied));
                language(&[("apply", "apply_result apply()  // hit, miss, action_run")], &result)
            }
            Meaning::Applied => {
                let results = [("hit", "bool hit"), ("miss", "bool miss"), ("action_run", "action_run  // for switch")];
                language(&results, &Meaning::Plain)
            }
            Meaning::TypeName(id) => {
                let named = &self.declarations[*id];
                let mut members = self.declared(&named.inner, &Vec::new(), |kind| kind == Kind::Member);
                match named.kind {
                    Kind::Parser | Kind::Control => members.extend(language(&[("apply", "void apply(…)")], &plain)),
                    Kind::Header | Kind::Struct | Kind::Union => members.extend(language(&SIZES, &plain)),
                    _ => {}
                }
                members
            }
            Meaning::Errors => {
                let all: Vec<DeclarationId> = (0..self.declarations.len()).collect();
                self.declared(&all, &Vec::new(), |kind| kind == Kind::Error)
            }
            Meaning::Callable(..) | Meaning::BuiltIn(_) | Meaning::Plain => Vec::new(),
        }
    }

    fn declared(&self, list: &[DeclarationId], known: &Substitution, wanted: impl Fn(Kind) -> bool) -> Vec<Member> {
        let ids = list.iter().filter(|id| wanted(self.declarations[**id].kind));
        let member = |id: &DeclarationId| Member {
            name: self.declarations[*id].name.clone(),
            declaration: Some(*id),
            signature: "",
            meaning: self.meaning_of(*id, known),
        };
        ids.map(member).collect()
    }

    /// The meaning of the expression that ends with a piece, in a scope.
    pub fn expression(&self, scanned: &Scanned<'_>, last: usize, scope: ScopeId) -> Meaning {
        self.expression_within(scanned, last, scope).unwrap_or(Meaning::Plain)
    }

    fn expression_within(&self, scanned: &Scanned<'_>, last: usize, scope: ScopeId) -> Option<Meaning> {
        let mut steps = Vec::new();
        let mut at = last;
        // Backwards to the name that it begins with.
        let mut meaning = loop {
            match scanned.word(at) {
                "]" => {
                    let open = opening(scanned, at, "[", "]")?;
                    if (open..at).any(|index| matches!(scanned.word(index), ":" | "+:")) {
                        return None;
                    }
                    steps.push(Step::Element);
                    at = open.checked_sub(1)?;
                }
                ")" => {
                    let mut before = opening(scanned, at, "(", ")")?.checked_sub(1)?;
                    let mut argument = None;
                    if scanned.word(before) == ">" {
                        let open = opening(scanned, before, "<", ">")?;
                        argument = (open + 2 == before).then_some(open + 1);
                        before = open.checked_sub(1)?;
                    }
                    steps.push(Step::Call(argument));
                    at = before;
                }
                word if scanned.tokens.get(at)?.piece == Piece::Word => {
                    let is_member = at > 1 && scanned.word(at - 1) == "." && is_expression_end(scanned, at - 2);
                    if !is_member {
                        break self.name(word, scope)?;
                    }
                    steps.push(Step::Member(at));
                    at -= 2;
                }
                _ => return None,
            }
        };
        for step in steps.into_iter().rev() {
            meaning = match (step, meaning) {
                (Step::Element, Meaning::Stack(element)) => *element,
                (Step::Member(at), of) => self.member(&of, scanned.word(at))?.meaning,
                (Step::Call(argument), Meaning::Callable(id, mut known)) => {
                    let named = &self.declarations[id];
                    if let (Some(argument), Some(param)) = (argument, named.type_params.first()) {
                        let given = self.find(scanned.word(argument), scope).map(|id| self.meaning_of(id, &Vec::new()));
                        if let Some(Meaning::TypeName(id)) = given {
                            known.push((param.clone(), Meaning::Value(id, Vec::new())));
                        }
                    }
                    let result = named.ty.as_ref()?;
                    self.meaning_of_type(result, named.scope, &known, 0)
                }
                (Step::Call(_), Meaning::BuiltIn(result)) => *result,
                _ => return None,
            };
        }
        Some(meaning)
    }

    fn name(&self, word: &str, scope: ScopeId) -> Option<Meaning> {
        if word == "error" {
            return Some(Meaning::Errors);
        }
        self.find(word, scope).map(|id| self.meaning_of(id, &Vec::new()))
    }

    fn member(&self, of: &Meaning, name: &str) -> Option<Member> {
        self.members(of).into_iter().find(|member| &*member.name == name)
    }

    /// The thing that the word with the piece number `at` names.
    pub fn target(&self, scanned: &Scanned<'_>, at: usize, scope: ScopeId) -> Option<Target> {
        let word = scanned.word(at);
        let before = at.checked_sub(1).map_or("", |before| scanned.word(before));
        if before == "." && at > 1 && is_expression_end(scanned, at - 2) {
            let member = self.member(&self.expression(scanned, at - 2, scope), word)?;
            return Some(member.declaration.map_or(Target::BuiltIn(member.signature), Target::Declared));
        }
        if before == "@" {
            return None;
        }
        if let Some(id) = self.find(word, scope) {
            return Some(Target::Declared(id));
        }
        let is_match_kind = |named: &Named| named.kind == Kind::Match && &*named.name == word;
        self.declarations.iter().position(is_match_kind).filter(|_| before == ":").map(Target::Declared)
    }
}

/// A step from an expression to a larger one.
enum Step {
    Element,
    Member(usize),
    /// With the piece that is its only type argument, if it has one.
    Call(Option<usize>),
}

/// Can an expression that has members end with that piece?
pub fn is_expression_end(scanned: &Scanned<'_>, at: usize) -> bool {
    let word = scanned.word(at);
    matches!(word, ")" | "]") || scanned.tokens.get(at).is_some_and(|token| token.piece == Piece::Word)
}

/// The bracket that a closing one belongs to.
fn opening(scanned: &Scanned<'_>, close: usize, open: &str, closing: &str) -> Option<usize> {
    let mut depth = 0usize;
    for index in (0..=close).rev() {
        let word = scanned.word(index);
        if word == closing {
            depth += 1;
        } else if word == open {
            depth -= 1;
            if depth == 0 {
                return Some(index);
            }
        } else if matches!(word, ";" | "{" | "}") {
            return None;
        }
    }
    None
}
