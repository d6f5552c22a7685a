//! `p4switch run NETWORK.json`: the switches of a whole topology in one process.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use simple_switch::{LaunchError, error, launch::Plan, logging, network};

/// Runs P4 switches (BMv2 JSON, v1model) joined by modelled links.
#[derive(Debug, Parser)]
#[command(name = "p4switch", version)]
struct Arguments {
    /// Log messages of this level and above, on standard error.
    #[arg(long, global = true, default_value = "info", value_parser = ["trace", "debug", "info", "warn", "error", "off"])]
    log_level: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs all switches of a network description until SIGINT or SIGTERM. Prints {"event":"ready"} when all ports are
    /// open and all P4Runtime servers listen.
    Run {
        /// The network description (JSON).
        network: PathBuf,
    },
    /// Checks a network description, and the programs it names, without opening anything.
    Check {
        /// The network description (JSON).
        network: PathBuf,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    error::conclude("p4switch", run(&arguments))
}

fn run(arguments: &Arguments) -> Result<(), LaunchError> {
    logging::start(&arguments.log_level, None)?;
    match &arguments.command {
        Command::Check { network } => Plan::of(&network::read(network)?).map(drop),
        Command::Run { network } => Plan::of(&network::read(network)?)?.run(|| {
            let mut out = std::io::stdout().lock();
            // If nobody reads it, nobody waits for it.
            let _ = writeln!(out, r#"{{"event":"ready"}}"#);
            let _ = out.flush();
        }),
    }
}
