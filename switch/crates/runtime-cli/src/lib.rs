//! The commands of BMv2's `simple_switch_CLI`, with its arguments and its output, on a v1model switch.
//!
//! [`run`] takes one line and gives the text that the command prints. The operations of the commands are in the crate `bmv2-runtime`;
//! here are their words.

mod arguments;
mod arrays;
mod calculations;
mod commands;
mod failure;
mod integer;
mod names;
mod ports;
mod profiles;
mod queues;
mod replication;
mod tables;
mod value_sets;
mod values;

use bmv2_runtime::{PortLine, QueueChange, Runtime, Session};
use v1model::Switch;

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is done, or was refused; this is its output.
    Printed(String),
    /// The queues are not the switch's: the caller makes this change.
    SetQueue(QueueChange),
    /// The interfaces are not the switch's either: the caller shows them, with [`ports_shown`].
    ShowPorts,
    /// An interface becomes a port.
    AddPort {
        /// Its name.
        interface: String,
        /// Of the port.
        number: u16,
    },
    /// A port goes.
    RemovePort {
        /// Its number.
        number: u16,
    },
}

/// The output of `show_ports`.
#[must_use]
pub fn ports_shown(ports: &[PortLine]) -> String {
    let mut text =
        format!("{:^10}{:^20}{:^10}{}\n{}\n", "port #", "iface name", "status", "extra info", "=".repeat(50));
    for port in ports {
        let status = if port.is_up { "UP" } else { "DOWN" };
        text.push_str(&format!("{:^10}{:^20}{status:^10}\n", port.number, port.interface));
    }
    text
}

/// A command at work.
struct Command<'a> {
    runtime: Runtime<'a>,
    output: String,
}

/// Runs one line. `now_ns` is the switch's time.
pub fn run(session: &mut Session, switch: &mut Switch, now_ns: u64, line: &str) -> Outcome {
    let mut words = line.split_whitespace();
    let Some(name) = words.next() else { return Outcome::Printed(String::new()) };
    let args: Vec<&str> = words.collect();
    if matches!(name, "help" | "?") {
        return Outcome::Printed(commands::help(args.first().copied()));
    }
    let Some(command) = commands::find(name) else {
        return Outcome::Printed(format!("*** Unknown syntax: {line}\n"));
    };
    let Some(runtime) = session.on(switch, now_ns) else {
        return Outcome::Printed("Error: the switch has no program\n".to_owned());
    };
    let mut work = Command { runtime, output: String::new() };
    match (command.run)(&mut work, &args) {
        Ok(None) => Outcome::Printed(work.output),
        Ok(Some(elsewhere)) => elsewhere,
        Err(failure) => Outcome::Printed(format!("{}{failure}\n", work.output)),
    }
}

impl Command<'_> {
    fn print(&mut self, line: impl AsRef<str>) {
        self.output.push_str(line.as_ref());
        self.output.push('\n');
    }
}
