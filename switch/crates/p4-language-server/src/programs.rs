//! The texts that an editor has open, and the programs that they belong to.

use crate::analysis::{Snapshot, analyse};
use crate::scan::{Piece, Scanned, scan};
use crate::{diagnostics, embedded};
use lsp_types::Diagnostic;
use p4_syntax::FileId;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// So many files of a folder are looked at for the one that includes another.
const MAX_NEIGHBOURS: usize = 500;

/// A program.
struct Program {
    /// Its files.
    files: HashSet<PathBuf>,
    /// The last one that could be parsed, or else the last one.
    snapshot: Rc<Snapshot>,
    /// Its messages.
    messages: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

/// The notification that an editor needs: the messages of a file, all of them.
pub type Publications = Vec<(PathBuf, Vec<Diagnostic>)>;

/// All that is open.
pub struct Programs {
    options: p4_syntax::Options,
    /// For each open file the main file of its program.
    mains: BTreeMap<PathBuf, PathBuf>,
    /// By main files.
    programs: BTreeMap<PathBuf, Program>,
    /// Main files of programs that have changed.
    changed: BTreeSet<PathBuf>,
}

impl Programs {
    /// Nothing open; programs are read with these options.
    pub fn new(options: p4_syntax::Options) -> Self {
        Self { options, mains: BTreeMap::new(), programs: BTreeMap::new(), changed: BTreeSet::new() }
    }

    /// The text of an open file.
    pub fn text(&self, path: &Path) -> Option<Arc<str>> {
        self.options.texts.get(path).cloned()
    }

    /// A file is opened or has another text.
    pub fn set(&mut self, path: &Path, text: &str) {
        let was_open = self.options.texts.insert(path.to_owned(), text.into()).is_some();
        if !was_open {
            self.find_main(path);
        }
        self.change(path);
    }

    /// A file was saved: others may find it now, or it another program.
    pub fn saved(&mut self, path: &Path) {
        self.find_main(path);
        self.change(path);
    }

    /// A file is closed.
    pub fn close(&mut self, path: &Path) {
        self.options.texts.remove(path);
        self.mains.remove(path);
        self.change(path);
    }

    fn change(&mut self, path: &Path) {
        self.changed.extend(self.mains.get(path).cloned());
        let with_it = self.programs.iter().filter(|(_, program)| program.files.contains(path));
        self.changed.extend(with_it.map(|(main, _)| main.clone()));
    }

    fn find_main(&mut self, path: &Path) {
        let main = self.main_of(path);
        // A file can be its own program until another one is found to include it.
        if let Some(before) = self.mains.insert(path.to_owned(), main.clone())
            && before != main
        {
            self.changed.insert(before);
        }
    }

    /// The main file of the program that a file belongs to.
    fn main_of(&self, path: &Path) -> PathBuf {
        let text_of = |path: &Path| -> Option<Arc<str>> {
            self.text(path).or_else(|| std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into()))
        };
        if text_of(path).is_some_and(|text| Outline::of(&text).has_main) {
            return path.to_owned();
        }
        let known = self.programs.iter().find(|(main, program)| *main != path && program.files.contains(path));
        if let Some((main, _)) = known {
            return main.clone();
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "p4")).take(MAX_NEIGHBOURS);
        let outlines: BTreeMap<PathBuf, Outline> =
            files.filter_map(|path| Some((path.clone(), Outline::of(&text_of(&path)?)))).collect();
        let mut mains = outlines.iter().filter(|(_, outline)| outline.has_main).map(|(main, _)| main);
        mains.find(|main| includes(&outlines, main, path)).cloned().unwrap_or_else(|| path.to_owned())
    }

    /// Looks at the programs that have changed; gives what has to be told.
    pub fn update(&mut self) -> Publications {
        let mut files = BTreeSet::new();
        for main in std::mem::take(&mut self.changed) {
            files.extend(self.programs.get(&main).into_iter().flat_map(|program| program.messages.keys().cloned()));
            let is_wanted = self.mains.values().any(|wanted| *wanted == main);
            let text = self.text(&main).or_else(|| {
                let bytes = std::fs::read(&main).ok()?;
                Some(String::from_utf8_lossy(&bytes).into())
            });
            let Some(text) = text.filter(|_| is_wanted) else {
                self.programs.remove(&main);
                continue;
            };
            self.look(&main, &text);
            files.extend(self.programs.get(&main).into_iter().flat_map(|program| program.messages.keys().cloned()));
        }
        files.into_iter().map(|file| (file.clone(), self.messages(&file))).collect()
    }

    fn look(&mut self, main: &Path, text: &str) {
        let analysis = analyse(main, text, &self.options);
        let mut messages = diagnostics::by_file(main, &analysis.snapshot, &analysis.messages);
        // An open file without messages is told so.
        let files: HashSet<PathBuf> = analysis.snapshot.files().map(|(_, name)| embedded::location(name)).collect();
        for open in self.mains.keys().filter(|open| files.contains(*open)) {
            messages.entry(open.clone()).or_default();
        }
        let before = self.programs.remove(main).map(|program| program.snapshot);
        let keeps = !analysis.snapshot.is_whole && before.as_ref().is_some_and(|before| before.is_whole);
        let snapshot = before.filter(|_| keeps).unwrap_or_else(|| Rc::new(analysis.snapshot));
        self.programs.insert(main.to_owned(), Program { files, snapshot, messages });
    }

    /// The messages of all programs about a file, each once.
    fn messages(&self, file: &Path) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = Vec::new();
        for message in self.programs.values().filter_map(|program| program.messages.get(file)).flatten() {
            if !all.contains(message) {
                all.push(message.clone());
            }
        }
        all
    }

    /// The program of an open file, and the file in it.
    pub fn program(&self, path: &Path) -> Option<(Rc<Snapshot>, FileId)> {
        let own = self.mains.get(path).and_then(|main| self.programs.get(main));
        let others = self.programs.values().filter(|program| program.files.contains(path));
        own.into_iter().chain(others).find_map(|program| {
            let mut files = program.snapshot.files();
            let (file, _) = files.find(|(_, name)| embedded::location(name) == path)?;
            Some((program.snapshot.clone(), file))
        })
    }
}

/// The properties of a file that decide whether it is a program of its own.
struct Outline {
    has_main: bool,
    /// The names of files that it includes from beside it.
    includes: Vec<String>,
}

impl Outline {
    fn of(text: &str) -> Self {
        let (tokens, comments) = scan(text);
        let scanned = Scanned { text, tokens: &tokens, comments: &comments };
        let has_main = (0..tokens.len()).any(|index| scanned.word(index) == "main" && scanned.word(index + 1) == ";");
        let directives = tokens.iter().filter(|token| token.piece == Piece::Directive);
        let names = directives.filter_map(|token| included(&text[token.start..token.end]));
        Self { has_main, includes: names.map(str::to_owned).collect() }
    }
}

/// The name of the file that a directive includes.
pub fn included(directive: &str) -> Option<&str> {
    let rest = directive.strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let (inner, end) = match rest.strip_prefix('"') {
        Some(inner) => (inner, '"'),
        None => (rest.strip_prefix('<')?, '>'),
    };
    inner.split_once(end).map(|(name, _)| name)
}

/// Does a file include another one, itself or by others?
fn includes(outlines: &BTreeMap<PathBuf, Outline>, main: &Path, wanted: &Path) -> bool {
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut waiting = vec![main.to_owned()];
    while let Some(path) = waiting.pop() {
        let Some(outline) = outlines.get(&path).filter(|_| seen.insert(path.clone())) else { continue };
        let folder = path.parent().unwrap_or(Path::new("/"));
        for name in &outline.includes {
            let found = p4_syntax::plain_path(&folder.join(name));
            if found == wanted {
                return true;
            }
            waiting.push(found);
        }
    }
    false
}

/// The macros of options like `-D NAME=VALUE`, and the target's own.
pub fn defines<'a>(given: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let mut defines: HashMap<String, String> = HashMap::from([("__TARGET_BMV2__".to_owned(), "1".to_owned())]);
    for text in given {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        defines.insert(name.to_owned(), value.to_owned());
    }
    let mut defines: Vec<_> = defines.into_iter().collect();
    defines.sort();
    defines
}
