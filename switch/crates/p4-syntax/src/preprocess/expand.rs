//! Expansion of macros: the stream of tokens after replacement, as the C standard (6.10.3) and GNU cpp have it.

use super::macros::{Builtin, Macro, Meaning};
use super::pp_token::{PpKind, PpToken, scan};
use super::{Arguments, Preprocessor};
use std::rc::Rc;

/// Expansion stops after this many tokens, so that macros that double each other cannot fill the memory.
const MAX_EXPANSION: usize = 4_000_000;

/// Calls of macros inside the arguments of others, at most this deep.
const MAX_DEPTH: usize = 200;

/// Tokens that are read before the file goes on.
pub struct Context {
    tokens: Vec<PpToken>,
    position: usize,
    /// The macro that they are the expansion of.
    of: Option<Rc<Macro>>,
}

impl Preprocessor<'_> {
    fn push_context(&mut self, tokens: Vec<PpToken>, of: Option<Rc<Macro>>) {
        self.contexts.push(Context { tokens, position: 0, of });
    }

    fn pop_context(&mut self) {
        if let Some(macro_) = self.contexts.pop().and_then(|context| context.of) {
            macro_.disabled.set(false);
        }
    }

    /// Gives back the token that was read last.
    fn unread(&mut self, token: PpToken) {
        match self.contexts.last_mut() {
            Some(context) => context.position = context.position.saturating_sub(1),
            None => self.lookahead = Some(token),
        }
    }

    /// Counts the tokens that expansion produces; false if there are too many.
    fn count(&mut self, amount: usize, place: &PpToken) -> bool {
        let before = self.produced;
        self.produced = before.saturating_add(amount);
        if self.produced <= MAX_EXPANSION {
            return true;
        }
        if before <= MAX_EXPANSION {
            self.diagnostics.error(place.span, "this macro expands to too many tokens");
        }
        false
    }

    /// The next token, macros expanded; padding says how it is spaced.
    pub(super) fn next_expanded(&mut self) -> PpToken {
        loop {
            let mut token = match self.contexts.last_mut() {
                None => self.next_of_file(),
                Some(context) => match context.tokens.get(context.position).cloned() {
                    Some(token) => {
                        context.position += 1;
                        if !self.count(1, &token) {
                            self.contexts.clear();
                            continue;
                        }
                        if token.pastes_right {
                            let padding = PpToken::padding(Some(token.space_before), &token);
                            self.paste(token);
                            if self.in_directive {
                                continue;
                            }
                            return padding;
                        }
                        token
                    }
                    None => {
                        let place = context.tokens.last().cloned();
                        self.pop_context();
                        match place {
                            Some(place) if !self.in_directive => return PpToken::padding(None, &place),
                            _ if self.in_directive => continue,
                            _ => return PpToken::padding(None, &self.end_token()),
                        }
                    }
                },
            };
            if token.kind != PpKind::Name || token.no_expand {
                return token;
            }
            let Some(meaning) = self.macros.get(&token.text).cloned() else {
                return token;
            };
            if let Meaning::Macro(macro_) = &meaning
                && macro_.disabled.get()
            {
                token.no_expand = true;
                return token;
            }
            if self.prevent_expansion > 0 {
                return token;
            }
            if self.contexts.is_empty() {
                self.use_span = token.span;
            }
            if !self.enter(&token, &meaning) {
                return token;
            }
            if !self.in_directive {
                return PpToken::padding(Some(token.space_before), &token);
            }
        }
    }

    /// Makes a macro's expansion the next tokens; false if it stays as it is.
    fn enter(&mut self, name: &PpToken, meaning: &Meaning) -> bool {
        let macro_ = match meaning {
            Meaning::Macro(macro_) => macro_.clone(),
            Meaning::Builtin(builtin) => return self.enter_builtin(name, *builtin),
        };
        let mut tokens = Vec::new();
        match &macro_.params {
            None => tokens.extend(macro_.body.iter().map(|item| item.token.clone())),
            Some(params) => {
                self.prevent_expansion += 1;
                let arguments = self.arguments(name, &macro_, params.len());
                self.arguments_of = Arguments::None;
                self.prevent_expansion -= 1;
                let Some(arguments) = arguments else { return false };
                self.substitute(&macro_, arguments, &mut tokens);
            }
        }
        for token in &mut tokens {
            // Those of the arguments have their places already.
            if token.line == 0 {
                token.span = name.span;
            }
            // `__LINE__` is the line of the outermost macro that it comes from.
            token.line = name.line;
            token.starts_line = false;
        }
        if !self.count(tokens.len(), name) {
            return false;
        }
        macro_.disabled.set(true);
        self.push_context(tokens, Some(macro_));
        true
    }

    fn enter_builtin(&mut self, name: &PpToken, builtin: Builtin) -> bool {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let (kind, text) = match builtin {
            Builtin::Line => (PpKind::Number, name.line.to_string()),
            Builtin::File => (PpKind::String, quoted(&self.buffer().name)),
            Builtin::BaseFile => (PpKind::String, quoted(&self.base_file)),
            Builtin::Counter => {
                let value = self.counter;
                self.counter += 1;
                (PpKind::Number, value.to_string())
            }
            Builtin::IncludeLevel => (PpKind::Number, (self.buffers.len().saturating_sub(1)).to_string()),
            Builtin::HasInclude => return false,
        };
        let text = self.names.intern(&text);
        let token = PpToken::new(kind, text, name.span, name.line);
        self.push_context(vec![token], None);
        true
    }

    /// Reads the `( … )` after the name of a macro with parameters, if it is there.
    fn arguments(&mut self, name: &PpToken, macro_: &Macro, count: usize) -> Option<Vec<Option<Vec<PpToken>>>> {
        self.arguments_of = Arguments::Opening;
        let mut padding: Option<PpToken> = None;
        let next = loop {
            let token = self.next_expanded();
            if token.kind != PpKind::Padding {
                break token;
            }
            let known = padding.as_ref().map(|padding| padding.padding);
            if matches!(known, None | Some(None)) || (known == Some(Some(false)) && token.padding.is_none()) {
                padding = Some(token);
            }
        };
        if !next.is("(") {
            // The end of a directive or of a file comes again by itself.
            if next.kind != PpKind::End || !self.contexts.is_empty() {
                self.unread(next);
                if let Some(padding) = padding {
                    self.push_context(vec![padding], None);
                }
            }
            return None;
        }
        self.arguments_of = Arguments::Inside;
        self.collect(name, macro_, count)
    }

    /// The arguments up to the closing parenthesis. None stands for the variable argument that is left out.
    fn collect(&mut self, name: &PpToken, macro_: &Macro, count: usize) -> Option<Vec<Option<Vec<PpToken>>>> {
        let mut arguments: Vec<Vec<PpToken>> = Vec::new();
        loop {
            let mut argument: Vec<PpToken> = Vec::new();
            let mut depth = 0usize;
            let is_rest = macro_.variadic && arguments.len() + 1 == count;
            let end = loop {
                let token = self.next_expanded();
                match token.kind {
                    PpKind::Padding if argument.is_empty() => continue,
                    PpKind::End => break token,
                    _ => {}
                }
                if token.is("(") {
                    depth += 1;
                } else if token.is(")") {
                    if depth == 0 {
                        break token;
                    }
                    depth -= 1;
                } else if (token.is(",") && depth == 0 && !is_rest) || (token.is("#") && token.starts_line) {
                    break token;
                }
                argument.push(token);
            };
            while argument.last().is_some_and(|token| token.kind == PpKind::Padding) {
                argument.pop();
            }
            arguments.push(argument);
            if end.kind == PpKind::End {
                if !self.contexts.is_empty() {
                    self.unread(end);
                }
                let message = "the arguments of this macro are never closed; expected ')'";
                self.diagnostics.error(name.span, message);
                return None;
            }
            if end.is(")") {
                break;
            }
        }
        if count == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        let given = arguments.len();
        let is_left_out = given + 1 == count && macro_.variadic;
        if given != count && !is_left_out {
            let message = format!("macro {} takes {count} arguments, {given} given", name.describe());
            self.diagnostics.error(name.span, message);
            return None;
        }
        let is_sole_and_empty = macro_.variadic && given == 1 && arguments[0].is_empty();
        let mut arguments: Vec<Option<Vec<PpToken>>> = arguments.into_iter().map(Some).collect();
        if is_left_out {
            arguments.push(None);
        } else if is_sole_and_empty {
            arguments.pop();
            arguments.push(None);
        }
        Some(arguments)
    }

    /// A macro's body with arguments in the place of parameters.
    fn substitute(&mut self, macro_: &Macro, arguments: Vec<Option<Vec<PpToken>>>, output: &mut Vec<PpToken>) {
        let last_param = arguments.len().checked_sub(1);
        let mut expanded: Vec<Option<Vec<PpToken>>> = arguments.iter().map(|_| None).collect();
        let mut after_paste = false;
        for (index, item) in macro_.body.iter().enumerate() {
            let mut place = item.token.clone();
            place.line = 0;
            let Some(param) = item.param else {
                after_paste = place.pastes_right;
                output.push(place);
                continue;
            };
            let argument = &arguments[param];
            let tokens: Vec<PpToken> = if item.stringized {
                vec![self.stringized(argument.as_deref().unwrap_or(&[]), &place)]
            } else if place.pastes_right || after_paste {
                argument.clone().unwrap_or_default()
            } else {
                if expanded[param].is_none() {
                    expanded[param] = Some(self.expand_argument(argument.as_deref().unwrap_or(&[]), &place));
                }
                expanded[param].clone().unwrap_or_default()
            };
            let mut left_loses_paste = false;
            if after_paste && !item.stringized {
                let after_comma = output.last().is_some_and(|token| token.is(","));
                if macro_.variadic && Some(param) == last_param && after_comma && !place.pastes_right {
                    match argument {
                        None => {
                            output.pop();
                        }
                        Some(_) => left_loses_paste = true,
                    }
                } else if tokens.is_empty() {
                    left_loses_paste = true;
                }
            }
            if left_loses_paste && let Some(left) = output.last_mut() {
                left.pastes_right = place.pastes_right;
            }
            if index > 0 && !after_paste && !self.in_directive {
                output.push(PpToken { line: 0, ..PpToken::padding(Some(place.space_before), &place) });
            }
            if !self.count(tokens.len(), &place) {
                return;
            }
            let has_tokens = !tokens.is_empty();
            output.extend(tokens);
            if has_tokens && let Some(last) = output.last_mut() {
                last.pastes_right = place.pastes_right;
            }
            if !self.in_directive && !place.pastes_right {
                output.push(PpToken { line: 0, ..PpToken::padding(None, &place) });
            }
            after_paste = place.pastes_right;
        }
    }

    /// An argument, expanded by itself.
    fn expand_argument(&mut self, argument: &[PpToken], place: &PpToken) -> Vec<PpToken> {
        if self.depth >= MAX_DEPTH {
            if self.depth == MAX_DEPTH {
                let message = format!("macros are called in each other's arguments more than {MAX_DEPTH} levels deep");
                let span = argument.first().map_or(self.use_span, |token| token.span);
                self.diagnostics.error(span, message);
                self.depth += 1;
            }
            return argument.to_vec();
        }
        let mut tokens = argument.to_vec();
        tokens.push(PpToken::new(PpKind::End, "".into(), place.span, place.line));
        let level = self.contexts.len();
        self.push_context(tokens, None);
        self.depth += 1;
        let mut output = Vec::new();
        while self.contexts.len() > level {
            let token = self.next_expanded();
            if token.kind == PpKind::End {
                break;
            }
            output.push(token);
        }
        self.depth = self.depth.saturating_sub(1);
        while self.contexts.len() > level {
            self.pop_context();
        }
        output
    }

    /// The spelling of an argument, as a string.
    fn stringized(&mut self, argument: &[PpToken], place: &PpToken) -> PpToken {
        let mut text = String::from("\"");
        let mut padding: Option<bool> = None;
        let mut backslashes = 0usize;
        for token in argument {
            if token.kind == PpKind::Padding {
                if padding.is_none() || (padding == Some(false) && token.padding.is_none()) {
                    padding = token.padding;
                }
                continue;
            }
            if text.len() > 1 && padding.take().unwrap_or(token.space_before) {
                text.push(' ');
            }
            padding = None;
            if matches!(token.kind, PpKind::String | PpKind::Char) {
                text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
            } else {
                text.push_str(&token.text);
            }
            let is_backslash = token.kind == PpKind::Other && token.text.starts_with('\\');
            backslashes = if is_backslash { backslashes + 1 } else { 0 };
        }
        if backslashes % 2 == 1 {
            text.pop();
        }
        text.push('"');
        self.count(text.len() / 8, place);
        PpToken { kind: PpKind::String, text: text.into(), space_before: false, ..place.clone() }
    }

    /// Joins `left` to the tokens that follow it, as long as `##` stands between them.
    fn paste(&mut self, mut left: PpToken) {
        loop {
            left.pastes_right = false;
            let Some(context) = self.contexts.last_mut() else { break };
            let Some(right) = context.tokens.get(context.position).cloned() else { break };
            context.position += 1;
            if right.kind == PpKind::Padding {
                break;
            }
            let text = format!("{}{}", left.text, right.text);
            let is_comment = left.is("/") && !right.is("=");
            let (kind, length) = scan(&text);
            if is_comment || length != text.len() || !text.starts_with(|c: char| !c.is_whitespace()) {
                // No token: both stay, as GNU cpp has it where the language is not C.
                context.position -= 1;
                if left.kind == PpKind::Comment {
                    // cpp no longer counts its lines.
                    left.kind = PpKind::Other;
                }
                break;
            }
            let text = self.names.intern(&text);
            left = PpToken { kind, text, no_expand: false, ..left };
            if !right.pastes_right {
                break;
            }
        }
        self.push_context(vec![left], None);
    }
}
