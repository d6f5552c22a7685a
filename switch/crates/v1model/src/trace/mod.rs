//! A trace of chosen packets: every parser state, table, condition and statement on their way through the switch.
//!
//! [`Switch::trace_on`] starts it with a [`TraceFilter`]; [`Switch::take_trace`] takes what has been noted so far. A
//! packet that the filter chooses carries a number that is not 0; everything that notes something asks for that first,
//! so that other packets pay for one comparison a step.

mod event;
mod filter;
pub(crate) mod note;
mod record;
mod text;
mod values;

pub use event::{NamedValue, SourceLine, TraceChange, TraceEvent, TraceHeader, TraceStep};
pub use filter::{FilterError, TraceFilter};
pub use values::{shown as shown_value, shown_match};

use crate::switch::Switch;

/// Events kept until somebody takes them.
const MAX_EVENTS: usize = 262_144;

/// What a switch that traces keeps.
#[derive(Debug)]
pub(crate) struct Tracer {
    filter: TraceFilter,
    /// Packets chosen so far; the last one's number.
    chosen: u32,
    events: Vec<TraceEvent>,
    /// Header vector before a step, to see what the step has changed.
    before: Vec<u64>,
}

impl Tracer {
    /// The number of the packet if it is to be traced, else 0.
    pub fn choose(&mut self, port: u16, frame: &[u8]) -> u32 {
        if self.chosen >= self.filter.count || !self.filter.matches(port, frame) {
            return 0;
        }
        self.chosen += 1;
        self.chosen
    }

    fn push(&mut self, event: TraceEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }
}

impl Switch {
    /// Traces the packets that the filter chooses, from now on and counted from 1; replaces an earlier filter.
    pub fn trace_on(&mut self, filter: TraceFilter) {
        let tracer = Tracer { filter, chosen: 0, events: Vec::new(), before: Vec::new() };
        self.memory.tracer = Some(Box::new(tracer));
    }

    /// Ends the trace.
    pub fn trace_off(&mut self) {
        self.memory.tracer = None;
    }

    /// Whether there is something to take.
    #[must_use]
    pub fn has_trace(&self) -> bool {
        self.memory.tracer.as_ref().is_some_and(|tracer| !tracer.events.is_empty())
    }

    /// What has been noted since the last call, in the order it happened.
    pub fn take_trace(&mut self) -> Vec<TraceEvent> {
        self.memory.tracer.as_mut().map_or_else(Vec::new, |tracer| std::mem::take(&mut tracer.events))
    }
}
