//! `p4switch run NETWORK.json`: the switches of a whole topology in one process. `p4switch links NETWORK.json`: its links
//! alone, between the interfaces of switches that are processes of their own.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use simple_switch::network::{self, SwitchesAre};
use simple_switch::{LaunchError, error, launch::Plan, logging};

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
    /// Runs the links of a network description alone until SIGINT or SIGTERM: its switches are processes of their own,
    /// BMv2 for example, each port of which has opened the interface of a TAP device named as the port's "switch_side".
    /// Samples, management socket and the line {"event":"ready"} are those of `run`.
    Links {
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
        Command::Check { network } => Plan::of(&network::read(network, SwitchesAre::Ours)?).map(drop),
        Command::Run { network } => Plan::of(&network::read(network, SwitchesAre::Ours)?)?.run(tell_ready),
        Command::Links { network } => Plan::of(&network::read(network, SwitchesAre::Elsewhere)?)?.run(tell_ready),
    }
}

fn tell_ready() {
    let mut out = std::io::stdout().lock();
    // If nobody reads it, nobody waits for it.
    let _ = writeln!(out, r#"{{"event":"ready"}}"#);
    let _ = out.flush();
}
