//! Queues that are served in turn, each for a share of bytes or packets.

use std::collections::VecDeque;

/// The lists of RFC 8290, section 4.2: queues that were empty, and the others. A queue whose credit is used up goes to the end
/// of the others with a new share; one that is found empty goes too, or leaves.
#[derive(Debug)]
pub(crate) struct RoundRobin {
    /// Of each queue, in a round.
    shares: Vec<i64>,
    /// The rest of each share; a queue sends at most one packet more than it has.
    credits: Vec<i64>,
    is_listed: Vec<bool>,
    new: VecDeque<u16>,
    old: VecDeque<u16>,
    new_first: bool,
    counts_bytes: bool,
    /// The choice holds until the packet is taken.
    chosen: Option<u16>,
}

impl RoundRobin {
    pub(crate) fn of_bytes(shares: Vec<i64>, new_first: bool) -> Self {
        Self {
            credits: vec![0; shares.len()],
            is_listed: vec![false; shares.len()],
            shares,
            new: VecDeque::new(),
            old: VecDeque::new(),
            new_first,
            counts_bytes: true,
            chosen: None,
        }
    }

    pub(crate) fn of_packets(shares: Vec<i64>) -> Self {
        Self { counts_bytes: false, ..Self::of_bytes(shares, false) }
    }

    /// A packet has come to the queue.
    pub(crate) fn arrived(&mut self, queue: u16) {
        let index = usize::from(queue);
        if let (Some(is_listed), Some(credit)) = (self.is_listed.get_mut(index), self.credits.get_mut(index))
            && !*is_listed
        {
            (*is_listed, *credit) = (true, self.shares[index]);
            if self.new_first { self.new.push_back(queue) } else { self.old.push_back(queue) }
        }
    }

    /// The queue that is served next.
    pub(crate) fn choose(&mut self, is_empty: impl Fn(u16) -> bool) -> Option<u16> {
        while self.chosen.is_none() {
            let is_new = !self.new.is_empty();
            let queue = if is_new { self.new.pop_front() } else { self.old.pop_front() }?;
            let index = usize::from(queue);
            if self.credits[index] <= 0 {
                self.credits[index] += self.shares[index];
                self.old.push_back(queue);
            } else if !is_empty(queue) {
                if is_new {
                    self.new.push_front(queue)
                } else {
                    self.old.push_front(queue)
                }
                self.chosen = Some(queue);
            } else if is_new && !self.old.is_empty() {
                // Through the others once, or queues that are new again and again would keep them waiting.
                self.old.push_back(queue);
            } else {
                self.is_listed[index] = false;
            }
        }
        self.chosen
    }

    /// The choice is to be made anew: its packet has been taken.
    pub(crate) fn taken(&mut self) {
        self.chosen = None;
    }

    /// A packet of the queue is being sent.
    pub(crate) fn sent(&mut self, queue: u16, bytes: u64) {
        let cost = if self.counts_bytes { i64::try_from(bytes).unwrap_or(i64::MAX) } else { 1 };
        if let Some(credit) = self.credits.get_mut(usize::from(queue)) {
            *credit = credit.saturating_sub(cost);
        }
    }
}
