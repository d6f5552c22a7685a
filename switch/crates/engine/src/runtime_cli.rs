//! The commands of `simple_switch_CLI`: those about queues are done here, all others by the crate of that name.

use ::runtime_cli::{Outcome, PortLine, QueueChange, QueueSetting, ports_shown};
use serde_json::{Map, Value, json};

use crate::added_port::Wanted;

use crate::core::Core;
use crate::port::Direction;
use crate::show::ShowError;

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

    fn set_queues(&mut self, node: usize, change: QueueChange, now_ns: u64) -> Result<(), String> {
        let name = self.nodes[node].name.clone();
        let has = |port: &&crate::port::Port| port.node == node && port.is_reported();
        let chosen: Vec<(u16, u8)> = self
            .ports
            .iter()
            .filter(has)
            .filter(|port| change.port.is_none_or(|number| number == port.number))
            .map(|port| (port.number, port.egress.config().priorities))
            .collect();
        if let (Some(number), true) = (change.port, chosen.is_empty()) {
            return Err(format!("there is no port {number}"));
        }
        let whole_port = |priorities: u8| priorities == 1 && change.priority.is_none_or(|priority| priority == 0);
        if change.priority.is_some() && !chosen.iter().all(|(_, priorities)| whole_port(*priorities)) {
            return Err(
                "the priorities of a port share its rate and have the same depth; leave the priority out".into()
            );
        }
        for (number, _) in chosen {
            let fields = Map::from_iter(match change.setting {
                QueueSetting::DepthPackets(packets) => vec![("queue".to_owned(), json!({"packets": packets}))],
                // As in BMv2, no rate is no limit.
                QueueSetting::RatePps(0) => {
                    vec![("rate_pps".to_owned(), Value::Null), ("rate_bps".to_owned(), Value::Null)]
                }
                QueueSetting::RatePps(rate) => vec![("rate_pps".to_owned(), json!(rate))],
            });
            self.set_link(&name, number, Direction::Egress, &fields, now_ns).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
