//! Every kept input of every target of coverage-guided fuzzing (`make fuzz-guided`), without libFuzzer.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use fuzz::guided::TARGETS;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// Gives a target its kept inputs.
fn replay(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(of, _)| *of == name).unwrap();
    let folder = corpora().join(name);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no inputs in {}", folder.display());
    for file in files {
        let data = fs::read(&file).unwrap();
        assert!(catch_unwind(|| target(&data)).is_ok(), "a find (its message is above): {}", file.display());
    }
}

#[test]
fn preprocessor() {
    replay("preprocessor");
}

#[test]
fn parser() {
    replay("parser");
}

#[test]
fn type_checker() {
    replay("type_checker");
}

#[test]
fn compiler() {
    replay("compiler");
}

#[test]
fn semantics() {
    replay("semantics");
}

#[test]
fn json_loader() {
    replay("json_loader");
}

#[test]
fn p4runtime_messages() {
    replay("p4runtime_messages");
}

#[test]
fn packets() {
    replay("packets");
}

#[test]
fn each_corpus_has_a_target_and_a_program() {
    let mut folders: Vec<_> = fs::read_dir(corpora()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    folders.sort();
    let mut targets: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    targets.sort_unstable();
    assert_eq!(folders, targets);
    for name in targets {
        let program = corpora().join(format!("../fuzz_targets/{name}.rs"));
        assert!(program.exists(), "there is no {}", program.display());
    }
}
