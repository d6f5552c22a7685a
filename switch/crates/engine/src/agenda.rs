//! The next event of every link, ordered by model time.

/// An indexed binary heap with exactly one entry for each link, so nothing is allocated while forwarding. Links with the
/// same time are ordered by number, which makes the whole order deterministic.
#[derive(Debug)]
pub(crate) struct Agenda {
    /// Time of each link's next event; `NEVER` if it has none.
    times: Vec<u64>,
    /// Link numbers in heap order.
    heap: Vec<usize>,
    /// Where in `heap` each link is.
    position: Vec<usize>,
}

/// No event.
pub(crate) const NEVER: u64 = u64::MAX;

impl Agenda {
    pub(crate) fn new(links: usize) -> Self {
        Self { times: vec![NEVER; links], heap: (0..links).collect(), position: (0..links).collect() }
    }

    /// Another link, which has no event yet.
    pub(crate) fn add_link(&mut self) {
        let link = self.times.len();
        self.times.push(NEVER);
        self.position.push(self.heap.len());
        self.heap.push(link);
    }

    /// The earliest event, if it is not after `until_ns`: its time and link.
    pub(crate) fn due(&self, until_ns: u64) -> Option<(u64, usize)> {
        let link = *self.heap.first()?;
        let time = self.time(link);
        (time <= until_ns && time != NEVER).then_some((time, link))
    }

    /// Sets the time of a link's next event.
    pub(crate) fn set(&mut self, link: usize, time: u64) {
        let Some(slot) = self.times.get_mut(link) else { return };
        let old = std::mem::replace(slot, time);
        let at = self.position[link];
        if time < old {
            self.sift_up(at);
        } else if time > old {
            self.sift_down(at);
        }
    }

    fn time(&self, link: usize) -> u64 {
        self.times.get(link).copied().unwrap_or(NEVER)
    }

    fn before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.heap[a], self.heap[b]);
        (self.time(a), a) < (self.time(b), b)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.position[self.heap[a]] = a;
        self.position[self.heap[b]] = b;
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.before(at, parent) {
                return;
            }
            self.swap(at, parent);
            at = parent;
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                return;
            }
            if child + 1 < self.heap.len() && self.before(child + 1, child) {
                child += 1;
            }
            if !self.before(child, at) {
                return;
            }
            self.swap(at, child);
            at = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_out_in_order_whatever_the_changes() {
        let mut agenda = Agenda::new(47);
        (47..50).for_each(|_| agenda.add_link());
        assert_eq!(agenda.due(NEVER), None);
        let mut random = 1u64;
        for _ in 0..500 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            agenda.set((random >> 33) as usize % 50, (random >> 40) % 1000);
        }
        let mut expected: Vec<_> = (0..50).map(|link| (agenda.time(link), link)).filter(|(t, _)| *t != NEVER).collect();
        expected.sort_unstable();
        assert_eq!(agenda.due(0), expected.first().filter(|(time, _)| *time == 0).copied());
        for entry in expected {
            assert_eq!(agenda.due(NEVER - 1), Some(entry));
            agenda.set(entry.1, NEVER);
        }
        assert_eq!(agenda.due(NEVER), None);
    }
}
