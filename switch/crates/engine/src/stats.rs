//! What the links have done, for the management socket.

use links::{LatenessSummary, LinkConfig, LinkConfigError};
use serde::Serialize;

use crate::core::Core;
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
    /// The link's description in force.
    pub config: LinkConfig,
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
    /// Frames the host's interface did not take.
    pub device_drops: u64,
    /// How late packets were against the model.
    pub lateness: LatenessSummary,
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
    /// What it has done.
    #[serde(flatten)]
    pub counters: FlowCounters,
}

/// Why a link could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum SetLinkError {
    /// No such switch, port or direction.
    #[error("switch {switch:?} has no {} link on port {port}", direction.name())]
    NoLink {
        /// Switch name asked for.
        switch: String,
        /// Port number asked for.
        port: u16,
        /// Direction asked for.
        direction: Direction,
    },
    /// Unknown field or wrong type.
    #[error("link: {0}")]
    Json(#[from] serde_json::Error),
    /// A value out of range.
    #[error("link: {0}")]
    Range(#[from] LinkConfigError),
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
        let (config, counters, queue_packets, queue_bytes, lateness) = match direction {
            Direction::Egress => {
                let link = &port.egress;
                (link.config(), link.counters(), link.queue_packets(), link.queue_bytes(), &port.egress_lateness)
            }
            Direction::Ingress => {
                let link = &port.ingress;
                (link.config(), link.counters(), link.queue_packets(), link.queue_bytes(), &port.ingress_lateness)
            }
        };
        LinkStats {
            switch: self.node_name(port),
            port: port.number,
            name: port.name.clone(),
            direction,
            config: config.clone(),
            queue_packets,
            queue_bytes,
            tx_packets: counters.tx_packets,
            tx_bytes: counters.tx_bytes,
            queue_drops: counters.queue_drops,
            loss_drops: counters.loss_drops,
            device_drops: if direction == Direction::Egress { port.device_drops } else { 0 },
            lateness: lateness.summary(),
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

    /// Changes the given fields of a link, from `now_ns` on.
    pub(crate) fn set_link(
        &mut self,
        switch: &str,
        number: u16,
        direction: Direction,
        change: &serde_json::Map<String, serde_json::Value>,
        now_ns: u64,
    ) -> Result<(), SetLinkError> {
        let node = self.nodes.iter().position(|node| &*node.name == switch);
        let port = self.ports.iter_mut().find(|port| {
            Some(port.node) == node
                && port.number == number
                && port.is_reported()
                && (direction == Direction::Egress || port.has_ingress())
        });
        let Some(port) = port else {
            return Err(SetLinkError::NoLink { switch: switch.into(), port: number, direction });
        };
        let config = match direction {
            Direction::Egress => port.egress.config(),
            Direction::Ingress => port.ingress.config(),
        };
        let mut merged = serde_json::to_value(config)?;
        if let Some(fields) = merged.as_object_mut() {
            fields.extend(change.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        let config: LinkConfig = serde_json::from_value(merged)?;
        match direction {
            Direction::Egress => port.egress.set_config(config, now_ns)?,
            Direction::Ingress => port.ingress.set_config(config, now_ns)?,
        }
        self.links_changed();
        Ok(())
    }

    fn node_name(&self, port: &Port) -> String {
        self.nodes.get(port.node).map(|node| node.name.to_string()).unwrap_or_default()
    }
}
