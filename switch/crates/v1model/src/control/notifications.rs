//! Notifications of the switch to the control plane: digests and idle time-outs.

use crate::switch::Switch;
use crate::types::{Digest, IdleTimeout};

impl Switch {
    /// Whether [`take_digests`](Self::take_digests) has something to give.
    #[must_use]
    pub fn has_digests(&self) -> bool {
        !self.memory.digests.is_empty()
    }

    /// The digests since the last call, oldest first. Fetch them after each batch of packets: the switch keeps a limited
    /// number (65,536), and counts those it has to throw away.
    pub fn take_digests(&mut self) -> Vec<Digest> {
        self.memory.digests.drain(..).collect()
    }

    /// Entries whose idle time has run out since the last call. Each is reported again after another idle time without
    /// a hit, as P4Runtime wants it. Call it now and then (BMv2 looks once a second): it walks the entries of all
    /// tables with time-outs.
    pub fn take_idle_timeouts(&mut self, now_ns: u64) -> Vec<IdleTimeout> {
        let Some(program) = self.program.as_deref() else {
            return Vec::new();
        };
        let mut idle = Vec::new();
        for (info, state) in program.tables.iter().zip(&mut self.tables).filter(|(info, _)| info.support_timeout) {
            for entry in state.entries.iter_mut().flatten() {
                let timeout = entry.idle_timeout_ns();
                let since_ns = entry.last_hit_ns.max(entry.idle_reported_ns);
                if timeout > 0 && now_ns.saturating_sub(since_ns) >= timeout {
                    entry.idle_reported_ns = now_ns;
                    let written = entry.written(program, info.id.index());
                    idle.push(IdleTimeout { table: info.id, key: written.key, priority: written.priority });
                }
            }
        }
        idle
    }
}
