//! A packet between ingress and egress.

use crate::bits::PADDING;

/// Steps of pipelines and operations of actions that one packet may take, resubmissions included. After them the packet
/// is given up: a program may loop for ever, the switch must not.
pub(crate) const STEPS: u32 = 1 << 22;

/// A packet on its way through the switch: header fields, payload, metadata. Opaque outside this crate, and pooled: give
/// packets that a queue throws away later back with [`Switch::recycle`](crate::Switch::recycle).
#[derive(Debug, Default)]
pub struct Packet {
    /// Header fields and metadata; see [`phv`](crate::phv).
    pub(crate) phv: Vec<u64>,
    /// The frame as received, and [`PADDING`] zeros.
    pub(crate) buffer: Vec<u8>,
    /// Bytes the parser has taken off: the payload begins there.
    pub(crate) parsed: usize,
    /// The length that `truncate` asks for.
    pub(crate) truncated: usize,
    pub(crate) ingress_port: u16,
    /// Length when it last came to ingress; counters and meters count this length.
    pub(crate) ingress_length: u32,
    /// `packet_length` of egress: follows added and removed headers.
    pub(crate) length: u32,
    pub(crate) egress_port: u16,
    pub(crate) parser_error: u32,
    pub(crate) checksum_error: bool,
    pub(crate) exit: bool,
    /// An assertion has failed: the packet goes no further.
    pub(crate) killed: bool,
    pub(crate) wants: Requests,
    /// Its number in a trace; 0: it is not traced.
    pub(crate) traced: u32,
    /// The rest of [`STEPS`].
    pub(crate) steps: u32,
    /// Load count of the program it was parsed with.
    pub(crate) generation: u64,
}

/// The operations on the packet that an action has requested for the end of the pipeline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    /// Session and field list.
    pub clone: Option<(u32, u32)>,
    /// Learn list; 0 = none.
    pub digest: u32,
    /// Field list; 0 = no resubmission.
    pub resubmit: u32,
    /// Field list; 0 = no recirculation.
    pub recirculate: u32,
}

impl Packet {
    /// Length in bytes for queue accounting: the frame as it was received, with the headers that ingress added or
    /// removed, and cut if it was truncated. The frame that egress processing makes of it may be longer or shorter.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length.min(u32::try_from(self.truncated).unwrap_or(u32::MAX))
    }

    /// Makes it a new packet with these bytes.
    pub(crate) fn reset(&mut self, slots: usize, frame: &[u8]) {
        self.phv.clear();
        self.phv.resize(slots, 0);
        self.set_frame(frame);
        self.truncated = usize::MAX;
        self.parser_error = 0;
        self.checksum_error = false;
        self.exit = false;
        self.killed = false;
        self.wants = Requests::default();
        self.traced = 0;
        self.steps = STEPS;
    }

    pub(crate) fn set_frame(&mut self, frame: &[u8]) {
        self.buffer.clear();
        self.buffer.reserve(frame.len() + PADDING);
        self.buffer.extend_from_slice(frame);
        self.buffer.extend_from_slice(&[0; PADDING]);
        self.parsed = 0;
    }

    /// Makes it a copy of another packet, headers and metadata included.
    pub(crate) fn copy_from(&mut self, other: &Packet) {
        self.phv.clear();
        self.phv.extend_from_slice(&other.phv);
        self.buffer.clear();
        self.buffer.extend_from_slice(&other.buffer);
        self.parsed = other.parsed;
        self.truncated = usize::MAX;
        self.ingress_port = other.ingress_port;
        self.ingress_length = other.ingress_length;
        self.length = other.length;
        self.parser_error = other.parser_error;
        self.checksum_error = other.checksum_error;
        self.exit = false;
        self.killed = false;
        self.wants = Requests::default();
        self.traced = other.traced;
        self.steps = STEPS;
        self.generation = other.generation;
    }

    /// Bytes of the frame.
    pub(crate) fn frame_len(&self) -> usize {
        self.buffer.len().saturating_sub(PADDING)
    }

    /// The bytes that the parser has left, cut if the packet was truncated.
    pub(crate) fn payload(&self) -> &[u8] {
        let payload = self.buffer.get(self.parsed..self.frame_len()).unwrap_or(&[]);
        &payload[..payload.len().min(self.truncated)]
    }
}
