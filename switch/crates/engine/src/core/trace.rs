//! Traces of chosen packets: begun and ended on the forwarding thread.

use std::sync::mpsc::{Receiver, sync_channel};

use v1model::{TraceEvent, TraceFilter};

use super::Core;
use super::show::ShowError;

/// Batches of events that may wait; then events are lost, never packets held up.
const BACKLOG: usize = 4_096;

/// A trace that is going on: events of one switch in order.
#[derive(Debug)]
pub struct Trace {
    /// The switch's name.
    pub switch: String,
    /// Packets that are traced at most.
    pub count: u32,
    /// The events. It ends when another trace takes over or the engine stops.
    pub events: Receiver<Vec<TraceEvent>>,
}

impl Core {
    pub(crate) fn trace_on(&mut self, switch: Option<&str>, filter: TraceFilter) -> Result<Trace, ShowError> {
        let index = self.node_named(switch)?;
        let node = &mut self.nodes[index];
        let (sender, events) = sync_channel(BACKLOG);
        let count = filter.count();
        node.switch.trace_on(filter);
        node.trace = Some(sender);
        Ok(Trace { switch: node.name.to_string(), count, events })
    }

    pub(crate) fn trace_off(&mut self, switch: Option<&str>) -> Result<(), ShowError> {
        let index = self.node_named(switch)?;
        self.nodes[index].end_trace();
        Ok(())
    }
}
