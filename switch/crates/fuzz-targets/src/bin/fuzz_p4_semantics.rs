//! `fuzz_p4_semantics --out FOLDER [--seconds N] [--seed N]`: random programs, compiled and run, held against the reference interpreter.
//! Exit status 1 and the program in a file for a find.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fuzz_targets::Limits;
use fuzz_targets::semantics::{Statistics, run};

/// Generates programs, and compares what the compiler and the switch make of them with what the specification says.
#[derive(Parser)]
struct Options {
    /// For so long.
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Other random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The first round: to repeat a find.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Rounds at most.
    #[arg(long, default_value_t = u64::MAX)]
    rounds: u64,
    /// Where the program of a find is written.
    #[arg(long)]
    out: PathBuf,
    /// Say how often each construct was generated.
    #[arg(long)]
    statistics: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let limits = Limits {
        rounds: options.first..options.first.saturating_add(options.rounds),
        time: Duration::from_secs(options.seconds),
    };
    let mut statistics = Statistics::default();
    let result = run(options.seed, &limits, &mut statistics, &|_| {});
    if options.statistics {
        for (feature, count) in &statistics.features {
            println!("{count:>9} {feature}");
        }
    }
    let Statistics { sent, copied, dropped, undefined, entries, refused, scattered, .. } = statistics;
    match result {
        Ok(count) => {
            println!(
                "fuzz_p4_semantics: {count} rounds with seed {} ({sent} packets sent, {copied} several times, {dropped} dropped, {undefined} undefined; {entries} entries; {scattered} programs of several files or with macros, {refused} refused), nothing found",
                options.seed
            );
            ExitCode::SUCCESS
        }
        Err(find) => {
            let file = options.out.join(format!("fuzz-p4-semantics-{}-{}.p4", options.seed, find.round));
            let what = find.what.lines().map(|line| format!("// {line}\n")).collect::<String>();
            let kept = std::fs::write(&file, what + &find.input).is_ok();
            eprintln!("fuzz_p4_semantics: {}", find.what);
            eprintln!("  again: fuzz_p4_semantics --seed {} --first {} --rounds 1", options.seed, find.round);
            if kept {
                eprintln!("  program: {}", file.display());
            }
            ExitCode::FAILURE
        }
    }
}
