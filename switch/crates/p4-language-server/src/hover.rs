//! The text shown for the word under the cursor: its declaration, its type, and the declaration's comment.

use crate::analysis::Snapshot;
use crate::context::Place;
use crate::index::{DeclarationId, Kind, Named, type_name};
use crate::meaning::Target;
use crate::scan::Scanned;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

/// A longer declaration is cut.
const MAX_LINES: usize = 30;

/// The text shown for a place.
pub fn hover(place: &Place) -> Option<Hover> {
    let (value, range) = match place.target() {
        Some((Target::BuiltIn(signature), range)) => (code(signature), Some(range)),
        Some((Target::Declared(id), range)) => (described(&place.snapshot, id), Some(range)),
        None => {
            let (file, start, end) = place.macro_there()?;
            (code(&cut(&place.snapshot.text(file)[start..end])), None)
        }
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range })
}

fn code(text: &str) -> String {
    format!("```p4\n{text}\n```")
}

fn described(snapshot: &Snapshot, id: DeclarationId) -> String {
    let named = &snapshot.index.declarations[id];
    let mut parts = vec![code(&declaration(snapshot, id))];
    parts.extend(belongs(snapshot, named));
    parts.extend(alias(snapshot, named));
    parts.extend(snapshot.with_declaration(id, |scanned, [_, first, last]| scanned.comment_of(first, last)));
    parts.join("\n\n")
}

/// The declaration as it is written, without the body of a declaration that has code in it.
pub fn declaration(snapshot: &Snapshot, id: DeclarationId) -> String {
    let named = &snapshot.index.declarations[id];
    let written = snapshot.with_declaration(id, |scanned, [name, first, last]| {
        let last = match named.kind {
            Kind::Header | Kind::Struct | Kind::Union | Kind::Enum | Kind::Table => last,
            _ => head_end(scanned, name, last),
        };
        let (start, end) = (scanned.tokens.get(first)?.start, scanned.tokens.get(last)?.end);
        Some(cut(unindented(&scanned.text[start..end], scanned.text, start).trim_end_matches([';', ','])))
    });
    let word = match named.kind {
        Kind::State => "state ",
        Kind::Error => "error.",
        Kind::Match => "match_kind ",
        _ => "",
    };
    match named.kind {
        Kind::Error | Kind::Match => format!("{word}{}", named.name),
        _ => written.unwrap_or_else(|| format!("{word}{}", named.name)),
    }
}

/// The last piece before a body.
fn head_end(scanned: &Scanned<'_>, name: usize, last: usize) -> usize {
    (name..=last).find(|index| scanned.word(index + 1) == "{").unwrap_or(last).min(last)
}

/// A text of several lines without the indentation of its first.
fn unindented(text: &str, whole: &str, start: usize) -> String {
    let line_start = whole[..start].rfind('\n').map_or(0, |at| at + 1);
    let indentation = &whole[line_start..start];
    if !indentation.trim().is_empty() {
        return text.to_owned();
    }
    let lines = text.lines().map(|line| line.strip_prefix(indentation).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn cut(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    match lines.get(..MAX_LINES) {
        Some(first) if lines.len() > MAX_LINES => format!("{}\n…", first.join("\n")),
        _ => text.to_owned(),
    }
}

/// The declaration that this one is a part of, in words.
fn belongs(snapshot: &Snapshot, named: &Named) -> Option<String> {
    let outer = &snapshot.index.declarations[named.outer?];
    let word = match (named.kind, outer.kind) {
        (Kind::Field, Kind::Header) => "field of header",
        (Kind::Field, Kind::Union) => "member of header union",
        (Kind::Field, _) => "field of struct",
        (Kind::Member, _) => "member of enum",
        (Kind::Method | Kind::Constructor, _) => "method of extern",
        (Kind::Parameter, _) => "parameter of",
        (Kind::Action | Kind::Table | Kind::State, Kind::Control | Kind::Parser) => "in",
        _ => return None,
    };
    Some(format!("{word} `{}`", outer.name))
}

/// The type that a type's name stands for, if that is another type.
fn alias(snapshot: &Snapshot, named: &Named) -> Option<String> {
    if named.kind == Kind::Typedef {
        return None;
    }
    let mut ty = named.ty.as_ref()?;
    let (first, _) = type_name(ty)?;
    let mut scope = named.scope;
    // Each one is declared before it is used, so the way ends.
    for _ in 0..snapshot.index.declarations.len() {
        let Some(declared) = type_name(ty).and_then(|(name, _)| snapshot.index.find(name, scope)) else { break };
        let declared = &snapshot.index.declarations[declared];
        match (declared.kind, &declared.ty) {
            (Kind::Typedef, Some(of)) => (ty, scope) = (of, declared.scope),
            _ => break,
        }
    }
    let text = snapshot.sources.text(ty.span);
    (text != first && !text.is_empty()).then(|| format!("`{first}` is `{text}`"))
}
