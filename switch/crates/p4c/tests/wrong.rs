//! The corpus of wrong programs: each `tests/wrong/AREA/NAME.p4` must be refused with the messages in `NAME.txt`,
//! at the places that stand there. Programs for v1model are compiled, all others checked.
//!
//! After a deliberate change of messages: `P4C_BLESS=1 cargo test -p p4c --test wrong` writes the files anew.

#![allow(clippy::unwrap_used)] // a failing test may panic

use p4c_driver::compile::{self, Settings, Verdict};
use std::path::{Path, PathBuf};

/// The messages, without the folder.
fn messages(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let settings = Settings { check_only: !text.contains("v1model.p4"), ..Settings::default() };
    let compilation = compile::text(name, &text, &settings);
    assert!(matches!(compilation.verdict, Verdict::Refused), "{} is accepted", path.display());
    compilation.messages
}

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let mut found = vec![];
    for area in std::fs::read_dir(root).unwrap() {
        for file in std::fs::read_dir(area.unwrap().path()).unwrap() {
            found.push(file.unwrap().path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "p4"));
    found.sort();
    found
}

#[test]
fn wrong_programs_get_their_messages() {
    let bless = std::env::var_os("P4C_BLESS").is_some();
    let mut failures = vec![];
    let programs = programs();
    assert!(programs.len() >= 80, "only {} programs", programs.len());
    for program in programs {
        let expected = program.with_extension("txt");
        let found = messages(&program);
        if bless {
            std::fs::write(&expected, &found).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            failures.push(format!("{}:\n{found}", program.display()));
        }
    }
    assert!(failures.is_empty(), "messages differ from the .txt files:\n{}", failures.join("\n"));
}
