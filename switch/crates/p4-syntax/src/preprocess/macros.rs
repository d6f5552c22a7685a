//! Macro definitions and their expansion.

use crate::diagnostic::Diagnostics;
use crate::lexer::{Interner, parse_number};
use crate::token::{KEYWORDS, SYMBOLS, Token, TokenKind};
use std::collections::HashMap;
use std::rc::Rc;

/// Expansion stops after this many tokens, so that macros that double each other cannot fill the memory.
const MAX_EXPANSION: usize = 4_000_000;

/// Macros used inside macros, at most this deep.
const MAX_DEPTH: usize = 200;

/// A macro.
#[derive(Debug)]
struct Macro {
    /// Parameter names; None for a macro without parameter list.
    params: Option<Vec<Rc<str>>>,
    /// The last parameter takes all further arguments (`...`).
    variadic: bool,
    body: Vec<Token>,
}

/// All macros that are defined.
#[derive(Debug, Default)]
pub struct Macros {
    table: HashMap<Rc<str>, Rc<Macro>>,
    produced: usize,
}

impl Macros {
    /// Defines a macro without parameters.
    pub fn define_object(&mut self, name: Rc<str>, body: Vec<Token>) {
        let entry = Macro { params: None, variadic: false, body };
        self.table.insert(name, Rc::new(entry));
    }

    /// Defines a macro with parameters.
    pub fn define_function(&mut self, name: Rc<str>, params: Vec<Rc<str>>, variadic: bool, body: Vec<Token>) {
        let entry = Macro { params: Some(params), variadic, body };
        self.table.insert(name, Rc::new(entry));
    }

    /// Forgets a macro.
    pub fn undefine(&mut self, name: &str) {
        self.table.remove(name);
    }

    /// Is there a macro with that name?
    pub fn is_defined(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// Is there one with parameters?
    pub fn is_function(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|entry| entry.params.is_some())
    }

    /// Appends `input`, all macros in it expanded, to `output`.
    pub fn expand(
        &mut self,
        input: &[Token],
        output: &mut Vec<Token>,
        names: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) {
        self.expand_inner(input, output, &mut Vec::new(), names, diagnostics);
    }

    fn expand_inner(
        &mut self,
        input: &[Token],
        output: &mut Vec<Token>,
        active: &mut Vec<Rc<str>>,
        names: &mut Interner,
        diagnostics: &mut Diagnostics,
    ) {
        let mut index = 0;
        while let Some(token) = input.get(index) {
            index += 1;
            self.produced += 1;
            if self.produced > MAX_EXPANSION {
                if self.produced == MAX_EXPANSION + 1 {
                    diagnostics.error(token.span, "this macro expands to too many tokens");
                }
                return;
            }
            let TokenKind::Identifier(name) = &token.kind else {
                output.push(token.clone());
                continue;
            };
            let entry = match self.table.get(name) {
                Some(entry) if !active.contains(name) && active.len() < MAX_DEPTH => entry.clone(),
                _ => {
                    output.push(token.clone());
                    continue;
                }
            };
            let replaced = match &entry.params {
                None => entry.body.clone(),
                Some(params) => {
                    let Some((args, used)) = split_arguments(&input[index..]) else {
                        output.push(token.clone());
                        continue;
                    };
                    index += used;
                    let Some(args) = bind(params, &entry, args, token, diagnostics) else {
                        continue;
                    };
                    let mut expanded_args = Vec::new();
                    for arg in &args {
                        let mut expanded = Vec::new();
                        self.expand_inner(arg, &mut expanded, active, names, diagnostics);
                        expanded_args.push(expanded);
                    }
                    substitute(params, &entry.body, &args, &expanded_args)
                }
            };
            let replaced = paste(replaced, names);
            active.push(name.clone());
            self.expand_inner(&replaced, output, active, names, diagnostics);
            active.pop();
        }
    }
}

/// Splits `( a , b )` at the start of `input`; gives the arguments and how many tokens were read.
fn split_arguments(input: &[Token]) -> Option<(Vec<Vec<Token>>, usize)> {
    if !input.first()?.is("(") {
        return None;
    }
    let mut args = vec![Vec::new()];
    let mut depth = 0usize;
    for (index, token) in input.iter().enumerate() {
        match &token.kind {
            TokenKind::Symbol("(") => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            TokenKind::Symbol(")") => {
                depth -= 1;
                if depth == 0 {
                    return Some((args, index + 1));
                }
            }
            TokenKind::Symbol(",") if depth == 1 => {
                args.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = args.last_mut() {
            last.push(token.clone());
        }
    }
    None
}

/// Fits arguments to parameters; None after a message.
fn bind(
    params: &[Rc<str>],
    entry: &Macro,
    mut args: Vec<Vec<Token>>,
    token: &Token,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Vec<Token>>> {
    if params.is_empty() && args.len() == 1 && args[0].is_empty() {
        args.clear();
    }
    if entry.variadic && args.len() >= params.len() {
        let rest = args.split_off(params.len() - 1);
        let mut joined: Vec<Token> = Vec::new();
        for (index, arg) in rest.into_iter().enumerate() {
            if index > 0 {
                joined.push(Token { kind: TokenKind::Symbol(","), ..token.clone() });
            }
            joined.extend(arg);
        }
        args.push(joined);
    } else if entry.variadic && args.len() + 1 == params.len() {
        args.push(Vec::new());
    }
    if args.len() != params.len() {
        let name = token.describe();
        let message = format!("macro {name} takes {} arguments, {} given", params.len(), args.len());
        diagnostics.error(token.span, message);
        return None;
    }
    Some(args)
}

/// Puts arguments in the place of parameters; `#p` becomes a string, the neighbours of `##` stay unexpanded.
fn substitute(params: &[Rc<str>], body: &[Token], args: &[Vec<Token>], expanded: &[Vec<Token>]) -> Vec<Token> {
    let param_at = |index: usize| match body.get(index).map(|token| &token.kind) {
        Some(TokenKind::Identifier(name)) => params.iter().position(|param| param == name),
        _ => None,
    };
    let is_paste = |index: usize| {
        body.get(index).is_some_and(|token| token.is("#"))
            && body.get(index + 1).is_some_and(|token| token.is("#") && !token.space_before)
    };
    let mut output = Vec::new();
    let mut index = 0;
    while let Some(token) = body.get(index) {
        if is_paste(index) {
            output.push(token.clone());
            output.push(body[index + 1].clone());
            index += 2;
            continue;
        }
        if token.is("#")
            && let Some(param) = param_at(index + 1)
        {
            output.push(Token { kind: TokenKind::String(spell_all(&args[param]).into()), ..token.clone() });
            index += 2;
            continue;
        }
        match param_at(index) {
            Some(param) => {
                let beside_paste = is_paste(index + 1) || (index >= 2 && is_paste(index - 2));
                let tokens = if beside_paste { &args[param] } else { &expanded[param] };
                output.extend(tokens.iter().cloned());
            }
            None => output.push(token.clone()),
        }
        index += 1;
    }
    output
}

/// Joins the tokens on both sides of `##`.
fn paste(tokens: Vec<Token>, names: &mut Interner) -> Vec<Token> {
    let mut output: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut iterator = tokens.into_iter().peekable();
    while let Some(token) = iterator.next() {
        let doubled = token.is("#") && iterator.peek().is_some_and(|next| next.is("#") && !next.space_before);
        if !doubled {
            output.push(token);
            continue;
        }
        iterator.next();
        let (Some(left), Some(right)) = (output.pop(), iterator.next()) else {
            continue;
        };
        let text = format!("{}{}", spell(&left), spell(&right));
        match classify(&text, names) {
            Some(kind) => output.push(Token { kind, ..left }),
            // No token: both stay, as in P4's usual preprocessor.
            None => output.extend([left, Token { space_before: false, ..right }]),
        }
    }
    output
}

/// The token with this text, if there is one.
fn classify(text: &str, names: &mut Interner) -> Option<TokenKind> {
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| **symbol == text) {
        return Some(TokenKind::Symbol(symbol));
    }
    if let Some(keyword) = KEYWORDS.iter().find(|keyword| **keyword == text) {
        return Some(TokenKind::Keyword(keyword));
    }
    if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    match parse_number(text) {
        _ if !text.starts_with(|c: char| c.is_ascii_digit()) => Some(TokenKind::Identifier(names.intern(text))),
        Ok(literal) => Some(TokenKind::Integer(literal)),
        // The left half of a number or name that is still being put together, like 8 and w.
        Err(_) => Some(TokenKind::Identifier(names.intern(text))),
    }
}

/// The text of a token, as good as it can be known.
pub fn spell(token: &Token) -> String {
    match &token.kind {
        TokenKind::Identifier(name) => name.to_string(),
        TokenKind::Keyword(word) | TokenKind::Symbol(word) => (*word).to_owned(),
        TokenKind::Integer(literal) => match literal.width {
            Some((width, signed)) => {
                format!("{width}{}{}", if signed { 's' } else { 'w' }, literal.value)
            }
            None => literal.value.to_string(),
        },
        TokenKind::String(text) => format!("{text:?}"),
        TokenKind::Unknown(c) => c.to_string(),
        TokenKind::Newline | TokenKind::End => String::new(),
    }
}

fn spell_all(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        if token.space_before && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&spell(token));
    }
    text
}
