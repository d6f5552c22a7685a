//! A trace of chosen packets: every parser state, table, condition and statement on their way through the switch.
//!
//! [`Switch::trace_on`](crate::Switch::trace_on) starts it with a [`TraceFilter`];
//! [`Switch::take_trace`](crate::Switch::take_trace) takes the events noted so far. A packet that the filter chooses
//! carries a number that is not 0. Code that notes an event checks that number first, so that other packets pay for one
//! comparison a step.

mod event;
mod filter;
pub(crate) mod note;
mod text;
mod values;

pub use event::{NamedValue, SourceLine, TraceChange, TraceEvent, TraceHeader, TraceStep};
pub use filter::{FilterError, TraceFilter};
pub use values::{shown as shown_value, shown_match};
pub(crate) use values::{shown_in_header, shown_limbs};

/// Events kept until somebody takes them.
const MAX_EVENTS: usize = 262_144;

/// The state of a switch's trace.
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
    /// Nothing chosen yet.
    pub fn new(filter: TraceFilter) -> Self {
        Self { filter, chosen: 0, events: Vec::new(), before: Vec::new() }
    }

    /// The number of the packet if it is to be traced, else 0.
    pub fn choose(&mut self, port: u16, frame: &[u8]) -> u32 {
        if self.chosen >= self.filter.count || !self.filter.matches(port, frame) {
            return 0;
        }
        self.chosen += 1;
        self.chosen
    }

    /// Whether only tables, registers and other steps that are more than computation are noted.
    pub fn is_brief(&self) -> bool {
        self.filter.brief
    }

    /// Keeps an event, if there is room.
    pub fn push(&mut self, event: TraceEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }

    /// Keeps the header vector before a step.
    pub fn keep(&mut self, phv: &[u64]) {
        self.before.clear();
        self.before.extend_from_slice(phv);
    }

    /// The header vector before the step.
    pub fn before(&self) -> &[u64] {
        &self.before
    }

    /// Whether there is something to take.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Takes the events so far.
    pub fn take(&mut self) -> Vec<TraceEvent> {
        std::mem::take(&mut self.events)
    }
}
