//! The events that the forwarding thread waits for: its wake-up, its devices, a time.

use std::io;
use std::os::fd::RawFd;
use std::ptr;

use ports::{Ring, clock};

use crate::core::{Core, DeviceChange};
use crate::port::{Direction, End, Port};

/// Not worth going to sleep for.
const SPIN_NS: u64 = 4_000;

/// The descriptors waited for: the wake-up first, then the devices.
pub(crate) struct Poller {
    entries: Vec<libc::pollfd>,
    /// Port and direction of the frames that come in by each descriptor; of no meaning for the first.
    sources: Vec<(usize, Direction)>,
    /// No time passes between two waits.
    is_time_virtual: bool,
    /// Instead of `poll`: its sources are numbered as the entries are.
    ring: Option<Ring>,
}

impl Poller {
    /// Waits for the devices of `core`. In virtual time system calls cost most: there one ring is for all devices,
    /// where the kernel has that.
    pub(crate) fn new(core: &mut Core, wake: RawFd, is_time_virtual: bool) -> io::Result<Self> {
        let ring = is_time_virtual.then(Ring::new).transpose();
        let ring =
            ring.inspect_err(|error| tracing::warn!(%error, "no io_uring: virtual time goes slower")).unwrap_or(None);
        let mut poller = Self { entries: vec![], sources: vec![], is_time_virtual, ring };
        if let Some(ring) = &poller.ring {
            ring.watch(wake);
        }
        poller.add(wake, usize::MAX, Direction::Ingress);
        for (index, port) in core.ports_mut().iter_mut().enumerate() {
            poller.watch(index, port)?;
        }
        Ok(poller)
    }

    /// Waits for the devices of a port too.
    fn watch(&mut self, index: usize, port: &mut Port) -> io::Result<()> {
        let outside = if let End::Device(device) = &mut port.end { Some(device) } else { None };
        let devices = [(outside, Direction::Ingress), (port.switch_side.as_mut(), Direction::Egress)];
        for (device, direction) in devices.into_iter().filter_map(|(device, direction)| Some((device?, direction))) {
            if let Some(ring) = &self.ring {
                device.use_ring(ring)?;
            }
            self.add(device.fd(), index, direction);
        }
        Ok(())
    }

    /// Follows ports that have come or gone. Their devices are not asked before.
    pub(crate) fn follow(&mut self, core: &mut Core) -> io::Result<()> {
        for change in core.take_device_changes() {
            match change {
                DeviceChange::Came(index) => {
                    if let Some(port) = core.ports_mut().get_mut(index) {
                        self.watch(index, port)?;
                    }
                }
                DeviceChange::Went(index) => {
                    for entry in self.devices() {
                        if self.sources[entry].0 == index {
                            self.forget(entry);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, fd: RawFd, port: usize, direction: Direction) {
        self.entries.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        self.sources.push((port, direction));
    }

    /// Waits for blocked ports, and only for them, until they can be written to.
    pub(crate) fn follow_blocked(&mut self, blocked: &[usize]) {
        for (entry, source) in self.entries.iter_mut().zip(&self.sources) {
            let is_blocked = source.1 == Direction::Ingress && blocked.contains(&source.0);
            entry.events = if is_blocked { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN };
        }
    }

    /// Whether a blocked port may be written to. A ring does not tell.
    pub(crate) fn may_write(&self, port: usize) -> bool {
        let is_it = |source: &(usize, Direction)| *source == (port, Direction::Ingress);
        let entries = self.entries.iter().zip(&self.sources);
        self.ring.is_some()
            || entries.filter(|(_, source)| is_it(source)).any(|(entry, _)| entry.revents & libc::POLLOUT != 0)
    }

    /// Whether it has to be asked now and then whether a blocked port may be written to.
    pub(crate) fn has_ring(&self) -> bool {
        self.ring.is_some()
    }

    /// Whether somebody wants the thread.
    pub(crate) fn is_woken(&self) -> bool {
        self.is_ready(0)
    }

    /// The numbers of the devices here.
    pub(crate) fn devices(&self) -> std::ops::Range<usize> {
        1..self.entries.len()
    }

    /// Port and direction of a device that has something.
    pub(crate) fn ready_device(&self, entry: usize) -> Option<(usize, Direction)> {
        if self.is_ready(entry) { self.sources.get(entry).copied() } else { None }
    }

    fn is_ready(&self, entry: usize) -> bool {
        self.entries.get(entry).is_some_and(|entry| entry.revents & !libc::POLLOUT != 0)
    }

    /// A device that is gone.
    pub(crate) fn forget(&mut self, entry: usize) {
        if let Some(ring) = &self.ring {
            ring.forget(entry);
        }
        if let Some(entry) = self.entries.get_mut(entry) {
            // poll ignores negative descriptors.
            entry.fd = -1;
            entry.revents = 0;
        }
    }

    /// Waits for a descriptor or until `until_ns`, whichever is first; 0: not at all. Tells of frames that a
    /// port's device refused, which a ring learns here.
    pub(crate) fn wait(&mut self, until_ns: u64, refused: impl FnMut(usize, u64)) -> io::Result<()> {
        clock::let_go();
        let wait_ns = if until_ns == 0 { 0 } else { until_ns.saturating_sub(clock::monotonic_ns()) };
        let result = if self.ring.is_some() { self.ring(wait_ns, refused) } else { self.poll(wait_ns) };
        if self.is_time_virtual {
            clock::hold();
        }
        result
    }

    fn ring(&mut self, wait_ns: u64, mut refused: impl FnMut(usize, u64)) -> io::Result<()> {
        let Self { entries, sources, ring: Some(ring), .. } = self else { return Ok(()) };
        ring.wait(wait_ns)?;
        ring.news(|number, news| {
            if let (Some(entry), Some(source)) = (entries.get_mut(number), sources.get(number)) {
                entry.revents = if news.is_ready { libc::POLLIN } else { 0 };
                if news.refused > 0 {
                    refused(source.0, news.refused);
                }
            }
        });
        Ok(())
    }

    fn poll(&mut self, wait_ns: u64) -> io::Result<()> {
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
