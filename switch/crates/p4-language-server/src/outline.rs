//! The declarations of a file, for an editor's outline.

use crate::context::present_range;
use crate::index::{DeclarationId, Kind};
use crate::programs::Programs;
use lsp_types::{DocumentSymbol, Range, SymbolKind};
use std::path::Path;

/// The declarations of an open file, those in others beneath them.
pub fn symbols(programs: &Programs, path: &Path) -> Option<Vec<DocumentSymbol>> {
    let (snapshot, file) = programs.program(path)?;
    let index = &snapshot.index;
    let is_here = |id: &DeclarationId| index.declarations[*id].span.file == file;
    // The body of a declaration may go on in an included file, which then has parts without a whole.
    let is_outermost = |id: &DeclarationId| index.declarations[*id].outer.is_none_or(|outer| !is_here(&outer));
    let outermost = (0..index.declarations.len()).filter(is_here).filter(is_outermost);
    let range = |id: DeclarationId| -> (Range, Range) {
        let span = index.declarations[id].span;
        let name = (span.start as usize, span.end as usize);
        let whole = snapshot.with_declaration(id, |scanned, [_, first, last]| {
            Some((scanned.tokens.get(first)?.start, scanned.tokens.get(last)?.end))
        });
        let (start, end) = whole.map_or(name, |(start, end)| (start.min(name.0), end.max(name.1)));
        let present = |start, end| present_range(programs, &snapshot, file, path, start, end);
        (present(start, end), present(name.0, name.1))
    };
    let symbol = |id: DeclarationId, children: Vec<DocumentSymbol>| {
        let (range, selection_range) = range(id);
        let named = &index.declarations[id];
        let ty = named.ty.as_ref().map(|ty| snapshot.sources.text(ty.span).to_owned());
        #[allow(deprecated)] // The field has to be given all the same.
        DocumentSymbol {
            name: named.name.to_string(),
            detail: ty,
            kind: kind(named.kind),
            tags: None,
            deprecated: None,
            range,
            selection_range,
            children: (!children.is_empty()).then_some(children),
        }
    };
    let inner = |id: DeclarationId| -> Vec<DocumentSymbol> {
        let parts = index.declarations[id]
            .inner
            .iter()
            .copied()
            .filter(|id| is_here(id) && is_shown(index.declarations[*id].kind));
        parts.map(|part| symbol(part, Vec::new())).collect()
    };
    Some(outermost.filter(|id| is_shown(index.declarations[*id].kind)).map(|id| symbol(id, inner(id))).collect())
}

fn is_shown(kind: Kind) -> bool {
    !matches!(kind, Kind::Parameter | Kind::TypeParameter)
}

fn kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Header | Kind::Struct | Kind::Union => SymbolKind::STRUCT,
        Kind::Field => SymbolKind::FIELD,
        Kind::Enum => SymbolKind::ENUM,
        Kind::Member | Kind::Error | Kind::Match => SymbolKind::ENUM_MEMBER,
        Kind::Typedef | Kind::TypeParameter => SymbolKind::TYPE_PARAMETER,
        Kind::Extern | Kind::Package => SymbolKind::INTERFACE,
        Kind::Method | Kind::Constructor => SymbolKind::METHOD,
        Kind::Function | Kind::Action => SymbolKind::FUNCTION,
        Kind::Parser | Kind::Control => SymbolKind::CLASS,
        Kind::State => SymbolKind::EVENT,
        Kind::Table => SymbolKind::OBJECT,
        Kind::Instance | Kind::Variable | Kind::Parameter | Kind::ValueSet => SymbolKind::VARIABLE,
        Kind::Constant => SymbolKind::CONSTANT,
    }
}
