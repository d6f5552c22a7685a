//! `p4sim PROGRAM.json`: a switch on standard input and output.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::Simulator;
use clap::{CommandFactory, Parser};
use v1model::{Program, SwitchConfig};

/// Runs a compiled P4 program without ports or links: reads one JSON request a line and answers each with one line.
#[derive(Parser)]
#[command(name = "p4sim", version = concat!(env!("CARGO_PKG_VERSION"), " (Nodectl P4 toolchain)"))]
struct Arguments {
    /// The compiled program (BMv2 JSON).
    program: PathBuf,
    /// The controller's port.
    #[arg(long, default_value_t = 510)]
    cpu_port: u16,
    /// Seed of random().
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// The declaration of its options.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("p4sim: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let shown = arguments.program.display();
    let text = std::fs::read_to_string(&arguments.program).map_err(|e| format!("cannot read {shown}: {e}"))?;
    let program = Program::from_json(&text).map_err(|e| format!("{shown}: {e}"))?;
    let config = SwitchConfig { cpu_port: Some(arguments.cpu_port), seed: arguments.seed, ..SwitchConfig::default() };
    let mut simulator = Simulator::new(Arc::new(program), config);
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| format!("cannot read a request: {e}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = crate::requests::answer(&mut simulator, &line);
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
        match written {
            // The reader of the answers has gone: nothing is left to do.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other.map_err(|e| format!("cannot write an answer: {e}"))?,
        }
    }
    Ok(())
}
