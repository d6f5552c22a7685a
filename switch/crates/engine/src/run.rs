//! The forwarding thread's loop: wait, receive, process, serve the control plane.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use ports::clock;

use crate::agenda::NEVER;
use crate::core::Core;
use crate::handle::{Command, signal};
use crate::poller::Poller;
use crate::realtime;
use crate::realtime_budget::RealtimeBudget;
use crate::rounds;
use crate::samples::Sampler;

/// Events between two looks at the devices.
const EVENT_BUDGET: usize = 256;
/// Control closures between two looks at the packets.
const COMMAND_BUDGET: usize = 64;
/// Between two tries to write to a blocked port where nobody tells when it can be written to.
const BLOCKED_CHECK_NS: u64 = 1_000_000;
const IDLE_CHECK_NS: u64 = 1_000_000_000;
/// As BMv2.
const DEVICE_CHECK_NS: u64 = 200_000_000;

/// The loop of the forwarding thread.
pub(crate) struct Loop {
    pub(crate) core: Core,
    pub(crate) commands: Receiver<Command>,
    pub(crate) wake: Arc<OwnedFd>,
    pub(crate) sampler: Option<Sampler>,
    pub(crate) realtime: bool,
}

impl Loop {
    /// Runs until the core is told to stop or all handles are gone; false if something failed.
    pub(crate) fn run(mut self) -> bool {
        realtime::exact_timeouts();
        let mut budget = if self.realtime { become_realtime() } else { None };
        if self.realtime
            && let Err(error) = realtime::keep_in_memory()
        {
            tracing::debug!(%error, "memory cannot be locked: when it gets short, packets may be late");
        }
        let mut poller = match Poller::new(&mut self.core, self.wake.as_raw_fd(), clock::is_virtual()) {
            Ok(poller) => poller,
            Err(error) => {
                tracing::error!(%error, "cannot wait for packets");
                return false;
            }
        };
        let mut idle_check_ns = rounds::next_ns(clock::monotonic_ns(), IDLE_CHECK_NS);
        let mut device_check_ns = clock::monotonic_ns();
        let mut more_to_do = false;
        while self.core.is_running() {
            let sample_ns = self.sampler.as_ref().map_or(NEVER, Sampler::due_ns);
            let mut until_ns = self.core.deadline_ns().min(sample_ns).min(idle_check_ns).min(device_check_ns);
            until_ns = until_ns.min(self.core.window_end_ns());
            if let Some(blocked) = self.core.take_blocked_change() {
                poller.follow_blocked(blocked);
            }
            if poller.has_ring() && !self.core.blocked().is_empty() {
                until_ns = until_ns.min(clock::monotonic_ns() + BLOCKED_CHECK_NS);
            }
            let core = &mut self.core;
            let refused = |port, frames| core.count_refused(port, frames);
            let ready = poller.wait(if more_to_do { 0 } else { until_ns }, refused);
            if let Err(error) = ready {
                tracing::error!(%error, "cannot wait for packets");
                return false;
            }
            for entry in poller.devices() {
                if let Some((port, side)) = poller.ready_device(entry)
                    && !self.core.receive(port, side)
                {
                    poller.forget(entry);
                }
            }
            let now_ns = clock::monotonic_ns();
            if !self.core.blocked().is_empty() {
                self.look_at_blocked(&poller, now_ns);
            }
            self.core.end_window(now_ns);
            more_to_do = !self.core.advance(now_ns, EVENT_BUDGET);
            if poller.is_woken() {
                self.serve(now_ns);
                if let Err(error) = poller.follow(&mut self.core) {
                    tracing::error!(%error, "cannot wait for the packets of a port that was added");
                    return false;
                }
            }
            let wanted = self.core.take_sample_wanted();
            if let Some(sampler) = &mut self.sampler
                && (now_ns >= sampler.due_ns() || !wanted.is_empty())
            {
                sampler.sample(&mut self.core, now_ns, wanted);
            }
            if now_ns >= device_check_ns {
                self.core.look_at_devices();
                device_check_ns = rounds::next_ns(now_ns, DEVICE_CHECK_NS);
            }
            if now_ns >= idle_check_ns {
                self.core.look_for_idle_entries(now_ns);
                idle_check_ns = rounds::next_ns(now_ns, IDLE_CHECK_NS);
            }
            if let Some(budget) = &mut budget {
                budget.sleep_if_due(now_ns);
            }
        }
        if let Some(sampler) = &self.sampler {
            sampler.finish(&mut self.core);
        }
        true
    }

    #[cold]
    fn look_at_blocked(&mut self, poller: &Poller, now_ns: u64) {
        for port in self.core.blocked().to_vec() {
            if poller.may_write(port) {
                self.core.unblock(port, now_ns);
            }
        }
    }

    /// Runs control closures. Closures left over stay signalled for the next round.
    fn serve(&mut self, now_ns: u64) {
        let wake = self.wake.as_raw_fd();
        self.core.catch_up(now_ns);
        // Before the look into the channel: a closure sent after that look signals again.
        drain(wake);
        for _ in 0..COMMAND_BUDGET {
            match self.commands.try_recv() {
                Ok(command) => command(&mut self.core, now_ns),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => return self.core.stop(),
            }
        }
        signal(wake);
    }
}

/// Makes the calling thread a real-time one, and gives its account if it is limited.
fn become_realtime() -> Option<RealtimeBudget> {
    match realtime::become_realtime() {
        Ok(()) if !clock::is_virtual() => RealtimeBudget::new(),
        Ok(()) => None,
        Err(error) => {
            tracing::warn!(%error, "no real-time priority: under load packets will be late (see the lateness counters)");
            None
        }
    }
}

fn drain(eventfd: RawFd) {
    let mut count = [0u8; 8];
    // SAFETY: reads 8 bytes into a live buffer; the descriptor is non-blocking.
    unsafe { libc::read(eventfd, count.as_mut_ptr().cast(), count.len()) };
}
