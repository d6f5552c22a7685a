//! `#define` and `#undef`.

use super::Preprocessor;
use super::macros::{Macro, Meaning};
use super::pp_token::{PpKind, PpToken};
use crate::source::Span;
use std::rc::Rc;

/// The parameters of a macro; and whether the last one takes all further arguments.
type Parameters = (Vec<Rc<str>>, bool);

impl Preprocessor<'_> {
    /// The name of a macro, after `#word`.
    fn macro_name(&mut self, word: &str, place: Span) -> Option<PpToken> {
        let token = self.next_raw();
        if token.kind != PpKind::Name {
            self.diagnostics.error(place, format!("expected a name after '#{word}'"));
            return None;
        }
        if &*token.text == "defined" || token.text.starts_with("__has_include") {
            self.diagnostics.error(token.span, format!("{} cannot be the name of a macro", token.describe()));
            return None;
        }
        Some(token)
    }

    /// `#undef`, its word being read.
    pub(super) fn undefine(&mut self, place: Span) {
        if let Some(name) = self.macro_name("undef", place) {
            self.macros.undefine(&name.text);
        }
    }

    /// `#define`, its word being read.
    pub(super) fn define(&mut self, place: Span) {
        let Some(name) = self.macro_name("define", place) else { return };
        let mut body = Vec::new();
        let mut token = self.next_raw();
        let mut variadic = false;
        let mut params = None;
        if token.is("(") && !token.space_before {
            match self.params() {
                Ok((names, rest)) => (params, variadic) = (Some(names), rest),
                Err((span, message)) => {
                    self.diagnostics.error(span, message);
                    return;
                }
            }
            token = self.next_raw();
        }
        while token.kind != PpKind::End {
            if variadic && &*token.text == "__VA_OPT__" {
                self.diagnostics.error(token.span, "__VA_OPT__ is not supported; '##' before the last parameter is");
            }
            body.push(token);
            token = self.next_raw();
        }
        match Macro::new(params, variadic, body) {
            Err(message) => {
                self.diagnostics.error(place, message);
            }
            Ok(entry) => self.insert(&name, entry),
        }
    }

    fn insert(&mut self, name: &PpToken, entry: Macro) {
        let is_changed = match self.macros.get(&name.text) {
            None => false,
            Some(Meaning::Builtin(_)) => true,
            Some(Meaning::Macro(known)) => !known.is_same(&entry),
        };
        if is_changed {
            let message = format!("the macro {} is defined anew, and differently", name.describe());
            self.diagnostics.warning(name.span, message).help("forget the first definition with '#undef'");
        }
        self.macros.define(name.text.clone(), entry);
    }

    /// The parameters after `(`; and whether the last one takes all further arguments.
    fn params(&mut self) -> Result<Parameters, (Span, String)> {
        let expected = |token: &PpToken| {
            let message = "expected parameter names and ')' after the macro's name";
            Err((token.span, message.to_owned()))
        };
        let mut names: Vec<Rc<str>> = Vec::new();
        loop {
            let token = self.next_raw();
            let is_rest = token.is("...");
            if token.is(")") && names.is_empty() {
                return Ok((names, false));
            }
            let name: Rc<str> = match token.kind {
                PpKind::Name => token.text.clone(),
                _ if is_rest => self.names.intern("__VA_ARGS__"),
                _ => return expected(&token),
            };
            if names.contains(&name) {
                return Err((token.span, format!("two parameters are called '{name}'")));
            }
            names.push(name);
            let next = self.next_raw();
            if next.is(")") {
                return Ok((names, is_rest));
            }
            if next.is("...") && !is_rest {
                let end = self.next_raw();
                return if end.is(")") { Ok((names, true)) } else { expected(&end) };
            }
            if !next.is(",") || is_rest {
                return expected(&next);
            }
        }
    }
}
