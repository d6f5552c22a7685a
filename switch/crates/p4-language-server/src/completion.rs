//! The words that can be written at a place.

use crate::context::Place;
use crate::hover::declaration;
use crate::index::{DeclarationId, Kind};
use crate::meaning::{Member, is_expression_end};
use crate::scan::Piece;
use lsp_types::{CompletionItem, CompletionItemKind};
use p4_syntax::token::KEYWORDS;
use std::collections::HashSet;

/// A longer detail is cut.
const MAX_DETAIL: usize = 100;

/// All words that can be written at a place; the editor chooses by the letters that are there.
pub fn completion(place: &Place) -> Vec<CompletionItem> {
    let scanned = place.scanned();
    if scanned.is_no_code(place.offset) {
        return Vec::new();
    }
    // The piece before the word that is being written.
    let mut before = scanned.tokens.partition_point(|token| token.start < place.offset);
    if let Some(token) = before.checked_sub(1).and_then(|last| scanned.tokens.get(last))
        && token.end >= place.offset
    {
        match token.piece {
            Piece::Word => before -= 1,
            Piece::Number => return Vec::new(),
            _ => {}
        }
    }
    let word = |back: usize| before.checked_sub(back).map_or("", |index| scanned.word(index));
    match word(1) {
        "." if before > 1 && is_expression_end(&scanned, before - 2) => {
            let meaning = place.snapshot.index.expression(&scanned, before - 2, place.scope);
            place.snapshot.index.members(&meaning).iter().map(|member| member_item(place, member)).collect()
        }
        "@" => Vec::new(),
        "transition" => states(place),
        _ => names(place),
    }
}

fn member_item(place: &Place, member: &Member) -> CompletionItem {
    match member.declaration {
        Some(id) => item(place, id),
        None => CompletionItem {
            label: member.name.to_string(),
            kind: Some(if member.signature.contains('(') {
                CompletionItemKind::METHOD
            } else {
                CompletionItemKind::FIELD
            }),
            detail: Some(member.signature.to_owned()),
            ..CompletionItem::default()
        },
    }
}

/// The names that can be used there, the innermost first, and the keywords.
fn names(place: &Place) -> Vec<CompletionItem> {
    let index = &place.snapshot.index;
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for id in index.around(place.scope).flat_map(|scope| scope.names.iter().rev().copied()) {
        let named = &index.declarations[id];
        // States may be named before they are declared, other names not.
        let is_later = named.span.file == place.file && named.span.start as usize > place.offset_there;
        if (named.kind == Kind::State || !is_later) && seen.insert(named.name.clone()) {
            items.push(item(place, id));
        }
    }
    items.extend(KEYWORDS.iter().map(|word| keyword(word)));
    items
}

/// The names that can follow `transition`.
fn states(place: &Place) -> Vec<CompletionItem> {
    let index = &place.snapshot.index;
    let names = index.around(place.scope).flat_map(|scope| scope.names.iter().copied());
    let states = names.filter(|id| index.declarations[*id].kind == Kind::State).map(|id| item(place, id));
    states.chain(["accept", "reject", "select"].into_iter().map(keyword)).collect()
}

fn keyword(word: &str) -> CompletionItem {
    CompletionItem { label: word.to_owned(), kind: Some(CompletionItemKind::KEYWORD), ..CompletionItem::default() }
}

fn item(place: &Place, id: DeclarationId) -> CompletionItem {
    let named = &place.snapshot.index.declarations[id];
    let text = declaration(&place.snapshot, id);
    let mut detail: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL) {
        detail.truncate(end);
        detail.push('…');
    }
    CompletionItem {
        label: named.name.to_string(),
        kind: Some(kind(named.kind)),
        detail: Some(detail),
        ..CompletionItem::default()
    }
}

fn kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Header | Kind::Struct | Kind::Union => CompletionItemKind::STRUCT,
        Kind::Field => CompletionItemKind::FIELD,
        Kind::Enum => CompletionItemKind::ENUM,
        Kind::Member | Kind::Error | Kind::Match => CompletionItemKind::ENUM_MEMBER,
        Kind::Typedef | Kind::TypeParameter => CompletionItemKind::TYPE_PARAMETER,
        Kind::Extern | Kind::Package => CompletionItemKind::INTERFACE,
        Kind::Method | Kind::Constructor => CompletionItemKind::METHOD,
        Kind::Function | Kind::Action => CompletionItemKind::FUNCTION,
        Kind::Parser | Kind::Control => CompletionItemKind::CLASS,
        Kind::State => CompletionItemKind::EVENT,
        Kind::Table => CompletionItemKind::MODULE,
        Kind::Instance | Kind::Variable | Kind::Parameter | Kind::ValueSet => CompletionItemKind::VARIABLE,
        Kind::Constant => CompletionItemKind::CONSTANT,
    }
}
