//! Queues that commands of `simple_switch_CLI` change while the switch runs.

use bmv2_runtime::QueueChange;
use serde_json::{Map, json};

use super::Core;
use crate::port::{Direction, Port};

impl Core {
    /// Changes queues of a switch. A port that is not there yet gets its own when it comes, if ports may come.
    ///
    /// # Errors
    /// There is no such port, and none may come; or it has no such priority.
    pub(crate) fn set_queues(&mut self, node: usize, change: QueueChange, now_ns: u64) -> Result<(), String> {
        let of_node = |port: &&Port| port.node == node && port.is_reported();
        let is_meant = |port: &&Port| change.port.is_none_or(|number| number == port.number);
        let chosen = self.ports.iter().filter(of_node).filter(is_meant);
        let mut chosen: Vec<(u16, u8)> = chosen.map(|port| (port.number, port.egress.config().priorities)).collect();
        let later = self.nodes[node].added_ports.as_ref().map(|like| like.egress.priorities);
        if let (Some(number), true, None) = (change.port, chosen.is_empty(), later) {
            return Err(format!("there is no port {number}"));
        }
        let priorities = chosen.iter().map(|(_, priorities)| *priorities).chain(later).max().unwrap_or(1);
        if let Some(priority) = change.priority.filter(|priority| *priority >= priorities) {
            return Err(format!("priority must be 0 to {}, not {priority}", priorities - 1));
        }
        self.nodes[node].queues.set(&change);
        let name = self.nodes[node].name.clone();
        for (number, priorities) in chosen.drain(..) {
            let own = self.nodes[node].queues.of(number, priorities);
            let fields = Map::from_iter([("priority_queues".to_owned(), json!(own))]);
            self.set_link(&name, number, Direction::Egress, &fields, now_ns).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
