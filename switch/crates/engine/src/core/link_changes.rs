//! Links that change while the network runs: `set_link`, `link_down`, `link_up`, `start_traces`, `stop_traces`.

use links::{Cut, LinkConfig, LinkConfigError};
use serde_json::{Map, Value};

use super::Core;
use crate::flow::flow_of;
use crate::port::{Content, Direction, End, Port, Queued};

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
    #[error("link.{place}: {problem}")]
    Shape {
        /// The field, e.g. `trace[2].rate_bps`.
        place: String,
        /// The problem with it.
        problem: serde_json::Error,
    },
    /// A value out of range.
    #[error("link.{0}")]
    Range(#[from] LinkConfigError),
    /// Traces that should have been started already.
    #[error("start_traces: at_ns is {late_ns} ns in the past; it is a time of CLOCK_MONOTONIC that is still to come")]
    Past {
        /// How long ago that was.
        late_ns: u64,
    },
}

impl Core {
    /// Changes the given fields of a link, from `now_ns` on.
    pub(crate) fn set_link(
        &mut self,
        switch: &str,
        number: u16,
        direction: Direction,
        change: &Map<String, Value>,
        now_ns: u64,
    ) -> Result<(), SetLinkError> {
        let index = self.link_index(switch, number, direction)?;
        self.change_link(index, direction, change, now_ns)?;
        self.links_changed();
        Ok(())
    }

    /// Takes both directions of the link on a port down or up again.
    pub(crate) fn set_link_up(&mut self, switch: &str, number: u16, up: bool, now_ns: u64) -> Result<(), SetLinkError> {
        let index = self.link_index(switch, number, Direction::Egress)?;
        let back = match self.ports.get(index).map(|port| &port.end) {
            Some(End::Peer(peer)) => (*peer, Direction::Egress),
            _ => (index, Direction::Ingress),
        };
        let change = Map::from_iter([("up".to_owned(), Value::Bool(up))]);
        for (index, direction) in [(index, Direction::Egress), back] {
            self.change_link(index, direction, &change, now_ns)?;
        }
        self.links_changed();
        Ok(())
    }

    /// Starts the traces of all links at `start_ns`, or now. Says when that is, and how many there are.
    pub(crate) fn start_traces(&mut self, start_ns: Option<u64>, now_ns: u64) -> Result<(u64, usize), SetLinkError> {
        let start_ns = start_ns.unwrap_or(now_ns);
        if start_ns < now_ns {
            return Err(SetLinkError::Past { late_ns: now_ns - start_ns });
        }
        let mut traces = 0;
        for port in &mut self.ports {
            let has_trace = |config: &LinkConfig| usize::from(config.trace.is_some());
            traces += has_trace(port.egress.config()) + has_trace(port.ingress.config());
            port.egress.start_trace(start_ns, now_ns);
            port.ingress.start_trace(start_ns, now_ns);
        }
        self.links_changed();
        Ok((start_ns, traces))
    }

    /// Ends all traces: the values of the descriptions are in force again.
    pub(crate) fn stop_traces(&mut self, now_ns: u64) {
        for port in &mut self.ports {
            port.egress.stop_trace(now_ns);
            port.ingress.stop_trace(now_ns);
        }
        self.links_changed();
    }

    fn link_index(&self, switch: &str, number: u16, direction: Direction) -> Result<usize, SetLinkError> {
        let node = self.nodes.iter().position(|node| &*node.name == switch);
        let is_it = |port: &Port| {
            Some(port.node) == node
                && port.number == number
                && port.is_reported()
                && (direction == Direction::Egress || port.has_ingress())
        };
        self.ports.iter().position(is_it).ok_or_else(|| SetLinkError::NoLink {
            switch: switch.into(),
            port: number,
            direction,
        })
    }

    fn change_link(
        &mut self,
        index: usize,
        direction: Direction,
        change: &Map<String, Value>,
        now_ns: u64,
    ) -> Result<(), SetLinkError> {
        let Some(port) = self.ports.get_mut(index) else { return Ok(()) };
        let node = port.node;
        let is_given = |field: &str| change.contains_key(field);
        match direction {
            Direction::Egress => {
                let config = changed(port.egress.config(), change)?;
                let Cut { waiting, frames } = port.egress.set_config(config, is_given, now_ns)?;
                let switch = self.nodes.get_mut(node).map(|node| &mut node.switch);
                let flows = waiting.iter().map(|queued| queued.flow).chain(frames.iter().map(|frame| flow_of(frame)));
                flows.flatten().for_each(|flow| port.flows.dropped(flow));
                if let Some(switch) = switch {
                    for Queued { content, .. } in waiting {
                        match content {
                            Content::Packet(packet) => switch.recycle(packet),
                            Content::Frame(frame) => switch.recycle_frame(frame),
                        }
                    }
                    frames.into_iter().for_each(|frame| switch.recycle_frame(frame));
                }
            }
            Direction::Ingress => {
                let config = changed(port.ingress.config(), change)?;
                port.ingress.set_config(config, is_given, now_ns)?;
            }
        }
        Ok(())
    }
}

/// A description with some fields changed.
fn changed(config: &LinkConfig, change: &Map<String, Value>) -> Result<LinkConfig, SetLinkError> {
    let shape = |place: &str, problem| SetLinkError::Shape { place: place.to_owned(), problem };
    let mut merged = serde_json::to_value(config).map_err(|error| shape("", error))?;
    if let Some(fields) = merged.as_object_mut() {
        fields.extend(change.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    serde_path_to_error::deserialize(merged).map_err(|error| {
        let place = error.path().to_string();
        shape(&place, error.into_inner())
    })
}
