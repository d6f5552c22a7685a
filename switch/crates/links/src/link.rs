//! One direction of a link: queue, transmitter and wire together.

use crate::config::{LinkConfig, LinkConfigError, us_to_ns};
use crate::queue::DropTail;
use crate::rate::Transmitter;
use crate::wire::Wire;

/// One direction of a link. `Q` is what waits in the queue, `F` what is on the wire (a switch turns the one into the
/// other in egress processing).
///
/// The caller runs it as a discrete-event simulation: ask [`next_event`](Self::next_event) when something happens,
/// call [`advance`](Self::advance) at that time or later, in the order of these times. Before
/// [`enqueue`](Self::enqueue) at some time, everything up to that time has to have been advanced.
#[derive(Debug)]
pub struct Link<Q, F> {
    config: LinkConfig,
    queue: DropTail<Q>,
    transmitter: Transmitter,
    wire: Wire<F>,
    counters: Counters,
    /// Model time of the last dequeue: where `transmit` starts.
    dequeued_ns: u64,
    /// When the trace began, and its next step.
    trace_epoch_ns: u64,
    trace_next: usize,
}

/// What a link has done so far, cumulative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Packets the transmitter has sent (lost ones included: they have used the link).
    pub tx_packets: u64,
    /// Their bytes, frames without FCS.
    pub tx_bytes: u64,
    /// Packets the queue had no room for.
    pub queue_drops: u64,
    /// Packets lost on the wire.
    pub loss_drops: u64,
}

/// A packet that left the queue.
#[derive(Debug)]
pub struct Dequeued<Q> {
    /// What was enqueued.
    pub item: Q,
    /// When it was enqueued, model time.
    pub enqueued_ns: u64,
    /// When it left the queue, model time.
    pub dequeued_ns: u64,
    /// Packets waiting when it came (itself not counted).
    pub enqueue_depth: u32,
    /// Packets waiting when it left (itself not counted).
    pub dequeue_depth: u32,
}

/// What happened.
#[derive(Debug)]
pub enum Event<Q, F> {
    /// A packet is at the transmitter. The caller processes it and calls [`Link::transmit`], or not, if it is dropped;
    /// in both cases before the next [`Link::advance`].
    Dequeued(Dequeued<Q>),
    /// A packet has arrived at the far end.
    Delivered {
        /// The packet.
        frame: F,
        /// When it arrived, model time.
        at_ns: u64,
    },
}

/// What the next event will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// See [`Event::Dequeued`].
    Dequeue,
    /// See [`Event::Delivered`].
    Deliver,
}

impl<Q, F> Link<Q, F> {
    /// A new link; a trace counts from `epoch_ns`.
    pub fn new(config: LinkConfig, epoch_ns: u64) -> Result<Self, LinkConfigError> {
        config.validate()?;
        let mut link = Self {
            queue: DropTail::new(config.queue, config.priorities),
            transmitter: Transmitter::new(config.rate_bps),
            wire: Wire::new(config.delay_ns(), config.loss, config.seed),
            counters: Counters::default(),
            dequeued_ns: 0,
            trace_epoch_ns: epoch_ns,
            trace_next: 0,
            config,
        };
        link.follow_trace(epoch_ns);
        Ok(link)
    }

    /// The description in force (trace steps that have been reached included).
    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Changes the link while it runs. The packet being sent is finished at the old rate; packets on the wire keep
    /// their arrival times; what waits stays. A new seed restarts the loss sequence; a new trace counts from `now_ns`.
    pub fn set_config(&mut self, config: LinkConfig, now_ns: u64) -> Result<(), LinkConfigError> {
        config.validate()?;
        if config.seed != self.config.seed {
            self.wire.set_seed(config.seed);
        }
        if config.trace != self.config.trace {
            self.trace_epoch_ns = now_ns;
            self.trace_next = 0;
        }
        self.config = config;
        self.apply(now_ns);
        self.follow_trace(now_ns);
        Ok(())
    }

    /// Packets waiting (the one being sent is not).
    pub fn queue_packets(&self) -> u64 {
        self.queue.packets()
    }

    /// Bytes waiting.
    pub fn queue_bytes(&self) -> u64 {
        self.queue.bytes()
    }

    /// Cumulative counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A packet of `bytes` bytes comes to the queue at `now_ns`; the larger `priority` (from 0) goes first. Gives it
    /// back, counted as a queue drop, if there is no room.
    pub fn enqueue(&mut self, now_ns: u64, priority: u8, bytes: u32, item: Q) -> Result<(), Q> {
        let idle = self.transmitter.free_at_ns() <= now_ns && !self.transmitter.is_stopped();
        self.queue.push(now_ns, priority, bytes, item, idle).inspect_err(|_| self.counters.queue_drops += 1)
    }

    /// When the next event happens, and which.
    pub fn next_event(&self) -> Option<(u64, EventKind)> {
        let deliver = self.wire.next_arrival_ns();
        match (self.next_dequeue_ns(), deliver) {
            (Some(dequeue), Some(deliver)) if dequeue < deliver => Some((dequeue, EventKind::Dequeue)),
            (_, Some(deliver)) => Some((deliver, EventKind::Deliver)),
            (Some(dequeue), None) => Some((dequeue, EventKind::Dequeue)),
            (None, None) => None,
        }
    }

    /// When the next packet leaves the queue, and when the next one arrives at the far end.
    pub fn next_times_ns(&self) -> (Option<u64>, Option<u64>) {
        (self.next_dequeue_ns(), self.wire.next_arrival_ns())
    }

    /// Does the next event if its time is not after `now_ns`. (A step of the trace may have moved it to later.)
    pub fn advance(&mut self, now_ns: u64) -> Option<Event<Q, F>> {
        let (at_ns, mut kind) = self.next_event().filter(|(at_ns, _)| *at_ns <= now_ns)?;
        if kind == EventKind::Dequeue && self.follow_trace(at_ns) {
            kind = self.next_event().filter(|(at_ns, _)| *at_ns <= now_ns)?.1;
        }
        match kind {
            EventKind::Deliver => self.wire.receive().map(|(at_ns, frame)| Event::Delivered { frame, at_ns }),
            EventKind::Dequeue => self.dequeue(now_ns).map(Event::Dequeued),
        }
    }

    /// Like [`advance`](Self::advance), for the queue alone: what is on the wire stays there.
    pub fn dequeue(&mut self, now_ns: u64) -> Option<Dequeued<Q>> {
        let mut at_ns = self.next_dequeue_ns().filter(|at_ns| *at_ns <= now_ns)?;
        while self.follow_trace(at_ns) {
            at_ns = self.next_dequeue_ns().filter(|at_ns| *at_ns <= now_ns)?;
        }
        let waiting = self.queue.pop()?;
        self.dequeued_ns = at_ns;
        Some(Dequeued {
            item: waiting.item,
            enqueued_ns: waiting.enqueued_ns,
            dequeued_ns: at_ns,
            enqueue_depth: waiting.depth_before,
            dequeue_depth: u32::try_from(self.queue.packets()).unwrap_or(u32::MAX),
        })
    }

    /// Sends the packet dequeued last, which now has `bytes` bytes. Gives it back if it gets lost on the wire.
    pub fn transmit(&mut self, bytes: u32, frame: F) -> Result<(), F> {
        self.send(bytes, frame, 0.0)
    }

    /// The same for a control message, which gets lost besides with the probability `control_loss`.
    pub fn transmit_control(&mut self, bytes: u32, frame: F) -> Result<(), F> {
        self.send(bytes, frame, self.config.control_loss)
    }

    fn send(&mut self, bytes: u32, frame: F, control_loss: f64) -> Result<(), F> {
        let sent_ns = self.transmitter.send(self.dequeued_ns, bytes);
        self.counters.tx_packets += 1;
        self.counters.tx_bytes += u64::from(bytes);
        self.wire.send(sent_ns, frame, control_loss).inspect_err(|_| self.counters.loss_drops += 1)
    }

    fn next_dequeue_ns(&self) -> Option<u64> {
        // With priorities the head may have come while an earlier packet waited already; the transmitter starts as
        // soon as it is free and *anything* is there. Only the head can have come last, and then it alone waits
        // longer than the transmitter is free: everything before it would have been taken.
        let head_ns = self.queue.head_enqueued_ns()?;
        let ready_ns = head_ns.max(self.transmitter.free_at_ns());
        if self.transmitter.is_stopped() {
            // Only the trace can start it again.
            return self.next_running_step_ns().map(|step_ns| step_ns.max(ready_ns));
        }
        Some(ready_ns)
    }

    fn next_running_step_ns(&self) -> Option<u64> {
        let steps = self.config.trace.as_deref()?.get(self.trace_next..)?;
        let step = steps.iter().find(|step| step.rate_bps.is_some_and(|rate| rate > 0))?;
        Some(self.step_ns(step.at_ms))
    }

    fn step_ns(&self, at_ms: f64) -> u64 {
        self.trace_epoch_ns.saturating_add(us_to_ns(at_ms * 1e3))
    }

    /// Takes the steps of the trace up to `now_ns`; says whether there were any.
    fn follow_trace(&mut self, now_ns: u64) -> bool {
        let before = self.trace_next;
        while let Some(step) = self.config.trace.as_deref().and_then(|trace| trace.get(self.trace_next)) {
            let step_ns = self.step_ns(step.at_ms);
            if step_ns > now_ns {
                break;
            }
            let (rate_bps, delay_us, loss) = (step.rate_bps, step.delay_us, step.loss);
            self.trace_next += 1;
            self.config.rate_bps = rate_bps.or(self.config.rate_bps);
            self.config.delay_us = delay_us.unwrap_or(self.config.delay_us);
            self.config.loss = loss.unwrap_or(self.config.loss);
            self.apply(step_ns);
        }
        self.trace_next != before
    }

    /// Makes the description hold from `now_ns` on.
    fn apply(&mut self, now_ns: u64) {
        if self.transmitter.is_stopped() && self.config.rate_bps != Some(0) {
            // Runs again from now on, not from when it stopped.
            self.transmitter.send(now_ns, 0);
        }
        self.queue.set_limit(self.config.queue);
        self.queue.set_priorities(self.config.priorities);
        self.transmitter.set_rate(self.config.rate_bps);
        self.wire.set_delay(self.config.delay_ns());
        self.wire.set_loss(self.config.loss);
    }
}
