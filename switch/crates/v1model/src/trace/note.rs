//! Steps outside parser, pipelines and deparser.

use super::event::TraceStep;
use super::values::hex_of;
use crate::traffic::QueueInfo;
use crate::types::Replica;

/// A frame that comes in.
pub(crate) fn received(port: u16, frame: &[u8]) -> TraceStep {
    TraceStep::Received { port, length: frame.len(), data: hex_of(frame) }
}

/// A frame that leaves.
pub(crate) fn sent(port: u16, frame: &[u8]) -> TraceStep {
    TraceStep::Sent { port, length: frame.len(), data: hex_of(frame) }
}

/// The end of a packet.
pub(crate) fn dropped(reason: &str) -> TraceStep {
    TraceStep::Dropped { reason: reason.to_owned() }
}

/// Copies for each replica.
pub(crate) fn copied(kind: &str, id: u32, replicas: &[Replica]) -> TraceStep {
    TraceStep::Copied { kind: kind.to_owned(), id, ports: replicas.iter().map(|replica| replica.port).collect() }
}

/// The queue has released it.
pub(crate) fn egress(port: u16, queue: &QueueInfo) -> TraceStep {
    TraceStep::Egress { port, enq_qdepth: queue.enq_qdepth, deq_timedelta_us: queue.deq_timedelta_ns / 1_000 }
}
