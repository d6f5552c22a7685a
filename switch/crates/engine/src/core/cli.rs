//! The commands of `simple_switch_CLI`: those about queues are done here, all others by the crate of that name.

use ::runtime_cli::{Outcome, PortLine, ports_shown};

use super::Core;
use super::added_ports::Wanted;
use super::show::ShowError;

/// What became of a line.
pub(crate) enum Ran {
    /// It is done, or was refused; this is what it prints.
    Printed(String),
    /// An interface is to be opened first, which takes too long here.
    Wants(Box<Wanted>),
}

/// What `port_add` and `port_remove` print.
pub(crate) fn refusal_of_port(result: &Result<(), String>) -> String {
    match result {
        Ok(()) => String::new(),
        Err(why) => format!("Invalid device manager operation (ERROR)\n{why}\n"),
    }
}

impl Core {
    /// Runs one line on the switch of this name, or the only one.
    pub(crate) fn run_cli(&mut self, switch: Option<&str>, line: &str, now_ns: u64) -> Result<Ran, ShowError> {
        let index = self.node_named(switch)?;
        let node = &mut self.nodes[index];
        Ok(Ran::Printed(match node.cli.run(&mut node.switch, now_ns, line) {
            Outcome::Printed(text) => text,
            Outcome::AddPort { interface, number } => match self.want_port(index, number, interface) {
                Ok(wanted) => return Ok(Ran::Wants(Box::new(wanted))),
                Err(why) => refusal_of_port(&Err(why)),
            },
            Outcome::RemovePort { number } => refusal_of_port(&self.detach(index, number)),
            Outcome::SetQueue(change) => match self.set_queues(index, change, now_ns) {
                Ok(()) => String::new(),
                Err(why) => format!("Error: {why}\n"),
            },
            Outcome::ShowPorts => {
                let own = self.ports.iter().filter(|port| port.node == index && port.is_reported());
                let line = |port: &crate::port::Port| PortLine {
                    number: port.number,
                    interface: port.name.clone(),
                    is_up: !matches!(&port.end, crate::port::End::Device(device) if !device.is_up()),
                };
                let mut lines: Vec<PortLine> = own.map(line).collect();
                lines.sort_by_key(|line| line.number);
                ports_shown(&lines)
            }
        }))
    }
}
