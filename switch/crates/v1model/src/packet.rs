//! A packet between ingress and egress.

/// A packet on its way through the switch: header fields, payload, metadata. Opaque outside this crate, and pooled: give
/// packets that a queue throws away later back with [`Switch::recycle`](crate::Switch::recycle).
#[derive(Debug)]
pub struct Packet {
    pub(crate) length: u32,
}

impl Packet {
    /// Length in bytes for queue accounting: the frame as it was received (after `truncate`, at most that length). The
    /// frame that egress processing makes of it may be longer or shorter.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }
}
