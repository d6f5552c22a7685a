//! The corpus of wrong programs: each `NAME.p4` in `tests/wrong/AREA.txtar` must be refused with the messages in the
//! `NAME.txt` after it, at the places that stand there. Programs for v1model are compiled, all others checked.
//!
//! After a deliberate change of messages: `P4C_BLESS=1 cargo test -p p4c --test wrong` writes the messages anew. A new
//! program needs no `NAME.txt` for that.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4c_driver::compile::{self, Settings, Verdict};
use std::path::{Path, PathBuf};

mod archive;

/// A wrong program, and the expected messages about it.
struct Case {
    name: String,
    program: String,
    messages: String,
}

/// The messages about a program. Panics when it is accepted.
fn messages(case: &Case) -> String {
    let settings = Settings { check_only: !case.program.contains("v1model.p4"), ..Settings::default() };
    let compilation = compile::text(&case.name, &case.program, &settings);
    assert!(matches!(compilation.verdict, Verdict::Refused), "{} is accepted", case.name);
    compilation.messages
}

/// The files of all areas, with their programs.
fn areas() -> Vec<(PathBuf, Vec<Case>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), cases(&path))).collect()
}

fn cases(path: &Path) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![];
    for (name, text) in archive::read(path) {
        if name.ends_with(".p4") {
            assert!(cases.iter().all(|case| case.name != name), "{} has {name} twice", path.display());
            cases.push(Case { name, program: text, messages: String::new() });
        } else {
            let last = cases.last_mut().unwrap_or_else(|| panic!("{} has {name} first", path.display()));
            assert_eq!(name, messages_name(&last.name), "what follows {} in {}", last.name, path.display());
            last.messages = text;
        }
    }
    cases
}

fn messages_name(program: &str) -> String {
    program.replace(".p4", ".txt")
}

#[test]
fn wrong_programs_get_their_messages() {
    let bless = std::env::var_os("P4C_BLESS").is_some();
    let mut failures = vec![];
    for (path, cases) in areas() {
        let area = path.file_stem().unwrap().to_str().unwrap();
        let mut texts = vec![];
        for case in cases {
            let found = messages(&case);
            if found != case.messages {
                failures.push(format!("{area}/{}:\n{found}expected:\n{}", case.name, case.messages));
            }
            texts.extend([(case.name.clone(), case.program), (messages_name(&case.name), found)]);
        }
        if bless {
            archive::write(&path, &texts);
        }
    }
    assert!(bless || failures.is_empty(), "messages differ from those of the archives:\n{}", failures.join("\n"));
}

#[test]
fn the_page_counts_them() {
    let count: usize = areas().iter().map(|(_, cases)| cases.len()).sum();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/conformance.md");
    let sentence = format!("has {count} wrong programs");
    assert!(std::fs::read_to_string(page).unwrap().contains(&sentence), "docs/conformance.md: {sentence}");
}
