//! The commands of `simple_switch_CLI`: those about queues are done here, all others by the crate of that name.

use ::runtime_cli::{Outcome, PortLine, QueueChange, QueueSetting, ports_shown};
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::port::Direction;
use crate::show::ShowError;

impl Core {
    /// Runs one line on the switch of this name, or the only one, and gives what it prints.
    pub(crate) fn run_cli(&mut self, switch: Option<&str>, line: &str, now_ns: u64) -> Result<String, ShowError> {
        let index = self.node_named(switch)?;
        let node = &mut self.nodes[index];
        Ok(match node.cli.run(&mut node.switch, now_ns, line) {
            Outcome::Printed(text) => text,
            Outcome::SetQueue(change) => match self.set_queues(index, change, now_ns) {
                Ok(()) => String::new(),
                Err(why) => format!("Error: {why}\n"),
            },
            Outcome::ShowPorts => {
                let own = self.ports.iter().filter(|port| port.node == index && port.is_reported());
                let mut lines: Vec<PortLine> =
                    own.map(|port| PortLine { number: port.number, interface: port.name.clone() }).collect();
                lines.sort_by_key(|line| line.number);
                ports_shown(&lines)
            }
        })
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
