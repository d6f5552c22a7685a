//! One look at a program: the messages of the front end, and the program's names.

use crate::index::{DeclarationId, Index};
use crate::scan::{Scanned, Token, scan};
use p4_syntax::severities::Severities;
use p4_syntax::{Diagnostic, Diagnostics, FileId, Kind, SourceMap, Span, option_annotations};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;

/// A program's files and names.
#[derive(Debug)]
pub struct Snapshot {
    /// Its files.
    pub sources: SourceMap,
    /// Its names.
    pub index: Index,
    /// Could all of it be parsed?
    pub is_whole: bool,
    /// The pieces of the files that were asked for.
    pieces: RefCell<HashMap<FileId, Pieces>>,
}

/// The pieces of a file: tokens and comments.
type Pieces = Rc<(Vec<Token>, Vec<Token>)>;

/// The result of one look at a program.
pub struct Analysis {
    /// Files and names.
    pub snapshot: Snapshot,
    /// Messages, each once.
    pub messages: Vec<Diagnostic>,
}

impl Snapshot {
    /// The files, with their names as the compiler has them.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &str)> {
        (0..).map(FileId).map_while(|id| Some((id, &*self.sources.file(id)?.path)))
    }

    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        self.sources.file(file).map_or("", |file| &file.text)
    }

    /// Runs `work` on the pieces of a declaration's file, the number of the piece that is its name, and those that it begins
    /// and ends with. None if it comes out of a macro.
    pub fn with_declaration<T>(
        &self,
        id: DeclarationId,
        work: impl FnOnce(&Scanned<'_>, [usize; 3]) -> Option<T>,
    ) -> Option<T> {
        let named = self.index.declarations.get(id)?;
        let file = named.span.file;
        let text = self.text(file);
        let pieces = self.pieces.borrow_mut().entry(file).or_insert_with(|| Rc::new(scan(text))).clone();
        let scanned = Scanned { text, tokens: &pieces.0, comments: &pieces.1 };
        let name = scanned.after(named.span.start as usize);
        if scanned.word(name) != &*named.name {
            return None;
        }
        let (first, last) = (scanned.declaration_start(name), scanned.declaration_end(name, named.kind.has_body()));
        work(&scanned, [name, first, last])
    }
}

/// Looks at a program whose main file is called `path` and has this text.
pub fn analyse(path: &Path, text: &str, options: &p4_syntax::Options) -> Analysis {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let looked = catch_unwind(AssertUnwindSafe(|| look(path, text, options, &mut sources, &mut diagnostics)));
    let (index, is_whole) = looked.unwrap_or_else(|_| {
        diagnostics.error_of(Kind::Failed, Span::nowhere(), "the compiler failed at this program; please report it");
        (Index::default(), false)
    });
    let messages = diagnostics.sorted().into_iter().cloned().collect();
    Analysis { snapshot: Snapshot { sources, index, is_whole, pieces: RefCell::default() }, messages }
}

fn look(
    path: &Path,
    text: &str,
    options: &p4_syntax::Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> (Index, bool) {
    let tree = p4_syntax::parse_text(&path.to_string_lossy(), text, options, sources, diagnostics);
    let is_whole = !diagnostics.has_errors();
    let index = Index::new(&tree);
    let severities = option_annotations::together(&Severities::default(), &tree.options, diagnostics);
    if let Some(typed) = p4_types::check(&tree, diagnostics) {
        p4_types::warnings::warn(&typed, diagnostics);
    }
    diagnostics.choose(|kind| severities.severity(kind));
    (index, is_whole)
}
