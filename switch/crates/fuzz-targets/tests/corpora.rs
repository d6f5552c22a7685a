//! Every kept input of every target of coverage-guided fuzzing (`make fuzz-guided`), without libFuzzer.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use fuzz_targets::guided::TARGETS;
use tar::Archive;

fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The inputs in an archive, by their names.
fn inputs(archive: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = Archive::new(GzDecoder::new(fs::File::open(archive).unwrap()));
    let read = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut data = vec![];
        entry.read_to_end(&mut data).unwrap();
        (name, data)
    };
    archive.entries().unwrap().map(read).collect()
}

/// Gives a target its kept inputs.
fn replay(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(of, _)| *of == name).unwrap();
    let archive = in_crate(&format!("corpora/{name}.tar.gz"));
    let inputs = inputs(&archive);
    assert!(!inputs.is_empty(), "no inputs in {}", archive.display());
    for (input, data) in inputs {
        assert!(
            catch_unwind(|| target(&data)).is_ok(),
            "a find (its message is above): {input} of {}",
            archive.display()
        );
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
    let corpora = fs::read_dir(in_crate("corpora")).unwrap();
    let mut archives: Vec<String> = corpora.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    archives.sort();
    let mut targets: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    targets.sort_unstable();
    assert_eq!(archives, targets.iter().map(|name| format!("{name}.tar.gz")).collect::<Vec<_>>());
    for name in targets {
        let program = in_crate(&format!("libfuzzer/{name}.rs"));
        assert!(program.exists(), "there is no {}", program.display());
    }
}

#[test]
fn added_inputs_are_packed_by_their_sha1_and_always_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy(in_crate("corpus.sh"), path("corpus.sh")).unwrap();
    fs::create_dir(path("libfuzzer")).unwrap();
    fs::write(path("libfuzzer/parser.rs"), "").unwrap();
    let add = |inputs: &[&str]| {
        let mut command = Command::new("bash");
        command.arg(path("corpus.sh")).args(["add", "parser"]).args(inputs.iter().map(|input| path(input)));
        assert!(command.output().unwrap().status.success());
        fs::read(path("corpora/parser.tar.gz")).unwrap()
    };
    fs::write(path("one"), "a").unwrap();
    fs::write(path("two"), "b").unwrap();
    let first = add(&["one"]);
    let both = add(&["two"]);
    assert_ne!(first, both);
    fs::remove_file(path("corpora/parser.tar.gz")).unwrap();
    assert_eq!(add(&["two", "one"]), both);
    assert_eq!(add(&["one"]), both);
    let expected =
        [("86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", "a"), ("e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98", "b")];
    let expected = expected.map(|(name, data)| (name.to_owned(), data.as_bytes().to_vec()));
    assert_eq!(inputs(&path("corpora/parser.tar.gz")), BTreeMap::from(expected));
}
