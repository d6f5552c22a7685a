//! How much later than its model time an event may be processed without anybody outside noticing.
//!
//! A packet that leaves a queue now and reaches a host 20 ms later need not be looked at now: all its times come from
//! the model. So the forwarding thread sleeps through events whose effect lies ahead and takes them along when it wakes
//! up for something else. Events are still processed in the order of their times, so the result is the same.

use links::Link;

use crate::port::{End, Port};

/// Upper bound, for everything the model does not see: the controller gets packet-ins up to this much later.
pub(crate) const MAX_SLACK_NS: u64 = 200_000;

/// Slack of each kind of event.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slack {
    pub(crate) egress_dequeue_ns: u64,
    pub(crate) egress_deliver_ns: u64,
    pub(crate) ingress_dequeue_ns: u64,
    pub(crate) ingress_deliver_ns: u64,
}

/// Works out the slack of every port's events: the shortest way from there to a device.
pub(crate) fn slack_of(ports: &[Port], nodes: usize) -> Vec<Slack> {
    let mut node_slack = vec![MAX_SLACK_NS; nodes];
    // A switch that is a process of its own sees every frame the moment it is delivered.
    for port in ports.iter().filter(|port| port.switch_side.is_some()) {
        if let Some(slack) = node_slack.get_mut(port.node) {
            *slack = 0;
        }
    }
    let deliver = |port: &Port, node_slack: &[u64]| match port.end {
        End::Device(_) => 0,
        End::Peer(peer) => ports.get(peer).and_then(|peer| node_slack.get(peer.node)).copied().unwrap_or(0),
        End::Crossing(ref crossing) => crossing.slack_ns(),
        End::Cpu | End::Nowhere => MAX_SLACK_NS,
    };
    // Shortest paths (Bellman-Ford): after as many rounds as switches nothing changes any more.
    for _ in 0..nodes {
        for port in ports {
            let through = (shortest_delay_ns(&port.egress) + deliver(port, &node_slack)).min(MAX_SLACK_NS);
            if let Some(slack) = node_slack.get_mut(port.node) {
                *slack = through.min(*slack);
            }
        }
    }
    let of_port = |port: &Port| {
        let node = node_slack.get(port.node).copied().unwrap_or(0);
        let egress_deliver_ns = deliver(port, &node_slack);
        Slack {
            // Clones and recirculated packets go through the switch again from here. If one of them reaches a host
            // sooner than this, it is late by at most the upper bound, and counted as late.
            egress_dequeue_ns: (shortest_delay_ns(&port.egress) + egress_deliver_ns).min(MAX_SLACK_NS),
            egress_deliver_ns,
            ingress_dequeue_ns: (shortest_delay_ns(&port.ingress) + node).min(MAX_SLACK_NS),
            ingress_deliver_ns: node,
        }
    };
    ports.iter().map(of_port).collect()
}

/// The shortest delay a link may have until somebody changes it; at most [`MAX_SLACK_NS`].
fn shortest_delay_ns<Q, F>(link: &Link<Q, F>) -> u64 {
    let config = link.config();
    let steps = config.trace.iter().flatten().filter_map(|step| step.delay_us);
    let shortest_us = steps.fold(config.delay_us.min(link.in_force().delay_us), f64::min);
    ((shortest_us * 1e3) as u64).min(MAX_SLACK_NS)
}
