//! `fuzz_p4_source [--seconds N] [--seed N] [FILE_OR_FOLDER...]`: gives the compiler mutated P4 programs for a bounded
//! time. It must never panic, hang, or eat the machine's memory; its messages about the programs do not matter. The
//! program being compiled is kept in a file that is named when something goes wrong.

use fuzz_targets::p4_source::{Mutator, STACK_BYTES, compile_or_refuse};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A program that takes more processor time than this is a find (the machine may be busy with other things).
const LIMIT: Duration = Duration::from_secs(10);
/// More resident memory than this is a find.
const MEMORY_LIMIT_BYTES: u64 = 2 << 30;

static DONE: AtomicU64 = AtomicU64::new(0);

#[derive(clap::Parser)]
struct Arguments {
    /// How long.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Start of the random numbers: the same seed gives the same programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs to start from, or folders of them.
    #[arg(required = true)]
    seeds: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = <Arguments as clap::Parser>::parse();
    let mut programs = vec![];
    for path in &arguments.seeds {
        collect(path, &mut programs);
    }
    if programs.is_empty() {
        eprintln!("fuzz_p4_source: no .p4 files there");
        return ExitCode::from(2);
    }
    let current = std::env::temp_dir().join(format!("fuzz-p4-source-{}.p4", std::process::id()));
    let kept = current.clone();
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let worker =
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || work(&programs, arguments.seed, end, &kept));
    let Ok(worker) = worker else {
        eprintln!("fuzz_p4_source: cannot start a thread");
        return ExitCode::from(2);
    };
    let (mut seen, mut since) = (0, used_time());
    while !worker.is_finished() {
        std::thread::sleep(Duration::from_millis(100));
        let done = DONE.load(Ordering::Relaxed);
        if done != seen {
            (seen, since) = (done, used_time());
        }
        let slow = used_time().saturating_sub(since) > LIMIT;
        if slow || resident_bytes() > MEMORY_LIMIT_BYTES {
            let what = if slow { "no end after 10 s" } else { "more than 2 GiB of memory" };
            eprintln!("fuzz_p4_source: {what}, program {seen} of seed {}: {}", arguments.seed, current.display());
            return ExitCode::FAILURE;
        }
    }
    let done = DONE.load(Ordering::Relaxed);
    if worker.join().is_err() {
        eprintln!("fuzz_p4_source: panic, program {done} of seed {}: {}", arguments.seed, current.display());
        return ExitCode::FAILURE;
    }
    let _ = std::fs::remove_file(&current);
    println!("{done} programs compiled or refused (seed {})", arguments.seed);
    ExitCode::SUCCESS
}

fn work(programs: &[String], seed: u64, end: Instant, current: &Path) {
    let mut mutator = Mutator::new(programs, seed);
    while Instant::now() < end {
        let text = mutator.next_program();
        // On a stack overflow nothing but this file tells what it was.
        let _ = std::fs::write(current, &text);
        compile_or_refuse(&text);
        DONE.fetch_add(1, Ordering::Relaxed);
    }
}

/// The programs under a path.
fn collect(path: &Path, programs: &mut Vec<String>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        inside.sort();
        inside.iter().for_each(|path| collect(path, programs));
    } else if path.extension().is_some_and(|extension| extension == "p4")
        && let Ok(text) = std::fs::read_to_string(path)
    {
        programs.push(text);
    }
}

/// Processor time of this process so far; 0 where the system does not tell.
fn used_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in parentheses; user and system time in hundredths of a second are fields 14 and 15 of all.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Resident memory of this process; 0 where the system does not tell.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
