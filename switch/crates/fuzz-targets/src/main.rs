//! `fuzz --out FOLDER json|packets PROGRAM.json|PROGRAM.p4…`, `fuzz --out FOLDER grpc PROGRAM.p4`: bounded fuzzing of the switch. Exit status 1 and the input in a file for a find.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use fuzz_targets::{Find, Limits, RoundOptions, grpc, json, packets};
use p4c_driver::compile;

/// Throws damaged programs, arbitrary packets or P4Runtime requests at the switch.
#[derive(Parser)]
struct Options {
    /// The kind of input that is damaged.
    target: Target,
    /// BMv2 JSON files or P4 programs to begin with; for `grpc` one P4 program.
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    of_rounds: RoundOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// Damaged programs.
    Json,
    /// Arbitrary packets.
    Packets,
    /// P4Runtime requests, and bytes on its connections.
    Grpc,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let read = |path: &PathBuf| program(path, options.target);
    let programs: Result<Vec<(String, String)>, String> = options.programs.iter().map(read).collect();
    let programs = match programs {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("fuzz: {error}");
            return ExitCode::from(2);
        }
    };
    let RoundOptions { seed, ref out, .. } = options.of_rounds;
    let limits = options.of_rounds.limits();
    let (name, result) = match options.target {
        Target::Json => ("json", json::run(&programs, seed, &limits)),
        Target::Packets => ("packets", packets::run(&programs, seed, &limits)),
        Target::Grpc => ("grpc", requests(&programs, seed, &limits)),
    };
    match result {
        Ok(count) => {
            println!("fuzz {name}: {count} rounds with seed {}, nothing found", seed);
            ExitCode::SUCCESS
        }
        Err(find) => {
            let file = out.join(format!("fuzz-{name}-{}-{}.txt", seed, find.round));
            let kept = std::fs::write(&file, &find.input).is_ok();
            eprintln!("fuzz {name}: {}", find.what);
            let again = match options.target {
                // The server remembers earlier rounds.
                Target::Grpc => format!("--rounds {}", find.round + 1),
                _ => format!("--first {} --rounds 1", find.round),
            };
            eprintln!("  again: fuzz {name} … --seed {} {again}", seed);
            if kept {
                eprintln!("  input: {}", file.display());
            }
            ExitCode::FAILURE
        }
    }
}

/// A program's name and text: BMv2 JSON, but for `grpc`.
fn program(path: &Path, target: Target) -> Result<(String, String), String> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let is_compiled = !matches!(target, Target::Grpc) && path.extension().is_some_and(|extension| extension == "p4");
    let text = if is_compiled { compile::json(&name, &text)? } else { text };
    Ok((name, text))
}

fn requests(programs: &[(String, String)], seed: u64, limits: &Limits) -> Result<u64, Find> {
    let refused = |what: String| Find { round: 0, what, input: String::new() };
    let Some((name, source)) = programs.first() else { return Err(refused("no program".to_owned())) };
    let config = grpc::Config::compile(name, source).map_err(refused)?;
    grpc::run(&config, seed, limits)
}
