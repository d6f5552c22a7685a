//! One port: its two link directions and what it leads to.

use links::{Lateness, Link};
use ports::Device;
use v1model::Packet;

use crate::capture::Capture;
use crate::flow::{FlowKey, FlowTable};

/// A packet in the queue before egress processing.
#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) packet: Box<Packet>,
    /// The flow it came in with, to count its drop.
    pub(crate) flow: Option<FlowKey>,
}

/// A port of a switch.
#[derive(Debug)]
pub(crate) struct Port {
    /// The switch, as an index.
    pub(crate) node: usize,
    pub(crate) number: u16,
    pub(crate) name: String,
    pub(crate) egress: Link<Queued, Vec<u8>>,
    pub(crate) ingress: Link<Vec<u8>, Vec<u8>>,
    pub(crate) end: End,
    pub(crate) egress_lateness: Lateness,
    pub(crate) ingress_lateness: Lateness,
    pub(crate) flows: FlowTable,
    /// Frames the device did not take (interface down).
    pub(crate) device_drops: u64,
    pub(crate) capture: Option<Capture>,
}

/// What a port leads to.
#[derive(Debug)]
pub(crate) enum End {
    Device(Device),
    /// A port of another switch of this process, as an index.
    Peer(usize),
    /// The controller.
    Cpu,
    /// Nothing: a port number that is not configured. Egress processing happens all the same, as on BMv2 (a program
    /// may recirculate or clone there).
    Nowhere,
}

/// One direction of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Switch → neighbour.
    Egress,
    /// Neighbour → switch.
    Ingress,
}

impl Direction {
    /// As written in files and answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Egress => "egress",
            Self::Ingress => "ingress",
        }
    }
}

/// The number of a link in the agenda.
pub(crate) fn link_number(port: usize, direction: Direction) -> usize {
    2 * port + usize::from(direction == Direction::Ingress)
}

/// The inverse of [`link_number`].
pub(crate) fn link_of(number: usize) -> (usize, Direction) {
    (number / 2, if number.is_multiple_of(2) { Direction::Egress } else { Direction::Ingress })
}

impl Port {
    /// Ports that links and samples are reported for.
    pub(crate) fn is_reported(&self) -> bool {
        matches!(self.end, End::Device(_) | End::Peer(_))
    }

    pub(crate) fn has_ingress(&self) -> bool {
        matches!(self.end, End::Device(_))
    }
}
