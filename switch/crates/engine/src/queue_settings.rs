//! The settings of `set_queue_depth` and `set_queue_rate` of `simple_switch_CLI`, for ports that are there and for
//! those that come later.

use std::collections::BTreeMap;

use bmv2_runtime::{QueueChange, QueueSetting};
use links::{LinkConfig, PriorityQueue};

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
    /// Takes over the setting of a command.
    pub(crate) fn set(&mut self, change: &QueueChange) {
        match change.port {
            Some(number) => apply(self.of_port.entry(number).or_insert(self.every), change),
            None => self.of_port.values_mut().chain([&mut self.every]).for_each(|queues| apply(queues, change)),
        }
    }

    /// The settings of a port with so many priorities: its own, or those of every port.
    pub(crate) fn of(&self, number: u16, priorities: u8) -> &[PriorityQueue] {
        let queues = self.of_port.get(&number).unwrap_or(&self.every);
        &queues[..usize::from(priorities).min(MOST)]
    }

    /// The description of a port's egress link with the settings made before the port came.
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
