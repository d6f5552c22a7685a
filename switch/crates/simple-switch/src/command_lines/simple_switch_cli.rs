//! BMv2's `simple_switch_CLI`: commands about a running switch, from a terminal or a file.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::client::Commands;
use crate::{LaunchError, error, thrift_port};
use clap::{CommandFactory, Parser};

/// Writes and reads tables, registers, counters, multicast groups, … of a running switch: a command a line on standard
/// input, as BMv2's simple_switch_CLI. `help` lists the commands.
#[derive(Debug, Parser)]
#[command(name = "simple_switch_CLI", version = concat!(env!("CARGO_PKG_VERSION"), " (Nodectl P4 toolchain)"))]
struct Arguments {
    /// The --thrift-port of the switch.
    #[arg(long, value_name = "PORT", default_value_t = thrift_port::DEFAULT)]
    thrift_port: u16,
    /// Accepted if it is this machine: the switch is found by a socket in the file system.
    #[arg(long, value_name = "ADDRESS", default_value = "localhost")]
    thrift_ip: String,
    /// The switch's management socket, instead of the port.
    #[arg(long, value_name = "PATH")]
    management_socket: Option<PathBuf>,
    /// Which switch of a process with several.
    #[arg(long, value_name = "NAME")]
    switch: Option<String>,
    /// Accepted and ignored: the switch knows its program.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Accepted and ignored.
    #[arg(long, value_name = "KIND")]
    pre: Option<String>,
}

/// The declaration of its options.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command.
pub fn main() -> ExitCode {
    error::conclude("simple_switch_CLI", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), LaunchError> {
    if !matches!(&arguments.thrift_ip[..], "localhost" | "127.0.0.1" | "::1" | "0.0.0.0") {
        let message = format!("--thrift-ip {}: only switches of this machine can be reached", arguments.thrift_ip);
        return Err(LaunchError::Usage(message));
    }
    let socket = arguments.management_socket.clone().unwrap_or_else(|| thrift_port::socket(arguments.thrift_port));
    let mut commands = Commands::open(&socket, arguments.switch.as_deref())?;
    let failed = |source| LaunchError::System { what: "cannot read commands", source };
    let mut output = io::stdout().lock();
    // A reader that has gone ends it.
    let mut say = move |text: &str| output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_ok();
    let mut input = io::stdin().lock();
    let echoes = io::stdin().is_terminal();
    if !say("Control utility for runtime P4 table manipulation\n") {
        return Ok(());
    }
    loop {
        let mut line = String::new();
        if !say("RuntimeCmd: ") {
            return Ok(());
        }
        if input.read_line(&mut line).map_err(failed)? == 0 {
            say("\n");
            return Ok(());
        }
        let line = line.trim();
        if matches!(line, "EOF" | "quit" | "exit") {
            if echoes || line == "EOF" {
                say("\n");
            }
            return Ok(());
        }
        if !say(&commands.run(line)?) {
            return Ok(());
        }
    }
}
