//! `fuzz_p4_semantics --out FOLDER [--seconds N] [--seed N]`: random programs, compiled and run, held against the reference interpreter.
//! Exit status 1 and the program in a file for a find.

use std::process::ExitCode;

use clap::Parser;
use fuzz_targets::RoundOptions;
use fuzz_targets::semantics::{Statistics, run};

/// Generates programs, and compares their compiled behaviour in the switch with that of the specification.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    of_rounds: RoundOptions,
    /// Say how often each construct was generated.
    #[arg(long)]
    statistics: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let RoundOptions { seed, ref out, .. } = options.of_rounds;
    let limits = options.of_rounds.limits();
    let mut statistics = Statistics::default();
    let result = run(seed, &limits, &mut statistics, &|_| {});
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
                seed
            );
            ExitCode::SUCCESS
        }
        Err(find) => {
            let file = out.join(format!("fuzz-p4-semantics-{}-{}.p4", seed, find.round));
            let what = find.what.lines().map(|line| format!("// {line}\n")).collect::<String>();
            let kept = std::fs::write(&file, what + &find.input).is_ok();
            eprintln!("fuzz_p4_semantics: {}", find.what);
            eprintln!("  again: fuzz_p4_semantics --seed {} --first {} --rounds 1", seed, find.round);
            if kept {
                eprintln!("  program: {}", file.display());
            }
            ExitCode::FAILURE
        }
    }
}
