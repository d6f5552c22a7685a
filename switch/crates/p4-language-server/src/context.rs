//! A place in an open text, and the facts known there.

use crate::analysis::Snapshot;
use crate::index::{DeclarationId, ScopeId};
use crate::meaning::Target;
use crate::positions::{self, moved};
use crate::programs::{Programs, included};
use crate::scan::{Piece, Scanned, Token, scan};
use crate::{embedded, files};
use lsp_types::{Location, Position, Range};
use p4_syntax::FileId;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// A place.
pub struct Place {
    /// The program, as it was when it could be parsed.
    pub snapshot: Rc<Snapshot>,
    /// The text's file in it.
    pub file: FileId,
    /// The innermost scope there.
    pub scope: ScopeId,
    /// The byte in the text.
    pub offset: usize,
    /// The same in the program.
    pub offset_there: usize,
    text: Arc<str>,
    tokens: Vec<Token>,
    comments: Vec<Token>,
}

impl Place {
    /// The place in an open file; none if no program has it.
    pub fn new(programs: &Programs, path: &Path, position: Position) -> Option<Self> {
        let text = programs.text(path)?;
        let (snapshot, file) = programs.program(path)?;
        let offset = positions::offset(&text, position);
        let offset_there = moved(&text, snapshot.text(file), offset);
        let scope = snapshot.index.scope_at(file, offset_there);
        let (tokens, comments) = scan(&text);
        Some(Self { snapshot, file, scope, offset, offset_there, text, tokens, comments })
    }

    /// The text's pieces.
    pub fn scanned(&self) -> Scanned<'_> {
        Scanned { text: &self.text, tokens: &self.tokens, comments: &self.comments }
    }

    /// The meaning of the word there, and the range of the word.
    pub fn target(&self) -> Option<(Target, Range)> {
        let scanned = self.scanned();
        let at = scanned.word_at(self.offset)?;
        let token = self.tokens[at];
        let range = positions::range(&self.text, token.start, token.end);
        let start = moved(&self.text, self.snapshot.text(self.file), token.start);
        let index = &self.snapshot.index;
        let declared = index.declared_at(self.file, start);
        let declared = declared.filter(|id| &*index.declarations[*id].name == scanned.word(at)).map(Target::Declared);
        Some((declared.or_else(|| index.target(&scanned, at, self.scope))?, range))
    }

    /// Where what the word there means is declared; of an `#include`, the file.
    pub fn definition(&self, programs: &Programs) -> Option<Location> {
        let directive = self
            .tokens
            .iter()
            .find(|token| token.piece == Piece::Directive && token.start <= self.offset && self.offset <= token.end);
        if let Some(directive) = directive {
            return self.included_file(included(&self.text[directive.start..directive.end])?);
        }
        match self.target() {
            Some((Target::Declared(id), _)) => location(programs, &self.snapshot, id),
            Some((Target::BuiltIn(_), _)) => None,
            None => {
                let (file, start, end) = self.macro_there()?;
                place_of(programs, &self.snapshot, file, start, start + (end - start).min(1))
            }
        }
    }

    /// The definition of the macro whose name the word there is: file, and first and last byte of its lines.
    pub fn macro_there(&self) -> Option<(FileId, usize, usize)> {
        let scanned = self.scanned();
        let word = scanned.word(scanned.word_at(self.offset)?);
        self.snapshot.files().find_map(|(file, _)| {
            let text = self.snapshot.text(file);
            let (start, _) = text.match_indices('#').find(|(at, _)| defines(&text[*at..], word))?;
            let mut end = start;
            for line in text[start..].split_inclusive('\n') {
                end += line.len();
                if !line.trim_end().ends_with('\\') {
                    break;
                }
            }
            Some((file, start, start + text[start..end].trim_end().len()))
        })
    }

    fn included_file(&self, name: &str) -> Option<Location> {
        let mut names = self.snapshot.files().map(|(_, path)| path);
        let found =
            names.find(|path| Path::new(path).ends_with(name.trim_start_matches("./").trim_start_matches("../")))?;
        let start = Position::default();
        Some(Location { uri: files::uri(&embedded::path(found).ok()?)?, range: Range { start, end: start } })
    }
}

/// Does a text begin with the definition of that macro?
fn defines(text: &str, name: &str) -> bool {
    let rest = text.strip_prefix('#').map(|rest| rest.trim_start_matches([' ', '\t']));
    let rest = rest.and_then(|rest| rest.strip_prefix("define")).map(|rest| rest.trim_start_matches([' ', '\t']));
    let after = rest.and_then(|rest| rest.strip_prefix(name));
    after.is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Where something is declared, in the text as it stands.
fn location(programs: &Programs, snapshot: &Snapshot, id: DeclarationId) -> Option<Location> {
    let span = snapshot.index.declarations[id].span;
    place_of(programs, snapshot, span.file, span.start as usize, span.end as usize)
}

/// A piece of a program's file, in the text as it stands.
fn place_of(programs: &Programs, snapshot: &Snapshot, file: FileId, start: usize, end: usize) -> Option<Location> {
    // A macro defined on the compiler's command line is in no file.
    let name = &snapshot.sources.file(file).filter(|file| !file.path.starts_with("<command"))?.path;
    let path = embedded::path(name).ok()?;
    let range = present_range(programs, snapshot, file, &path, start, end);
    Some(Location { uri: files::uri(&path)?, range })
}

/// A range of a program's file in the text as it stands.
pub fn present_range(
    programs: &Programs,
    snapshot: &Snapshot,
    file: FileId,
    path: &Path,
    start: usize,
    end: usize,
) -> Range {
    let there = snapshot.text(file);
    match programs.text(path) {
        Some(text) => positions::range(&text, moved(there, &text, start), moved(there, &text, end)),
        None => positions::range(there, start, end),
    }
}
