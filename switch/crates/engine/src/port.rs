//! One port: its two link directions and its other end.

use links::{Dequeued, Link, LinkConfig, LinkConfigError, Place, TimeHistogram};
use ports::Device;
use v1model::Packet;

use crate::capture::Capture;
use crate::crossing::Crossing;
use crate::flow::{FlowKey, FlowTable, flow_of};
use crate::frame_recording::Recording;
use crate::frame_way::Way;

/// A packet or frame in an egress queue.
#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) content: Content,
    /// The flow it came in with, to count its drop.
    pub(crate) flow: Option<FlowKey>,
}

/// A packet of a switch of this process, or a frame of another switch.
#[derive(Debug)]
pub(crate) enum Content {
    /// Egress processing is still to come.
    Packet(Box<Packet>),
    /// The switch is a process of its own and has done with it.
    Frame(Vec<u8>),
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
    /// The way to the switch, if that is a process of its own; else the switch is in this process.
    pub(crate) switch_side: Option<Device>,
    pub(crate) egress_lateness: TimeHistogram,
    pub(crate) ingress_lateness: TimeHistogram,
    pub(crate) flows: FlowTable,
    /// Frames the device did not take (interface down).
    pub(crate) device_drops: u64,
    pub(crate) capture: Option<Capture>,
    /// The recording of frames at the switch's end of the link, and at the other end.
    pub(crate) recorded: Recorded,
}

/// The interfaces of recorded frames that the ends of a port's link are, if any.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Recorded {
    pub(crate) switch: Option<u32>,
    pub(crate) neighbour: Option<u32>,
}

/// The other end of a port.
#[derive(Debug)]
pub(crate) enum End {
    Device(Device),
    /// A port of another switch of this process, as an index.
    Peer(usize),
    /// A port of a switch in another kernel.
    Crossing(Crossing),
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
    /// With links that have no limits.
    pub(crate) fn ideal(node: usize, number: u16, name: &str, end: End) -> Result<Self, LinkConfigError> {
        Ok(Self {
            node,
            number,
            name: name.to_owned(),
            egress: Link::new(LinkConfig::default())?,
            ingress: Link::new(LinkConfig::default())?,
            end,
            switch_side: None,
            egress_lateness: TimeHistogram::default(),
            ingress_lateness: TimeHistogram::default(),
            flows: FlowTable::default(),
            device_drops: 0,
            capture: None,
            recorded: Recorded::default(),
        })
    }

    /// Ports that links and samples are reported for.
    pub(crate) fn is_reported(&self) -> bool {
        matches!(self.end, End::Device(_) | End::Peer(_) | End::Crossing(_))
    }

    pub(crate) fn has_ingress(&self) -> bool {
        matches!(self.end, End::Device(_))
    }

    /// Takes the frames from outside into the ingress link. Returns false if the device is gone.
    pub(crate) fn receive_from_outside(&mut self, buffers: &mut Vec<Vec<u8>>, recording: &mut Recording) -> bool {
        let Self { end: End::Device(device), ingress, capture, recorded, .. } = self else { return true };
        let result = device.receive(|frame, arrival_ns| {
            if let Some(capture) = capture {
                capture.record(Way::In, frame, arrival_ns);
            }
            recording.note(recorded.neighbour, Way::Out, frame, arrival_ns);
            enter(ingress, frame, arrival_ns, buffers);
        });
        if let Err(error) = &result {
            tracing::error!(port = self.number, interface = device.name(), %error, "the interface is gone");
            self.end = End::Nowhere;
        }
        result.is_ok()
    }

    /// Takes the frames that the other kernel has sent before a time into the ingress link. They arrive later.
    pub(crate) fn receive_from_other_kernel(&mut self, before_ns: u64, buffers: &mut Vec<Vec<u8>>) {
        if let Self { end: End::Crossing(crossing), ingress, .. } = self {
            crossing.take(before_ns, |frame, arrival_ns| enter(ingress, frame, arrival_ns, buffers));
        }
    }

    /// Takes the frames that a switch in a process of its own sends out of the port. Returns false if the device is
    /// gone.
    pub(crate) fn receive_from_switch(&mut self, buffers: &mut Vec<Vec<u8>>, recording: &mut Recording) -> bool {
        let Self { switch_side: Some(device), egress, flows, recorded, .. } = self else { return true };
        let result = device.receive(|frame, arrival_ns| {
            while let Some(Dequeued { item, dequeued_ns, .. }) = egress.dequeue(arrival_ns) {
                if let Content::Frame(frame) = item.content {
                    recording.note(recorded.switch, Way::Out, &frame, dequeued_ns);
                    let _ = send_on(egress, flows, frame);
                }
            }
            let flow = flow_of(frame);
            let queued = Queued { content: Content::Frame(copy_of(frame, buffers)), flow };
            if let Err(Queued { flow: Some(flow), .. }) =
                egress.enqueue(arrival_ns, Place::default(), length_of(frame), queued)
            {
                flows.dropped(flow);
            }
        });
        if let Err(error) = &result {
            tracing::error!(port = self.number, interface = device.name(), %error, "the switch's interface is gone");
            self.switch_side = None;
        }
        result.is_ok()
    }

    /// Puts a frame on the egress link's transmitter, and counts it. Gives it back if it gets lost on the wire.
    pub(crate) fn transmit(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        if self.is_reported() { send_on(&mut self.egress, &mut self.flows, frame) } else { self.egress.transmit(frame) }
    }
}

fn send_on(egress: &mut Link<Queued, Vec<u8>>, flows: &mut FlowTable, frame: Vec<u8>) -> Result<(), Vec<u8>> {
    let (bytes, flow) = (length_of(&frame), flow_of(&frame));
    if let Some(flow) = flow {
        flows.sent(flow, bytes);
    }
    let result = egress.transmit(frame);
    if let (Err(_), Some(flow)) = (&result, flow) {
        flows.dropped(flow);
    }
    result
}

/// Puts a frame into an ingress link. Those that have left its queue by then must not count against its limit.
fn enter(ingress: &mut Link<Vec<u8>, Vec<u8>>, frame: &[u8], arrival_ns: u64, buffers: &mut Vec<Vec<u8>>) {
    while let Some(Dequeued { item, .. }) = ingress.dequeue(arrival_ns) {
        let _ = ingress.transmit(item);
    }
    let _ = ingress.enqueue(arrival_ns, Place::default(), length_of(frame), copy_of(frame, buffers));
}

/// A copy in a buffer that is used again, if there is one.
fn copy_of(frame: &[u8], buffers: &mut Vec<Vec<u8>>) -> Vec<u8> {
    let mut buffer = buffers.pop().unwrap_or_default();
    buffer.clear();
    buffer.extend_from_slice(frame);
    buffer
}

fn length_of(frame: &[u8]) -> u32 {
    u32::try_from(frame.len()).unwrap_or(u32::MAX)
}
