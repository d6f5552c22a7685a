//! The forwarding thread's loop: wait, receive, process, serve the control plane.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use ports::clock;

use crate::agenda::NEVER;
use crate::core::Core;
use crate::handle::{Command, signal};
use crate::port::{Direction, End};
use crate::realtime;
use crate::samples::Sampler;

/// Events between two looks at the devices.
const EVENT_BUDGET: usize = 256;
/// Control closures between two looks at the packets.
const COMMAND_BUDGET: usize = 64;
/// Not worth going to sleep for.
const SPIN_NS: u64 = 4_000;
const IDLE_CHECK_NS: u64 = 1_000_000_000;
/// As BMv2.
const DEVICE_CHECK_NS: u64 = 200_000_000;

/// What the loop works on.
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
        if self.realtime
            && let Err(error) = realtime::become_realtime()
        {
            tracing::warn!(%error, "no real-time priority: under load packets will be late (see the lateness counters)");
        }
        if self.realtime
            && let Err(error) = realtime::keep_in_memory()
        {
            tracing::debug!(%error, "memory cannot be locked: when it gets short, packets may be late");
        }
        let mut polled = PollSet::new(&self.core, self.wake.as_raw_fd(), realtime::is_time_virtual());
        let mut idle_check_ns = clock::monotonic_ns() + IDLE_CHECK_NS;
        let mut device_check_ns = clock::monotonic_ns();
        let mut more_to_do = false;
        while self.core.is_running() {
            let sample_ns = self.sampler.as_ref().map_or(NEVER, Sampler::due_ns);
            let until_ns = self.core.deadline_ns().min(sample_ns).min(idle_check_ns).min(device_check_ns);
            let ready = polled.wait(if more_to_do { 0 } else { until_ns });
            if let Err(error) = ready {
                tracing::error!(%error, "cannot wait for packets");
                return false;
            }
            for entry in 1..polled.entries.len() {
                let (port, side) = polled.sources[entry];
                if polled.is_ready(entry) && !self.core.receive(port, side) {
                    polled.forget(entry);
                }
            }
            let now_ns = clock::monotonic_ns();
            more_to_do = !self.core.advance(now_ns, EVENT_BUDGET);
            if polled.is_ready(0) {
                self.serve(now_ns);
            }
            if let Some(sampler) = &mut self.sampler
                && now_ns >= sampler.due_ns()
            {
                sampler.sample(&mut self.core, now_ns);
            }
            if now_ns >= device_check_ns {
                self.core.look_at_devices();
                device_check_ns = now_ns + DEVICE_CHECK_NS;
            }
            if now_ns >= idle_check_ns {
                self.core.look_for_idle_entries(now_ns);
                idle_check_ns = now_ns + IDLE_CHECK_NS;
            }
        }
        true
    }

    /// Runs control closures. What is left over stays signalled for the next round.
    fn serve(&mut self, now_ns: u64) {
        let wake = self.wake.as_raw_fd();
        self.core.catch_up(now_ns);
        // Before the look into the channel: what is sent after that look signals again.
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

/// The descriptors waited for: the wake-up first, then the devices.
struct PollSet {
    entries: Vec<libc::pollfd>,
    /// Port and direction that what comes in by each descriptor goes; of no meaning for the first.
    sources: Vec<(usize, Direction)>,
    /// No time passes between two waits.
    is_time_virtual: bool,
}

impl PollSet {
    fn new(core: &Core, wake: RawFd, is_time_virtual: bool) -> Self {
        let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut set =
            Self { entries: vec![entry(wake)], sources: vec![(usize::MAX, Direction::Ingress)], is_time_virtual };
        for (index, port) in core.ports.iter().enumerate() {
            if let End::Device(device) = &port.end {
                set.entries.push(entry(device.fd()));
                set.sources.push((index, Direction::Ingress));
            }
            if let Some(device) = &port.switch_side {
                set.entries.push(entry(device.fd()));
                set.sources.push((index, Direction::Egress));
            }
        }
        set
    }

    fn is_ready(&self, entry: usize) -> bool {
        self.entries.get(entry).is_some_and(|entry| entry.revents != 0)
    }

    fn forget(&mut self, entry: usize) {
        if let Some(entry) = self.entries.get_mut(entry) {
            // poll ignores negative descriptors.
            entry.fd = -1;
            entry.revents = 0;
        }
    }

    /// Waits for a descriptor or until `until_ns`, whichever is first.
    fn wait(&mut self, until_ns: u64) -> io::Result<()> {
        clock::let_go();
        let result = self.poll(until_ns);
        if self.is_time_virtual {
            clock::hold();
        }
        result
    }

    fn poll(&mut self, until_ns: u64) -> io::Result<()> {
        let wait_ns = if until_ns == 0 { 0 } else { until_ns.saturating_sub(clock::monotonic_ns()) };
        // Going to sleep and waking up takes longer than this, unless it takes no time.
        let wait_ns = if wait_ns < SPIN_NS && !self.is_time_virtual { 0 } else { wait_ns };
        let timeout = libc::timespec {
            tv_sec: (wait_ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (wait_ns % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: the entries and the timeout live through the call; no signal mask is given.
        let ready = unsafe {
            libc::ppoll(self.entries.as_mut_ptr(), self.entries.len() as libc::nfds_t, &timeout, ptr::null())
        };
        if ready >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            self.entries.iter_mut().for_each(|entry| entry.revents = 0);
            return Ok(());
        }
        Err(error)
    }
}

fn drain(eventfd: RawFd) {
    let mut count = [0u8; 8];
    // SAFETY: reads 8 bytes into a live buffer; the descriptor is non-blocking.
    unsafe { libc::read(eventfd, count.as_mut_ptr().cast(), count.len()) };
}
