//! Runs the front-end over P4 programs and reports how many it accepts.
//!
//! `check_all [-v] [-I DIR] PATH…`: a PATH is a program or a directory of programs; `-v` shows all messages.

use p4_syntax::{Diagnostics, Options, SourceMap};
use std::path::{Path, PathBuf};

fn programs(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_path_buf()];
    }
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    let mut list: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "p4"))
        .collect();
    list.sort();
    list
}

fn main() {
    let mut options = Options::default();
    let mut verbose = false;
    let mut list = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-v" => verbose = true,
            "-I" => options.include_dirs.extend(arguments.next().map(PathBuf::from)),
            path => list.extend(programs(Path::new(path))),
        }
    }
    let mut counts = [0usize; 3];
    for path in &list {
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let tree = p4_syntax::parse_file(path, &options, &mut sources, &mut diagnostics);
        let parsed = !diagnostics.has_errors();
        let accepted = parsed && p4_types::check(&tree, &mut diagnostics).is_some();
        let (word, index) = match (parsed, accepted) {
            (true, true) => ("accepted", 0),
            (true, false) => ("refused (types)", 1),
            _ => ("refused (syntax)", 2),
        };
        counts[index] += 1;
        let first = diagnostics.render(&sources);
        println!("{word}: {}: {}", path.display(), first.lines().next().unwrap_or(""));
        if verbose {
            println!("{first}");
        }
    }
    println!(
        "{} programs: {} accepted, {} refused by the type checker, {} refused by the parser",
        list.len(),
        counts[0],
        counts[1],
        counts[2]
    );
}
