//! The counters of the links, for the management socket.

use links::{Counters, InForce, LatenessSummary, Link, LinkConfig, QueueCounters, TimeHistogram, WaitSummary};
use serde::Serialize;

use super::Core;
use crate::flow::{FlowCounters, FlowKey};
use crate::port::{Direction, Port};

/// One link direction.
#[derive(Debug, Clone, Serialize)]
pub struct LinkStats {
    /// Switch name.
    pub switch: String,
    /// Port number.
    pub port: u16,
    /// Port name.
    pub name: String,
    /// Seen from the switch.
    pub direction: Direction,
    /// The link's description.
    pub config: LinkConfig,
    /// The present values of the settings that a trace changes.
    pub in_force: InForce,
    /// Packets waiting.
    pub queue_packets: u64,
    /// Bytes waiting.
    pub queue_bytes: u64,
    /// Packets sent.
    pub tx_packets: u64,
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Packets the queue had no room for.
    pub queue_drops: u64,
    /// Packets lost on the wire.
    pub loss_drops: u64,
    /// Packets lost because the link was down.
    pub down_drops: u64,
    /// Frames the host's interface did not take.
    pub device_drops: u64,
    /// How late packets were against the model.
    pub lateness: LatenessSummary,
    /// How long packets waited in all queues.
    pub waits: WaitSummary,
    /// Each queue to which packets have come; empty if the port has one queue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<QueueStats>,
}

/// One of several queues of a link direction.
#[derive(Debug, Clone, Serialize)]
pub struct QueueStats {
    /// Its number.
    pub queue: u16,
    /// Its counters.
    #[serde(flatten)]
    pub counters: QueueCounters,
    /// How long packets waited in it.
    pub waits: WaitSummary,
}

/// One flow on one egress link.
#[derive(Debug, Clone, Serialize)]
pub struct FlowStats {
    /// Switch name.
    pub switch: String,
    /// Port number.
    pub port: u16,
    /// Which flow.
    #[serde(flatten)]
    pub key: FlowKey,
    /// Its counters.
    #[serde(flatten)]
    pub counters: FlowCounters,
}

/// The queues of a link to which packets have come, by number; none if it has only one.
pub(crate) fn queues_of<Q, F>(link: &Link<Q, F>) -> impl Iterator<Item = (u16, QueueCounters)> {
    let counters = link.queue_counters();
    let number = if counters.len() > 1 { counters.len() } else { 0 };
    (0..).zip(counters.take(number)).filter(|(_, counters)| *counters != QueueCounters::default())
}

fn merged(mut all: TimeHistogram, one: &TimeHistogram) -> TimeHistogram {
    all.merge(one);
    all
}

impl Core {
    /// All link directions.
    pub(crate) fn link_stats(&self) -> Vec<LinkStats> {
        let mut all = Vec::new();
        for port in self.ports.iter().filter(|port| port.is_reported()) {
            all.push(self.stats_of(port, Direction::Egress));
            if port.has_ingress() {
                all.push(self.stats_of(port, Direction::Ingress));
            }
        }
        all
    }

    fn stats_of(&self, port: &Port, direction: Direction) -> LinkStats {
        match direction {
            Direction::Egress => self.stats_of_link(port, direction, &port.egress, &port.egress_lateness),
            Direction::Ingress => self.stats_of_link(port, direction, &port.ingress, &port.ingress_lateness),
        }
    }

    fn stats_of_link<Q, F>(
        &self,
        port: &Port,
        direction: Direction,
        link: &Link<Q, F>,
        lateness: &TimeHistogram,
    ) -> LinkStats {
        let Counters { tx_packets, tx_bytes, queue_drops, loss_drops, down_drops } = *link.counters();
        LinkStats {
            switch: self.node_name(port),
            port: port.number,
            name: port.name.clone(),
            direction,
            config: link.config().clone(),
            in_force: link.in_force().clone(),
            queue_packets: link.queue_packets(),
            queue_bytes: link.queue_bytes(),
            tx_packets,
            tx_bytes,
            queue_drops,
            loss_drops,
            down_drops,
            device_drops: if direction == Direction::Egress { port.device_drops } else { 0 },
            lateness: lateness.lateness(),
            waits: link.queue_waits().fold(TimeHistogram::default(), merged).waits(),
            queues: queues_of(link)
                .map(|(queue, counters)| {
                    let waits =
                        link.queue_waits().nth(usize::from(queue)).map(TimeHistogram::waits).unwrap_or_default();
                    QueueStats { queue, counters, waits }
                })
                .collect(),
        }
    }

    /// All flows of all egress links, in a fixed order.
    pub(crate) fn flow_stats(&self) -> Vec<FlowStats> {
        let mut all = Vec::new();
        for port in &self.ports {
            let mut flows: Vec<_> = port.flows.iter().map(|(key, counters)| (*key, *counters)).collect();
            flows.sort_unstable_by_key(|(key, _)| *key);
            all.extend(flows.into_iter().map(|(key, counters)| FlowStats {
                switch: self.node_name(port),
                port: port.number,
                key,
                counters,
            }));
        }
        all
    }

    /// Starts the lateness counters afresh.
    pub(crate) fn reset_lateness(&mut self) {
        for port in &mut self.ports {
            port.egress_lateness.reset();
            port.ingress_lateness.reset();
        }
    }

    /// Starts the times of waiting in queues afresh.
    pub(crate) fn reset_waits(&mut self) {
        for port in &mut self.ports {
            port.egress.reset_queue_waits();
            port.ingress.reset_queue_waits();
        }
    }

    fn node_name(&self, port: &Port) -> String {
        self.nodes.get(port.node).map(|node| node.name.to_string()).unwrap_or_default()
    }
}
