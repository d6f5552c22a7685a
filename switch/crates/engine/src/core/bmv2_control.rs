//! The control plane of BMv2: its commands and its Thrift services come here for objects outside the switch itself.

use bmv2_runtime::{PortLine, Runtime};
use runtime_cli::{Outcome, ports_shown};

use super::Core;
use super::added_ports::Wanted;
use super::show::ShowError;
use crate::control_plane::EngineError;
use crate::port::{End, Port};

/// The result of a line.
pub(crate) enum Ran {
    /// It is done, or was refused; this is its output.
    Printed(String),
    /// An interface is to be opened first, which takes too long here.
    Wants(Box<Wanted>),
}

/// The output of `port_add` and `port_remove`.
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
        Ok(Ran::Printed(match runtime_cli::run(&mut node.session, &mut node.switch, now_ns, line) {
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
            Outcome::ShowPorts => ports_shown(&self.port_lines(index)),
        }))
    }

    /// Runs `f` on the session of a switch; not if it has no program.
    pub(crate) fn with_runtime<R>(
        &mut self,
        device_id: u64,
        now_ns: u64,
        f: impl FnOnce(&mut Runtime<'_>) -> R,
    ) -> Result<Option<R>, EngineError> {
        let index = self.index_of(device_id)?;
        let node = &mut self.nodes[index];
        node.now_ns = node.now_ns.max(now_ns);
        Ok(node.session.on(&mut node.switch, node.now_ns).as_mut().map(f))
    }

    /// The switch with this device id, as an index.
    pub(crate) fn index_of(&self, device_id: u64) -> Result<usize, EngineError> {
        self.node_index(device_id).ok_or(EngineError::UnknownDevice(device_id))
    }

    /// A switch's ports in the order of their numbers.
    pub(crate) fn port_lines(&self, index: usize) -> Vec<PortLine> {
        let own = self.ports.iter().filter(|port| port.node == index && port.is_reported());
        let line = |port: &Port| PortLine {
            number: port.number,
            interface: port.name.clone(),
            is_up: !matches!(&port.end, End::Device(device) if !device.is_up()),
        };
        let mut lines: Vec<PortLine> = own.map(line).collect();
        lines.sort_by_key(|line| line.number);
        lines
    }
}
