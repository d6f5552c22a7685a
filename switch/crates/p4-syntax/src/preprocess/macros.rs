//! Macros: their definitions.

use super::pp_token::{PpKind, PpToken};
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// A token of a macro's body.
#[derive(Debug)]
pub struct BodyToken {
    /// The token.
    pub token: PpToken,
    /// The parameter that it names.
    pub param: Option<usize>,
    /// `#` stands before it: the argument's spelling, as a string.
    pub stringized: bool,
}

/// A macro.
#[derive(Debug)]
pub struct Macro {
    /// Parameter names; None for a macro without parameter list.
    pub params: Option<Vec<Rc<str>>>,
    /// The last parameter takes all further arguments (`...`).
    pub variadic: bool,
    /// The tokens that it stands for.
    pub body: Vec<BodyToken>,
    /// Its expansion is being read, in which its name is not replaced again.
    pub disabled: Cell<bool>,
}

impl Macro {
    /// Makes a macro.
    ///
    /// # Errors
    /// The message, if `##` has nothing to join.
    pub fn new(params: Option<Vec<Rc<str>>>, variadic: bool, tokens: Vec<PpToken>) -> Result<Self, String> {
        let mut body: Vec<BodyToken> = Vec::with_capacity(tokens.len());
        let mut after_paste = false;
        for token in tokens {
            let names = params.as_deref().unwrap_or(&[]);
            let param = names.iter().position(|name| token.kind == PpKind::Name && *name == token.text);
            if token.is("##") {
                let Some(left) = body.last_mut() else {
                    return Err("'##' stands at the beginning of a macro's body".to_owned());
                };
                left.token.pastes_right = true;
                after_paste = true;
                continue;
            }
            after_paste = false;
            match body.last_mut() {
                Some(hash) if params.is_some() && param.is_some() && hash.param.is_none() && hash.token.is("#") => {
                    let space_before = hash.token.space_before;
                    *hash = BodyToken { token: PpToken { space_before, ..token }, param, stringized: true };
                }
                _ => body.push(BodyToken { token, param, stringized: false }),
            }
        }
        if after_paste {
            return Err("'##' stands at the end of a macro's body".to_owned());
        }
        if let Some(first) = body.first_mut() {
            first.token.space_before = false;
        }
        Ok(Self { params, variadic, body, disabled: Cell::new(false) })
    }

    /// Does `other` define the same, apart from the amount of white space?
    pub fn is_same(&self, other: &Macro) -> bool {
        let same_token = |(a, b): (&BodyToken, &BodyToken)| {
            let (left, right) = (&a.token, &b.token);
            left.text == right.text
                && left.space_before == right.space_before
                && left.pastes_right == right.pastes_right
                && a.stringized == b.stringized
        };
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(same_token)
    }
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A macro of the program.
    Macro(Rc<Macro>),
    /// One that the preprocessor knows by itself.
    Builtin(Builtin),
}

/// The macros that the preprocessor knows by itself.
#[derive(Clone, Copy, Debug)]
pub enum Builtin {
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__BASE_FILE__`
    BaseFile,
    /// `__COUNTER__`
    Counter,
    /// `__INCLUDE_LEVEL__`
    IncludeLevel,
    /// `__has_include`, `__has_include_next`: only in conditions.
    HasInclude,
}

const BUILTINS: [(&str, Builtin); 7] = [
    ("__LINE__", Builtin::Line),
    ("__FILE__", Builtin::File),
    ("__BASE_FILE__", Builtin::BaseFile),
    ("__COUNTER__", Builtin::Counter),
    ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
    ("__has_include", Builtin::HasInclude),
    ("__has_include_next", Builtin::HasInclude),
];

/// All macros that are defined.
#[derive(Debug)]
pub struct Macros {
    table: HashMap<Rc<str>, Meaning>,
    pushed: HashMap<Rc<str>, Vec<Option<Meaning>>>,
}

impl Default for Macros {
    fn default() -> Self {
        let table = BUILTINS.iter().map(|(name, builtin)| ((*name).into(), Meaning::Builtin(*builtin))).collect();
        Self { table, pushed: HashMap::new() }
    }
}

impl Macros {
    /// Defines a macro; gives the meaning that the name had before.
    pub fn define(&mut self, name: Rc<str>, entry: Macro) -> Option<Meaning> {
        self.table.insert(name, Meaning::Macro(Rc::new(entry)))
    }

    /// Forgets a macro.
    pub fn undefine(&mut self, name: &str) {
        self.table.remove(name);
    }

    /// Is there a macro with that name?
    pub fn is_defined(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// The meaning of a name.
    pub fn get(&self, name: &str) -> Option<&Meaning> {
        self.table.get(name)
    }

    /// `#pragma push_macro("name")`
    pub fn push(&mut self, name: &str) {
        let meaning = self.table.get(name).cloned();
        self.pushed.entry(name.into()).or_default().push(meaning);
    }

    /// `#pragma pop_macro("name")`
    pub fn pop(&mut self, name: &str) {
        match self.pushed.get_mut(name).and_then(Vec::pop) {
            Some(Some(meaning)) => {
                self.table.insert(name.into(), meaning);
            }
            Some(None) => self.undefine(name),
            None => {}
        }
    }
}
