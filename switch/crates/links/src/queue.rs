//! The drop-tail queue in front of a transmitter.

use std::collections::VecDeque;

use crate::config::{MAX_PRIORITIES, PriorityQueue, QueueLimit};

/// A waiting packet, with the data that the model needs about it.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    pub(crate) item: T,
    pub(crate) bytes: u32,
    pub(crate) enqueued_ns: u64,
    /// When it may leave: when it came, or later if its priority has a rate of its own.
    turn_ns: u64,
    /// Packets of its priority that waited when this one came.
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

/// Strict-priority drop-tail queues; with one priority, a plain FIFO.
#[derive(Debug)]
pub(crate) struct DropTail<T> {
    bands: Vec<Band<T>>,
    limit: Option<QueueLimit>,
    priorities: u8,
    packets: u64,
    bytes: u64,
    /// Whether a priority has a rate of its own, or something waits that came while it had.
    is_paced: bool,
}

#[derive(Debug)]
struct Band<T> {
    waiting: VecDeque<Waiting<T>>,
    bytes: u64,
    own: PriorityQueue,
    /// When the packet that came last may leave.
    last_turn_ns: Option<u64>,
}

impl<T> Band<T> {
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
}

impl<T> DropTail<T> {
    pub(crate) fn new(limit: Option<QueueLimit>, priorities: u8, own: &[PriorityQueue]) -> Self {
        let mut queue = Self { bands: Vec::new(), limit, priorities: 1, packets: 0, bytes: 0, is_paced: false };
        queue.set_priorities(priorities, own);
        queue
    }

    /// Sets the limit for packets that come from now on; packets that wait already stay.
    pub(crate) fn set_limit(&mut self, limit: Option<QueueLimit>) {
        self.limit = limit;
    }

    /// Sets the priorities for packets that come from now on; waiting packets keep their places.
    pub(crate) fn set_priorities(&mut self, priorities: u8, own: &[PriorityQueue]) {
        self.priorities = priorities.clamp(1, MAX_PRIORITIES);
        while self.bands.len() < usize::from(self.priorities) {
            let own = PriorityQueue::default();
            self.bands.push(Band { waiting: VecDeque::new(), bytes: 0, own, last_turn_ns: None });
        }
        for (index, band) in self.bands.iter_mut().enumerate() {
            band.own = own.get(index).copied().unwrap_or_default();
        }
        let has_rate = self.bands.iter().any(|band| band.own.rate_pps.is_some());
        self.is_paced = has_rate || (self.is_paced && self.packets > 0);
    }

    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }

    /// Packets of one priority.
    pub(crate) fn depth(&self, priority: u8) -> u32 {
        let waiting = self.bands.get(usize::from(priority)).map_or(0, |band| band.waiting.len());
        u32::try_from(waiting).unwrap_or(u32::MAX)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds at the tail, or gives the item back if the limit of its priority is reached.
    pub(crate) fn push(
        &mut self,
        now_ns: u64,
        priority: u8,
        bytes: u32,
        item: T,
        transmitter: TransmitterState,
    ) -> Result<(), T> {
        let priority = priority.min(self.priorities - 1);
        let band_index = usize::from(priority);
        let next = self.next_band(now_ns);
        let depth_before = self.depth(priority);
        let limit = self.limit.unwrap_or_default();
        let Some(band) = self.bands.get_mut(band_index) else { return Err(item) };
        let turn_ns = band.turn_ns(now_ns);
        let may_leave_now = turn_ns <= now_ns;
        // The packet the transmitter takes next: it is as good as gone.
        let is_idle = transmitter != TransmitterState::Busy;
        let (leaving_packets, leaving_bytes) = match band.waiting.front() {
            Some(front) if is_idle && next == Some(band_index) => (1, u64::from(front.bytes)),
            None if is_idle && next.is_none() && may_leave_now => (1, u64::from(bytes)),
            _ => (0, 0),
        };
        let (most_packets, most_bytes) = match band.own.packets {
            Some(packets) => (Some(packets), None),
            None => (limit.packets, limit.bytes),
        };
        let fits = most_packets.is_none_or(|most| (band.waiting.len() as u64) < most.saturating_add(leaving_packets))
            && most_bytes.is_none_or(|most| band.bytes + u64::from(bytes) <= most.saturating_add(leaving_bytes));
        // Nothing waits where everything leaves at once, though several packets may come at the same time.
        let passes = transmitter == TransmitterState::Infinite && may_leave_now;
        if band.own.packets == Some(0) || !(fits || passes) {
            return Err(item);
        }
        band.last_turn_ns = Some(turn_ns);
        band.waiting.push_back(Waiting { item, bytes, enqueued_ns: now_ns, turn_ns, depth_before });
        band.bytes += u64::from(bytes);
        self.bytes += u64::from(bytes);
        self.packets += 1;
        Ok(())
    }

    /// The priority that is served at that time.
    fn next_band(&self, at_ns: u64) -> Option<usize> {
        if self.is_paced {
            self.bands.iter().rposition(|band| band.head_may_leave(at_ns))
        } else {
            self.bands.iter().rposition(|band| !band.waiting.is_empty())
        }
    }

    /// From when on [`pop`](Self::pop) gives a packet.
    pub(crate) fn head_turn_ns(&self) -> Option<u64> {
        let mut heads = self.bands.iter().rev().filter_map(|band| band.waiting.front()).map(|head| head.turn_ns);
        if self.is_paced { heads.min() } else { heads.next() }
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = T> {
        (self.packets, self.bytes) = (0, 0);
        self.bands.iter_mut().rev().flat_map(|band| {
            band.bytes = 0;
            band.waiting.drain(..).map(|waiting| waiting.item)
        })
    }

    /// Takes the head of the highest priority that has one which may leave, and says which priority that is.
    pub(crate) fn pop(&mut self, at_ns: u64) -> Option<(u8, Waiting<T>)> {
        let index = self.next_band(at_ns)?;
        let band = self.bands.get_mut(index)?;
        let waiting = band.waiting.pop_front()?;
        band.bytes -= u64::from(waiting.bytes);
        self.bytes -= u64::from(waiting.bytes);
        self.packets -= 1;
        u8::try_from(index).ok().map(|priority| (priority, waiting))
    }
}
