//! Many small texts in one file, in the form of Go's txtar: `-- NAME --` on a line of its own begins each text.

use std::path::Path;

/// The texts of an archive with their names, in their order. Panics at a line before the first name, which no text has.
pub fn read(path: &Path) -> Vec<(String, String)> {
    let archive = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut texts: Vec<(String, String)> = vec![];
    for line in archive.split_inclusive('\n') {
        match (name(line), texts.last_mut()) {
            (Some(name), _) => texts.push((name.to_string(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => panic!("{}: no line '-- NAME --' before: {line}", path.display()),
        }
    }
    texts
}

/// Writes an archive of texts, each of which ends its last line.
pub fn write(path: &Path, texts: &[(String, String)]) {
    let archive: String = texts.iter().map(|(name, text)| format!("-- {name} --\n{text}")).collect();
    std::fs::write(path, archive).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn name(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix("-- ")?.strip_suffix(" --")
}
