//! Methods that switch the trace on and off, and take its events.

use crate::switch::Switch;
use crate::trace::{TraceEvent, TraceFilter, Tracer};

impl Switch {
    /// Traces the packets that the filter chooses, from now on and counted from 1; replaces an earlier filter.
    pub fn trace_on(&mut self, filter: TraceFilter) {
        self.memory.tracer = Some(Box::new(Tracer::new(filter)));
    }

    /// Ends the trace.
    pub fn trace_off(&mut self) {
        self.memory.tracer = None;
    }

    /// Whether there is something to take.
    #[must_use]
    pub fn has_trace(&self) -> bool {
        self.memory.tracer.as_ref().is_some_and(|tracer| tracer.has_events())
    }

    /// The events since the last call, in the order in which they happened.
    pub fn take_trace(&mut self) -> Vec<TraceEvent> {
        self.memory.tracer.as_mut().map_or_else(Vec::new, |tracer| tracer.take())
    }
}
