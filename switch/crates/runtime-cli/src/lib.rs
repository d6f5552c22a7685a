//! The commands of BMv2's `simple_switch_CLI`, with its arguments and its output, on a v1model switch.
//!
//! [`Session::run`] takes one line and gives the text that the command prints. What BMv2 numbers and P4Runtime does not
//! know (handles of entries, nodes of multicast groups) is kept in the [`Session`], of which a switch has one.

mod arguments;
mod arrays;
mod calculations;
mod commands;
mod failure;
mod handles;
mod integer;
mod names;
mod ports;
mod profiles;
mod queues;
mod replication;
mod tables;
mod value_sets;
mod values;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use v1model::{Program, Switch, TableId};

use handles::Handles;
pub use queues::{QueueChange, QueueSetting};
use replication::Nodes;

/// What a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is done, or was refused; this is what it prints.
    Printed(String),
    /// The queues are not the switch's: whoever has them does it.
    SetQueue(QueueChange),
    /// Nor are the interfaces: whoever has them shows which there are, with [`ports_shown`].
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

/// A port as `show_ports` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortLine {
    /// Its number.
    pub number: u16,
    /// What it leads to.
    pub interface: String,
    /// Whether that is up.
    pub is_up: bool,
}

/// What `show_ports` prints.
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

/// What the commands of one switch have to remember from line to line.
#[derive(Debug, Default)]
pub struct Session {
    /// Of which program the rest is.
    program: Option<Weak<Program>>,
    entries: HashMap<TableId, Handles>,
    nodes: Nodes,
}

/// A command at work.
struct Command<'a> {
    session: &'a mut Session,
    switch: &'a mut Switch,
    program: Arc<Program>,
    now_ns: u64,
    output: String,
}

impl Session {
    /// Runs one line. `now_ns` is the switch's time.
    pub fn run(&mut self, switch: &mut Switch, now_ns: u64, line: &str) -> Outcome {
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { return Outcome::Printed(String::new()) };
        let args: Vec<&str> = words.collect();
        if matches!(name, "help" | "?") {
            return Outcome::Printed(commands::help(args.first().copied()));
        }
        let Some(command) = commands::find(name) else {
            return Outcome::Printed(format!("*** Unknown syntax: {line}\n"));
        };
        let Some(program) = switch.program().cloned() else {
            return Outcome::Printed("Error: the switch has no program\n".to_owned());
        };
        if self.program.as_ref().is_none_or(|known| known.as_ptr() != Arc::as_ptr(&program)) {
            *self = Self { program: Some(Arc::downgrade(&program)), ..Self::default() };
        }
        let mut work = Command { session: self, switch, program, now_ns, output: String::new() };
        match (command.run)(&mut work, &args) {
            Ok(None) => Outcome::Printed(work.output),
            Ok(Some(elsewhere)) => elsewhere,
            Err(failure) => Outcome::Printed(format!("{}{failure}\n", work.output)),
        }
    }
}

impl Command<'_> {
    fn print(&mut self, line: impl AsRef<str>) {
        self.output.push_str(line.as_ref());
        self.output.push('\n');
    }
}
