//! What `set_queue_depth` and `set_queue_rate` of `simple_switch_CLI` have set, for ports that are there and for those that come later.

use std::collections::BTreeMap;

use ::runtime_cli::{QueueChange, QueueSetting};
use links::{LinkConfig, PriorityQueue};
use serde_json::{Map, json};

use crate::core::Core;
use crate::port::{Direction, Port};

/// Most priorities that a port can have.
const MOST: usize = 8;

type OfPriorities = [PriorityQueue; MOST];

/// The settings of a switch.
#[derive(Debug, Default)]
pub(crate) struct QueueSettings {
    /// Of ports that have none of their own.
    every: OfPriorities,
    of_port: BTreeMap<u16, OfPriorities>,
}

impl QueueSettings {
    fn set(&mut self, change: &QueueChange) {
        match change.port {
            Some(number) => apply(self.of_port.entry(number).or_insert(self.every), change),
            None => self.of_port.values_mut().chain([&mut self.every]).for_each(|queues| apply(queues, change)),
        }
    }

    /// What a port has of its own, with so many priorities.
    fn of(&self, number: u16, priorities: u8) -> &[PriorityQueue] {
        let queues = self.of_port.get(&number).unwrap_or(&self.every);
        &queues[..usize::from(priorities).min(MOST)]
    }

    /// The description of a port's egress link with what was set before it came.
    pub(crate) fn added_to(&self, number: u16, egress: LinkConfig) -> LinkConfig {
        let own = self.of(number, egress.priorities);
        if own.iter().all(|queue| *queue == PriorityQueue::default()) {
            return egress;
        }
        LinkConfig { priority_queues: own.to_vec(), ..egress }
    }
}

fn apply(queues: &mut OfPriorities, change: &QueueChange) {
    for (priority, queue) in (0..).zip(queues) {
        if change.priority.is_none_or(|wanted| wanted == priority) {
            match change.setting {
                QueueSetting::DepthPackets(packets) => queue.packets = Some(packets.into()),
                // As in BMv2, no rate is no limit.
                QueueSetting::RatePps(rate) => queue.rate_pps = (rate > 0).then_some(rate),
            }
        }
    }
}

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
