//! The preprocessor against GNU cpp as p4c calls it, byte for byte, on random texts.
//!
//! With `NODECTL_LONG_TESTS=1` on many more of them. `CPP_FIRST`, `CPP_ROUNDS` and `CPP_SEED` choose which.

#[path = "against_cpp/generate.rs"]
mod generate;

use generate::Input;
use p4_syntax::{Diagnostics, Options, SourceMap, preprocess};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Rounds of the ordinary tests, and of the long ones.
const ROUNDS: (u64, u64) = (120, 10_000);

/// The time limit for one text, in cpp and here: thousands of times the time that it takes.
const LIMIT: Duration = Duration::from_secs(20);

/// The exit code of `timeout` of the coreutils when the time is over.
const TIMED_OUT: i32 = 124;

/// The time between two messages about the progress.
const SAID_EVERY: Duration = Duration::from_secs(30);

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The outcome of a text: the output, None for an error; and the messages.
type Outcome = (Option<String>, String);

/// The outcome of cpp for the files in `directory`; None: it did not end in time.
fn by_cpp(directory: &Path) -> Option<Outcome> {
    let output = Command::new("timeout")
        .args([&LIMIT.as_secs().to_string(), "cpp"])
        .args(["-C", "-undef", "-nostdinc", "-x", "assembler-with-cpp", "-D__TARGET_BMV2__", "-I", "include", "t.p4"])
        .current_dir(directory)
        .env("LC_ALL", "C")
        .output()
        .expect("cpp runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code() != Some(TIMED_OUT)).then(|| (output.status.success().then_some(text), said))
}

/// The outcome of our preprocessor for a text; None: it did not end in time.
fn by_us(text: &str) -> Option<Outcome> {
    let (tell, told) = mpsc::channel();
    let text = text.to_owned();
    thread::spawn(move || tell.send(preprocessed(&text)));
    match told.recv_timeout(LIMIT) {
        Ok(outcome) => Some(outcome),
        Err(mpsc::RecvTimeoutError::Timeout) => None,
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the preprocessor panicked; the reason is above"),
    }
}

fn preprocessed(text: &str) -> Outcome {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let options = Options {
        include_dirs: vec!["include".into()],
        defines: vec![("__TARGET_BMV2__".to_owned(), "1".to_owned())],
        ..Options::default()
    };
    let output = preprocess::text_of_text("t.p4", text, &options, &mut sources, &mut diagnostics);
    ((!diagnostics.has_errors()).then_some(output), diagnostics.render(&sources))
}

fn write(directory: &Path, input: &Input) {
    std::fs::write(directory.join("t.p4"), &input.text).expect("the program is written");
    for (name, content) in &input.files {
        // Files of the same content are one file to cpp's `#pragma once`.
        for (folder, more) in [("", ""), ("include", "// another one\n")] {
            let content = format!("{content}{more}");
            std::fs::write(directory.join(folder).join(name), content).expect("an include file is written");
        }
    }
}

#[test]
fn random_texts() {
    if Command::new("cpp").arg("--version").output().is_err() {
        eprintln!("skipped: there is no GNU cpp on PATH to compare with");
        return;
    }
    let is_long = std::env::var("NODECTL_LONG_TESTS").is_ok_and(|value| !matches!(&*value, "" | "0"));
    let rounds = number("CPP_ROUNDS").unwrap_or(if is_long { ROUNDS.1 } else { ROUNDS.0 });
    let seed = number("CPP_SEED").unwrap_or(35);
    let directory = std::env::temp_dir().join(format!("p4-against-cpp-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("include")).expect("temporary directory");
    std::env::set_current_dir(&directory).expect("temporary directory");
    let mut different = 0;
    let mut refused = 0;
    let mut endless = 0;
    let mut garbled = 0;
    let mut last_said = Instant::now();
    let first = number("CPP_FIRST").unwrap_or(0);
    for round in first..first + rounds {
        let input = generate::input(seed, round);
        write(&directory, &input);
        if last_said.elapsed() > SAID_EVERY {
            last_said = Instant::now();
            eprintln!("{} of {rounds} texts", round - first);
        }
        let (there, here) = (by_cpp(&directory), by_us(&input.text));
        if there.is_none() && matches!(here, Some((None, _))) {
            endless += 1; // such as a file that includes itself twice, 200 levels deep
            continue;
        }
        let (Some((expected, said)), Some((given, we_said))) = (&there, &here) else {
            panic!(
                "round {round}: no end in {LIMIT:?}; here: {here:?}; cpp: {there:?}; the text:\n{}\n{:?}",
                input.text, input.files
            );
        };
        refused += u64::from(expected.is_none());
        if expected == given {
            continue;
        }
        if input.has_comment_after_splice() {
            garbled += 1;
            continue;
        }
        different += 1;
        if different <= 5 {
            let show = |text: &Option<String>| text.clone().unwrap_or_else(|| "(refused)".to_owned());
            eprintln!("=== round {round}, the text:\n{}", input.text);
            for (name, content) in &input.files {
                eprintln!("--- {name}:\n{content}");
            }
            eprintln!("--- cpp:\n{}{said}\n--- here:\n{}{we_said}", show(expected), show(given));
        }
    }
    std::env::set_current_dir("/").expect("root");
    std::fs::remove_dir_all(&directory).expect("removed");
    eprintln!(
        "{rounds} texts, {refused} of them refused by cpp, {endless} without end in cpp and refused here, {garbled} with a comment that cpp garbles, {different} different"
    );
    assert_eq!(different, 0, "of {rounds} texts (seed {seed}; the first ones are above)");
    assert!(refused <= rounds / 2, "most texts should be right ones");
}
