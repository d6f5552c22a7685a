//! The queues in front of a transmitter.

use std::collections::VecDeque;

use crate::config::{Dropped, LinkConfig, MAX_PRIORITIES, PriorityQueue, QueueLimit, SharedLimit};
use crate::round_robin::RoundRobin;
use crate::scheduler::Scheduler;
use crate::time_histogram::TimeHistogram;

/// Where a packet is to wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Its queue, from 0; with strict priorities the larger one goes first.
    pub queue: u16,
    /// The smaller one goes first, where the scheduler looks at ranks.
    pub rank: u64,
}

impl Place {
    /// In this queue.
    #[must_use]
    pub fn of(queue: u16) -> Self {
        Self { queue, rank: 0 }
    }
}

/// Cumulative counters of one queue, and its present length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct QueueCounters {
    /// Packets that began to be sent.
    pub tx_packets: u64,
    /// Their bytes.
    pub tx_bytes: u64,
    /// Packets that found no room.
    pub drops: u64,
    /// Packets that wait.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A waiting packet, with the data that the model needs about it.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    pub(crate) item: T,
    pub(crate) bytes: u32,
    pub(crate) enqueued_ns: u64,
    /// When it may leave: when it came, or later if its queue has a rate of its own.
    turn_ns: u64,
    rank: u64,
    /// Packets of its queue that waited when this one came.
    pub(crate) depth_before: u32,
}

/// The transmitter's state as a packet comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransmitterState {
    /// It sends, or takes nothing.
    Busy,
    /// It is about to take one packet, which therefore does not count against the limit.
    Idle,
    /// It takes as many as there are.
    Infinite,
}

/// The queues of a port, and their scheduler.
#[derive(Debug)]
pub(crate) struct Queues<T> {
    queues: Vec<Queue<T>>,
    limit: Option<QueueLimit>,
    shared: Option<SharedLimit>,
    scheduler: Scheduler,
    /// For schedulers that serve the queues in turn.
    turns: Option<RoundRobin>,
    /// Queues that packets come to; more may have packets from a time when there were more.
    in_use: u16,
    packets: u64,
    bytes: u64,
    /// Since when there is something.
    since_ns: u64,
    /// Whether a queue has a rate of its own, or something waits that came while it had.
    is_paced: bool,
    /// The queue of the packet taken last.
    served: u16,
}

#[derive(Debug)]
struct Queue<T> {
    waiting: VecDeque<Waiting<T>>,
    own: PriorityQueue,
    /// When the packet that came last may leave.
    last_turn_ns: Option<u64>,
    counters: QueueCounters,
    /// How long packets waited.
    waits: TimeHistogram,
}

impl<T> Queue<T> {
    fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            own: PriorityQueue::default(),
            last_turn_ns: None,
            counters: QueueCounters::default(),
            waits: TimeHistogram::default(),
        }
    }

    /// When a packet that comes now may leave.
    fn turn_ns(&self, now_ns: u64) -> u64 {
        match self.own.rate_pps {
            Some(rate) => {
                let next_ns = self.last_turn_ns.map_or(0, |last| last.saturating_add(1_000_000_000 / rate.max(1)));
                now_ns.max(next_ns)
            }
            // Packets that came before, at a rate, go first.
            None => now_ns.max(self.waiting.back().map_or(0, |last| last.turn_ns)),
        }
    }

    fn head_may_leave(&self, at_ns: u64) -> bool {
        self.waiting.front().is_some_and(|head| head.turn_ns <= at_ns)
    }

    fn depth(&self) -> u32 {
        u32::try_from(self.waiting.len()).unwrap_or(u32::MAX)
    }

    fn take_head(&mut self) -> Option<Waiting<T>> {
        let waiting = self.waiting.pop_front()?;
        self.counters.bytes -= u64::from(waiting.bytes);
        self.counters.packets -= 1;
        Some(waiting)
    }
}

impl<T> Queues<T> {
    pub(crate) fn new(config: &LinkConfig) -> Self {
        let mut queues = Self {
            queues: Vec::new(),
            limit: None,
            shared: None,
            scheduler: Scheduler::Strict,
            turns: None,
            in_use: 1,
            packets: 0,
            bytes: 0,
            since_ns: 0,
            is_paced: false,
            served: 0,
        };
        queues.set(config);
        queues
    }

    /// Takes limits, priorities and the scheduler for packets that come from now on; waiting packets keep their places.
    pub(crate) fn set(&mut self, config: &LinkConfig) {
        (self.limit, self.shared) = (config.queue, config.shared_queue);
        self.in_use = config.scheduler.queues(config.priorities.clamp(1, MAX_PRIORITIES)).max(1);
        // Packets may wait in queues that are no longer in use: all keep their turns.
        let count = usize::from(self.in_use).max(self.queues.len());
        self.queues.resize_with(count, Queue::new);
        if config.scheduler != self.scheduler {
            self.scheduler.clone_from(&config.scheduler);
            self.turns = self.scheduler.turns(count);
            for (number, queue) in (0..).zip(&self.queues) {
                if let (Some(turns), false) = (&mut self.turns, queue.waiting.is_empty()) {
                    turns.arrived(number);
                }
            }
        }
        for (index, queue) in self.queues.iter_mut().enumerate() {
            queue.own = config.priority_queues.get(index).copied().unwrap_or_default();
        }
        let has_rate = self.queues.iter().any(|queue| queue.own.rate_pps.is_some());
        self.is_paced = has_rate || (self.is_paced && self.packets > 0);
    }

    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets that wait in one queue.
    pub(crate) fn depth(&self, queue: u16) -> u32 {
        self.queues.get(usize::from(queue)).map_or(0, Queue::depth)
    }

    /// Their bytes.
    pub(crate) fn bytes_of(&self, queue: u16) -> u64 {
        self.queues.get(usize::from(queue)).map_or(0, |queue| queue.counters.bytes)
    }

    /// Counters of every queue.
    pub(crate) fn counters(&self) -> impl ExactSizeIterator<Item = QueueCounters> {
        self.queues.iter().map(|queue| queue.counters)
    }

    /// How long packets waited in each queue.
    pub(crate) fn waits(&self) -> impl Iterator<Item = &TimeHistogram> {
        self.queues.iter().map(|queue| &queue.waits)
    }

    /// Starts these afresh.
    pub(crate) fn reset_waits(&mut self) {
        for queue in &mut self.queues {
            queue.waits.reset();
        }
    }

    /// Adds a packet at its place. Gives a packet back if there is no room: this one, or the first of the longest queue.
    pub(crate) fn push(
        &mut self,
        now_ns: u64,
        place: Place,
        bytes: u32,
        item: T,
        transmitter: TransmitterState,
    ) -> Result<(), T> {
        let number = place.queue.min(self.in_use - 1);
        let index = usize::from(number);
        let is_idle = transmitter != TransmitterState::Busy;
        let next = if is_idle { self.choose(now_ns) } else { None };
        let (limit, shared) = (self.limit.unwrap_or_default(), self.shared);
        let Some(queue) = self.queues.get_mut(index) else { return Err(item) };
        let turn_ns = queue.turn_ns(now_ns);
        let may_leave_now = turn_ns <= now_ns;
        // The packet the transmitter takes next: it is as good as gone.
        let (leaving_packets, leaving_bytes) = match queue.waiting.front() {
            Some(front) if is_idle && next == Some(index) => (1, u64::from(front.bytes)),
            None if is_idle && next.is_none() && may_leave_now => (1, u64::from(bytes)),
            _ => (0, 0),
        };
        let (most_packets, most_bytes) = match queue.own.packets {
            Some(packets) => (Some(packets), None),
            None => (limit.packets, limit.bytes),
        };
        let fits = most_packets.is_none_or(|most| (queue.waiting.len() as u64) < most.saturating_add(leaving_packets))
            && most_bytes
                .is_none_or(|most| queue.counters.bytes + u64::from(bytes) <= most.saturating_add(leaving_bytes));
        let leaving = u64::from(is_idle && (next.is_some() || may_leave_now));
        let is_full = shared.is_some_and(|shared| self.packets >= shared.packets.saturating_add(leaving));
        let replaces = is_full && shared.is_some_and(|shared| shared.drops == Dropped::Longest);
        // Nothing waits where everything leaves at once, though several packets may come at the same time.
        let passes = transmitter == TransmitterState::Infinite && may_leave_now;
        let has_room = passes || (fits && (!is_full || replaces));
        if queue.own.packets == Some(0) || !has_room {
            queue.counters.drops += 1;
            return Err(item);
        }
        queue.last_turn_ns = Some(turn_ns);
        let depth_before = queue.depth();
        let waiting = Waiting { item, bytes, enqueued_ns: now_ns, turn_ns, rank: place.rank, depth_before };
        let is_ranked = matches!(self.scheduler, Scheduler::Pifo(_));
        let last = queue.waiting.len();
        let at = if is_ranked { queue.waiting.partition_point(|other| other.rank <= place.rank) } else { last };
        if at == last {
            queue.waiting.push_back(waiting)
        } else {
            queue.waiting.insert(at, waiting)
        }
        queue.counters.packets += 1;
        queue.counters.bytes += u64::from(bytes);
        if self.packets == 0 {
            self.since_ns = now_ns;
        }
        self.bytes += u64::from(bytes);
        self.packets += 1;
        if let Some(turns) = &mut self.turns {
            turns.arrived(number);
        }
        if replaces && !passes { self.drop_of_longest() } else { Ok(()) }
    }

    /// Takes out the first packet of the queue with most bytes.
    fn drop_of_longest(&mut self) -> Result<(), T> {
        let longest = self.queues.iter().enumerate().rev().max_by_key(|(_, queue)| queue.counters.bytes);
        let Some((index, _)) = longest else { return Ok(()) };
        match self.take_head(index) {
            Some(waiting) => {
                self.queues[index].counters.drops += 1;
                Err(waiting.item)
            }
            None => Ok(()),
        }
    }

    fn take_head(&mut self, index: usize) -> Option<Waiting<T>> {
        let waiting = self.queues.get_mut(index)?.take_head()?;
        self.bytes -= u64::from(waiting.bytes);
        self.packets -= 1;
        if let Some(turns) = &mut self.turns {
            turns.taken();
        }
        Some(waiting)
    }

    /// The queue that is served at that time.
    fn choose(&mut self, at_ns: u64) -> Option<usize> {
        if self.packets == 0 {
            return None;
        }
        let Self { queues, turns, .. } = self;
        match (&self.scheduler, turns) {
            (_, Some(turns)) => turns.choose(|number| queues[usize::from(number)].waiting.is_empty()).map(usize::from),
            (Scheduler::Pifo(_), None) => {
                let heads =
                    queues.iter().enumerate().filter_map(|(index, queue)| Some((index, queue.waiting.front()?)));
                heads.min_by_key(|(_, head)| (head.rank, head.enqueued_ns)).map(|(index, _)| index)
            }
            _ if self.is_paced => queues.iter().rposition(|queue| queue.head_may_leave(at_ns)),
            _ => queues.iter().rposition(|queue| !queue.waiting.is_empty()),
        }
    }

    /// From when on [`pop`](Self::pop) gives a packet.
    pub(crate) fn head_turn_ns(&self) -> Option<u64> {
        if self.packets == 0 {
            return None;
        }
        let mut heads = self.queues.iter().rev().filter_map(|queue| queue.waiting.front()).map(|head| head.turn_ns);
        match self.scheduler {
            Scheduler::Strict if self.is_paced => heads.min(),
            Scheduler::Strict => heads.next(),
            // That which came first may have left. Then the transmitter is busy for longer than this says.
            _ => Some(self.since_ns),
        }
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = T> {
        (self.packets, self.bytes) = (0, 0);
        if let Some(turns) = &mut self.turns {
            turns.taken();
        }
        self.queues.iter_mut().rev().flat_map(|queue| {
            (queue.counters.packets, queue.counters.bytes) = (0, 0);
            queue.waiting.drain(..).map(|waiting| waiting.item)
        })
    }

    /// Takes the packet that is served next, and says of which queue it is.
    pub(crate) fn pop(&mut self, at_ns: u64) -> Option<(u16, Waiting<T>)> {
        let index = self.choose(at_ns)?;
        let waiting = self.take_head(index)?;
        self.served = u16::try_from(index).ok()?;
        if let Some(queue) = self.queues.get_mut(index) {
            queue.waits.record(at_ns.saturating_sub(waiting.enqueued_ns));
        }
        Some((self.served, waiting))
    }

    /// The packet taken last is being sent, with so many bytes.
    pub(crate) fn sent(&mut self, bytes: u64) {
        if let Some(queue) = self.queues.get_mut(usize::from(self.served)) {
            queue.counters.tx_packets += 1;
            queue.counters.tx_bytes += bytes;
        }
        if let Some(turns) = &mut self.turns {
            turns.sent(self.served, bytes);
        }
    }
}
