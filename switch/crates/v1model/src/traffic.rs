//! The interface between the switch and the owner of its queues.

use crate::packet::Packet;

/// The queues between ingress and egress, which the owner of the switch keeps.
pub trait TrafficManager {
    /// A packet has finished ingress and is to leave by `egress_port`.
    ///
    /// Gives a packet back if the queue is full or the port does not exist: the switch then counts it and recycles its
    /// memory. It may be another one that waited, if the queue drops those first.
    fn enqueue(&mut self, egress_port: u16, place: Place, packet: Box<Packet>) -> Result<(), Box<Packet>>;
}

/// Where the program wants a packet to wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// The queue: metadata `traffic_manager.queue` if the program has that, else `standard_metadata.priority` (0 to 7, larger
    /// is more urgent, as in BMv2).
    pub queue: u16,
    /// Metadata `traffic_manager.rank`, else 0: the smaller one goes first where the queue looks at it.
    pub rank: u64,
}

/// A packet's time in the queue and the queue's length; becomes `enq_*` and `deq_*` of `standard_metadata`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueInfo {
    /// When the packet was enqueued, in the same clock as `now_ns`.
    pub enq_time_ns: u64,
    /// Packets in its queue when this one was enqueued (without it).
    pub enq_qdepth: u32,
    /// How long the packet was in the queue, in nanoseconds (the metadata field has microseconds).
    pub deq_timedelta_ns: u64,
    /// Packets in its queue when this one was taken out (without it).
    pub deq_qdepth: u32,
    /// Their bytes.
    pub queue_bytes: u64,
    /// Packets in all queues of the port when this one was taken out (without it).
    pub port_packets: u64,
    /// Their bytes.
    pub port_bytes: u64,
}

/// A frame that leaves the switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The port it leaves by.
    pub port: u16,
    /// Ethernet frame without FCS. Give the buffer back with [`Switch::recycle_frame`](crate::Switch::recycle_frame) to
    /// save an allocation; dropping it is correct too.
    pub data: Vec<u8>,
}
