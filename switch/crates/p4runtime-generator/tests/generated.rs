//! The kept files are what the generators make today. After a change in `proto/`, write them anew:
//!
//! ```text
//! WRITE_GENERATED=1 cargo test --manifest-path switch/Cargo.toml --workspace --test generated
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use p4runtime_generator::generate;

#[test]
fn kept_files_are_those_of_the_protocol() {
    let messages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../p4runtime-proto");
    let (protocol, kept) = (messages.join("proto"), messages.join("src/generated"));
    if std::env::var_os("WRITE_GENERATED").is_some() {
        generate(&protocol, &kept).expect("the kept files can be written");
    }
    let made = tempfile::tempdir().expect("a folder for the generated files");
    generate(&protocol, made.path()).expect("the files can be generated");

    let (kept, made) = (read(&kept), read(made.path()));
    assert_eq!(kept.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>());
    for (name, content) in made {
        assert!(kept[&name] == content, "{} is stale: see the beginning of this test", name.display());
    }
}

fn read(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read"))
        .map(|entry| (entry.file_name(), fs::read(entry.path()).expect("the file can be read")))
        .collect()
}
