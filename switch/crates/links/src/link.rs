//! One direction of a link: queue, transmitter and wire together.

use serde::Serialize;

use crate::config::{LinkConfig, LinkConfigError, us_to_ns};
use crate::loss_model::LossModel;
use crate::losses::Losses;
use crate::queue::{Place, QueueCounters, Queues, TransmitterState};
use crate::rate::{NEVER, Transmitter};
use crate::time_histogram::TimeHistogram;
use crate::trace::RunningTrace;
use crate::wire::Wire;

/// One direction of a link. `Q` is a packet in the queue, `F` the frame on the wire (a switch turns the one into the
/// other in egress processing).
///
/// The caller runs it as a discrete-event simulation: ask [`next_times_ns`](Self::next_times_ns) when something happens,
/// call [`advance`](Self::advance) at that time or later, in the order of these times. Before anything else is done at
/// some time ([`enqueue`](Self::enqueue), [`set_config`](Self::set_config), …), everything up to that time has to have been
/// advanced.
#[derive(Debug)]
pub struct Link<Q, F> {
    config: LinkConfig,
    in_force: InForce,
    queue: Queues<Q>,
    transmitter: Transmitter,
    wire: Wire<F>,
    losses: Losses,
    trace: Option<RunningTrace>,
    counters: Counters,
    /// Model time of the last dequeue: where `transmit` starts.
    dequeued_ns: u64,
    /// When the transmitter was let run after a stop.
    resumed_ns: u64,
    /// Whether the receiver behind the link takes nothing at the moment.
    is_held: bool,
}

/// The present values of the settings that a trace changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InForce {
    /// Bits a second.
    pub rate_bps: Option<u64>,
    /// Microseconds.
    pub delay_us: f64,
    /// Losses of all packets.
    pub loss: LossModel,
}

/// Cumulative counters of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Packets the transmitter has begun to send (lost ones included: they have used the link).
    pub tx_packets: u64,
    /// Their bytes, frames without FCS.
    pub tx_bytes: u64,
    /// Packets the queue had no room for.
    pub queue_drops: u64,
    /// Packets lost on the wire by a loss model.
    pub loss_drops: u64,
    /// Packets that came, waited or were on their way while the link was not up.
    pub down_drops: u64,
}

/// The packets lost when a link went down.
#[derive(Debug)]
pub struct Cut<Q, F> {
    /// Packets that waited.
    pub waiting: Vec<Q>,
    /// Frames that were on their way.
    pub frames: Vec<F>,
}

/// A packet that left the queue.
#[derive(Debug)]
pub struct Dequeued<Q> {
    /// The packet as it was enqueued.
    pub item: Q,
    /// When it was enqueued, model time.
    pub enqueued_ns: u64,
    /// When it left the queue, model time.
    pub dequeued_ns: u64,
    /// Packets of its queue waiting when it came (itself not counted).
    pub enqueue_depth: u32,
    /// Packets of its queue waiting when it left (itself not counted).
    pub dequeue_depth: u32,
    /// Their bytes.
    pub queue_bytes: u64,
    /// Packets waiting in all queues when it left (itself not counted).
    pub port_packets: u64,
    /// Their bytes.
    pub port_bytes: u64,
}

/// An event on a link.
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

impl<Q, F> Link<Q, F> {
    /// A new link. Its trace waits for [`start_trace`](Self::start_trace).
    ///
    /// # Errors
    /// A field of the description is out of range.
    pub fn new(config: LinkConfig) -> Result<Self, LinkConfigError> {
        config.validate()?;
        Ok(Self {
            queue: Queues::new(&config),
            transmitter: Transmitter::new(config.rate_pps.or(config.rate_bps)),
            wire: Wire::of(&config),
            losses: Losses::new(&config.loss, &config.filtered_loss, config.seed),
            trace: None,
            counters: Counters::default(),
            dequeued_ns: 0,
            resumed_ns: 0,
            is_held: false,
            in_force: InForce::described(&config),
            config,
        })
    }

    /// The description, as it was given and changed; a trace does not change it.
    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// The values in force at the moment. (Steps of a trace at which nothing is being sent are taken when the next
    /// packet comes.)
    pub fn in_force(&self) -> &InForce {
        &self.in_force
    }

    /// Changes the link while it runs. `is_given` says which JSON fields of `config` the change names; a rate, delay or loss
    /// that it does not name stays as a running trace has set it.
    ///
    /// The rest of the packet being sent goes out at the new rate. Packets whose last bit has been sent keep their
    /// arrival times, and none overtakes another. Waiting packets stay, even above a new limit. A given seed begins the
    /// loss sequences anew. A given trace ends the running one and waits for [`start_trace`](Self::start_trace). A link
    /// that goes down loses its waiting packets and the frames on their way. They are given back.
    ///
    /// # Errors
    /// A field of the description is out of range; nothing has changed then.
    pub fn set_config(
        &mut self,
        config: LinkConfig,
        is_given: impl Fn(&str) -> bool,
        now_ns: u64,
    ) -> Result<Cut<Q, F>, LinkConfigError> {
        config.validate()?;
        self.settle(now_ns);
        let was_up = self.config.up;
        if self.config.rate_pps.is_some() != config.rate_pps.is_some() {
            self.transmitter.change_unit(now_ns);
        }
        self.config = config;
        self.queue.set(&self.config);
        let ends_trace = is_given("trace") || is_given("trace_repeats");
        if ends_trace {
            self.trace = None;
        }
        let is_new = |field| is_given(field) || ends_trace;
        if is_new("rate_bps") {
            self.in_force.rate_bps = self.config.rate_bps;
        }
        if is_new("delay_us") {
            self.in_force.delay_us = self.config.delay_us;
        }
        if is_new("loss") {
            self.in_force.loss = self.config.loss.clone();
        }
        self.wire.set_jitter(us_to_ns(self.config.jitter_us));
        if is_given("seed") {
            self.wire.set_seed(self.config.seed);
            self.losses = Losses::new(&self.in_force.loss, &self.config.filtered_loss, self.config.seed);
        } else {
            self.losses.set_filtered(&self.config.filtered_loss, self.config.seed);
        }
        self.apply(now_ns);
        let goes_down = was_up && !self.config.up;
        Ok(if goes_down { self.cut(now_ns) } else { Cut { waiting: Vec::new(), frames: Vec::new() } })
    }

    /// Puts the description's values in force and starts its trace, if it has one: its times count from `start_ns`, which is
    /// `now_ns` or later. A trace that is running ends.
    pub fn start_trace(&mut self, start_ns: u64, now_ns: u64) {
        self.stop_trace(now_ns);
        let steps = self.config.trace.clone().unwrap_or_default();
        self.trace = RunningTrace::new(steps, self.config.trace_repeats, start_ns);
        self.settle(now_ns);
    }

    /// Ends the trace: the description's values are in force again.
    pub fn stop_trace(&mut self, now_ns: u64) {
        self.settle(now_ns);
        self.trace = None;
        self.in_force = InForce::described(&self.config);
        self.apply(now_ns);
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

    /// Cumulative counters of each queue; of one, if the port has no more.
    pub fn queue_counters(&self) -> impl ExactSizeIterator<Item = QueueCounters> {
        self.queue.counters()
    }

    /// How long packets that left each queue had waited in it.
    pub fn queue_waits(&self) -> impl Iterator<Item = &TimeHistogram> {
        self.queue.waits()
    }

    /// Starts these afresh.
    pub fn reset_queue_waits(&mut self) {
        self.queue.reset_waits();
    }

    /// A packet of `bytes` bytes comes to its place at `now_ns`. Gives a packet back, counted, if there is no room or the
    /// link is down: this one, or that of the longest queue if the description says so.
    pub fn enqueue(&mut self, now_ns: u64, place: Place, bytes: u32, item: Q) -> Result<(), Q> {
        if !self.config.up {
            self.counters.down_drops += 1;
            return Err(item);
        }
        self.settle(now_ns);
        let transmitter = if self.is_held || self.transmitter.is_stopped() || self.transmitter.free_at_ns() > now_ns {
            TransmitterState::Busy
        } else if self.transmitter.is_infinite() {
            TransmitterState::Infinite
        } else {
            TransmitterState::Idle
        };
        self.queue.push(now_ns, place, bytes, item, transmitter).inspect_err(|_| self.counters.queue_drops += 1)
    }

    /// Whether packets stay in the queue from `now_ns` on, since the receiver behind the link takes no more. Packets
    /// that have left the queue go on.
    pub fn hold(&mut self, is_held: bool, now_ns: u64) {
        if self.is_held && !is_held {
            self.resumed_ns = self.resumed_ns.max(now_ns);
        }
        self.is_held = is_held;
    }

    /// The time of the next event at the near end, and the time at which the next packet arrives at the far end. An
    /// event at the near end is a packet that leaves the queue, or a step of the trace that changes the transmitter's
    /// work.
    pub fn next_times_ns(&self) -> (Option<u64>, Option<u64>) {
        let dequeue = self.next_dequeue_ns();
        let first = match self.next_step_ns() {
            Some(step) => Some(dequeue.map_or(step, |dequeue| dequeue.min(step))),
            None => dequeue,
        };
        (first, self.wire.next_arrival_ns())
    }

    /// Does the next event if its time is not after `now_ns`.
    pub fn advance(&mut self, now_ns: u64) -> Option<Event<Q, F>> {
        loop {
            let arrival_ns = self.wire.next_arrival_ns().unwrap_or(NEVER);
            let dequeue_ns = self.next_dequeue_ns().unwrap_or(NEVER);
            let next_ns = arrival_ns.min(dequeue_ns);
            if let Some(step_ns) = self.next_step_ns()
                && step_ns <= next_ns
                && step_ns <= now_ns
            {
                self.take_step(step_ns);
            } else if next_ns > now_ns || next_ns == NEVER {
                return None;
            } else if dequeue_ns < arrival_ns {
                return self.take_head(dequeue_ns).map(Event::Dequeued);
            } else {
                return self.wire.receive().map(|(at_ns, frame)| Event::Delivered { frame, at_ns });
            }
        }
    }

    /// Like [`advance`](Self::advance), for the queue alone: packets on the wire stay there.
    pub fn dequeue(&mut self, now_ns: u64) -> Option<Dequeued<Q>> {
        loop {
            let dequeue_ns = self.next_dequeue_ns().unwrap_or(NEVER);
            if let Some(step_ns) = self.next_step_ns()
                && step_ns <= dequeue_ns
                && step_ns <= now_ns
            {
                self.take_step(step_ns);
            } else if dequeue_ns > now_ns || dequeue_ns == NEVER {
                return None;
            } else {
                return self.take_head(dequeue_ns);
            }
        }
    }

    fn take_head(&mut self, at_ns: u64) -> Option<Dequeued<Q>> {
        let (queue, waiting) = self.queue.pop(at_ns)?;
        self.dequeued_ns = at_ns;
        Some(Dequeued {
            item: waiting.item,
            enqueued_ns: waiting.enqueued_ns,
            dequeued_ns: at_ns,
            enqueue_depth: waiting.depth_before,
            dequeue_depth: self.queue.depth(queue),
            queue_bytes: self.queue.bytes_of(queue),
            port_packets: self.queue.packets(),
            port_bytes: self.queue.bytes(),
        })
    }

    fn next_dequeue_ns(&self) -> Option<u64> {
        let head_ns = self.queue.head_turn_ns()?;
        if self.is_held || self.transmitter.is_stopped() {
            return None;
        }
        Some(head_ns.max(self.transmitter.free_at_ns()).max(self.resumed_ns))
    }

    /// When the trace changes the transmitter's work on the packets it has. Other steps can wait until there are some.
    fn next_step_ns(&self) -> Option<u64> {
        let trace = self.trace.as_ref()?;
        let step_ns = trace.next_ns()?;
        let is_felt = if self.transmitter.is_stopped() {
            trace.can_resume() && (self.queue.packets() > 0 || self.transmitter.free_at_ns() == NEVER)
        } else {
            // A step at the very end of a packet holds for it.
            step_ns <= self.transmitter.free_at_ns()
        };
        is_felt.then_some(step_ns)
    }

    /// Takes the steps of the trace up to `now_ns`.
    fn settle(&mut self, now_ns: u64) {
        let mut rounds = 0;
        while let Some(step_ns) = self.trace.as_ref().and_then(RunningTrace::next_ns)
            && step_ns <= now_ns
        {
            self.take_step(step_ns);
            if let Some(trace) = &mut self.trace
                && trace.is_between_rounds()
            {
                rounds += 1;
                // Nothing has been sent for a long time, and nobody has felt the steps.
                if rounds >= 2 && self.queue.packets() == 0 && self.transmitter.free_at_ns() < step_ns {
                    trace.skip_rounds(now_ns);
                }
            }
        }
    }

    fn take_step(&mut self, step_ns: u64) {
        let Some(step) = self.trace.as_mut().and_then(RunningTrace::take) else { return };
        if let Some(rate_bps) = step.rate_bps {
            self.in_force.rate_bps = Some(rate_bps);
        }
        if let Some(delay_us) = step.delay_us {
            self.in_force.delay_us = delay_us;
        }
        if let Some(loss) = &step.loss {
            self.in_force.loss.clone_from(loss);
        }
        self.apply(step_ns);
    }

    /// Applies the values in force from `now_ns` on.
    fn apply(&mut self, now_ns: u64) {
        let rate = self.config.rate_pps.or(self.in_force.rate_bps);
        if self.transmitter.is_stopped() && rate != Some(0) {
            // The first waiting packet starts now, not when the transmitter was stopped.
            self.resumed_ns = now_ns;
        }
        let is_sending = self.transmitter.free_at_ns() >= now_ns;
        self.transmitter.set_rate(now_ns, rate);
        self.wire.set_delay(us_to_ns(self.in_force.delay_us));
        if is_sending {
            self.wire.moved(self.transmitter.free_at_ns());
        }
        self.losses.set_model(&self.in_force.loss);
    }

    fn cut(&mut self, now_ns: u64) -> Cut<Q, F> {
        self.counters.down_drops += self.queue.packets() + self.wire.packets() as u64;
        self.transmitter.cut(now_ns);
        Cut { waiting: self.queue.clear().collect(), frames: self.wire.clear().collect() }
    }
}

impl<Q, F: AsRef<[u8]>> Link<Q, F> {
    /// Sends the packet dequeued last as this frame. Gives it back if it gets lost on the wire.
    pub fn transmit(&mut self, frame: F) -> Result<(), F> {
        let bytes = frame.as_ref().len();
        let sent_ns = match self.config.rate_pps {
            None => self.transmitter.send(self.dequeued_ns, bytes),
            Some(_) => self.transmitter.send_one(self.dequeued_ns),
        };
        self.counters.tx_packets += 1;
        self.counters.tx_bytes += bytes as u64;
        self.queue.sent(bytes as u64);
        if self.losses.loses(frame.as_ref()) {
            self.counters.loss_drops += 1;
            self.wire.lose();
            return Err(frame);
        }
        self.wire.send(sent_ns, frame);
        Ok(())
    }
}

impl InForce {
    fn described(config: &LinkConfig) -> Self {
        Self { rate_bps: config.rate_bps, delay_us: config.delay_us, loss: config.loss.clone() }
    }
}
