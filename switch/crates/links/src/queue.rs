//! The drop-tail queue in front of a transmitter.

use std::collections::VecDeque;

use crate::config::{MAX_PRIORITIES, QueueLimit};

/// What waits, with what the model needs to know about it.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    pub(crate) item: T,
    pub(crate) bytes: u32,
    pub(crate) enqueued_ns: u64,
    /// Packets that waited when this one came.
    pub(crate) depth_before: u32,
}

/// Strict-priority drop-tail queues; with one priority, a plain FIFO.
#[derive(Debug)]
pub(crate) struct DropTail<T> {
    bands: Vec<Band<T>>,
    limit: Option<QueueLimit>,
    priorities: u8,
    packets: u64,
    bytes: u64,
}

#[derive(Debug)]
struct Band<T> {
    waiting: VecDeque<Waiting<T>>,
    bytes: u64,
}

impl<T> DropTail<T> {
    pub(crate) fn new(limit: Option<QueueLimit>, priorities: u8) -> Self {
        let mut queue = Self { bands: Vec::new(), limit, priorities: 1, packets: 0, bytes: 0 };
        queue.set_priorities(priorities);
        queue
    }

    /// Holds for what comes from now on; what waits already stays.
    pub(crate) fn set_limit(&mut self, limit: Option<QueueLimit>) {
        self.limit = limit;
    }

    /// Holds for what comes from now on; what waits keeps its place.
    pub(crate) fn set_priorities(&mut self, priorities: u8) {
        self.priorities = priorities.clamp(1, MAX_PRIORITIES);
        while self.bands.len() < usize::from(self.priorities) {
            self.bands.push(Band { waiting: VecDeque::new(), bytes: 0 });
        }
    }

    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds at the tail, or gives the item back if the limit of its priority is reached. With `idle`, the transmitter is
    /// about to take one packet, which therefore does not count.
    pub(crate) fn push(&mut self, now_ns: u64, priority: u8, bytes: u32, item: T, idle: bool) -> Result<(), T> {
        let band_index = usize::from(priority.min(self.priorities - 1));
        let highest_busy = self.bands.iter().rposition(|band| !band.waiting.is_empty());
        let depth_before = u32::try_from(self.packets).unwrap_or(u32::MAX);
        let Some(band) = self.bands.get_mut(band_index) else { return Err(item) };
        // The packet the transmitter takes next: it is as good as gone.
        let (leaving_packets, leaving_bytes) = match band.waiting.front() {
            Some(front) if idle && highest_busy == Some(band_index) => (1, u64::from(front.bytes)),
            None if idle && highest_busy.is_none() => (1, u64::from(bytes)),
            _ => (0, 0),
        };
        let QueueLimit { packets: most_packets, bytes: most_bytes } = self.limit.unwrap_or_default();
        let fits = most_packets.is_none_or(|most| (band.waiting.len() as u64) < most.saturating_add(leaving_packets))
            && most_bytes.is_none_or(|most| band.bytes + u64::from(bytes) <= most.saturating_add(leaving_bytes));
        if !fits {
            return Err(item);
        }
        band.waiting.push_back(Waiting { item, bytes, enqueued_ns: now_ns, depth_before });
        band.bytes += u64::from(bytes);
        self.bytes += u64::from(bytes);
        self.packets += 1;
        Ok(())
    }

    /// When the packet that [`pop`](Self::pop) would give came in.
    pub(crate) fn head_enqueued_ns(&self) -> Option<u64> {
        self.bands.iter().rev().find_map(|band| band.waiting.front()).map(|waiting| waiting.enqueued_ns)
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = T> {
        (self.packets, self.bytes) = (0, 0);
        self.bands.iter_mut().rev().flat_map(|band| {
            band.bytes = 0;
            band.waiting.drain(..).map(|waiting| waiting.item)
        })
    }

    /// Takes the head of the highest priority that has one.
    pub(crate) fn pop(&mut self) -> Option<Waiting<T>> {
        for band in self.bands.iter_mut().rev() {
            if let Some(waiting) = band.waiting.pop_front() {
                band.bytes -= u64::from(waiting.bytes);
                self.bytes -= u64::from(waiting.bytes);
                self.packets -= 1;
                return Some(waiting);
            }
        }
        None
    }
}
