//! All devices of a thread in one system call, by io_uring: the kernel takes the frames to send, gives the received
//! ones, and the thread waits.
//!
//! For virtual time, where a system call costs several times as much as elsewhere. A `poll`, a `read` and a `write` for
//! each device that has something would be many of them.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem::size_of_val;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};

use crate::clock;
use crate::frame_buffers::FrameBuffers;
use crate::kernel_call::KernelCall;

/// Frames that may wait to be sent between two waits; more are handed over sooner.
const ENTRIES: u32 = 512;
/// `IORING_ENTER_GETEVENTS` and `IORING_ENTER_EXT_ARG` of `linux/io_uring.h`: wait, with a [`SubmitArgs`].
const GET_EVENTS: usize = 1;
const EXTENDED_ARGUMENT: usize = 8;
/// Until a device that could not be read is tried again.
const RETRY_NS: u64 = 200_000_000;

/// The kind of a completion: in the lowest bits of its number, with the source or the sent frame above.
const READ: u64 = 0;
const POLL: u64 = 1;
const WRITE: u64 = 2;
const KIND_BITS: u32 = 2;

/// An io_uring that the devices of a thread share.
#[derive(Clone)]
pub struct Ring(Arc<Mutex<State>>);

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").finish_non_exhaustive()
    }
}

struct State {
    // Before the buffers, which the kernel may write to until it is closed.
    uring: IoUring,
    kernel_call: Option<KernelCall>,
    buffers: FrameBuffers,
    sources: Vec<Source>,
    /// Frames that the kernel may still read, by number, each with its source.
    sent: Vec<(usize, Vec<u8>)>,
    free: Vec<usize>,
}

struct Source {
    fd: RawFd,
    gives_frames: bool,
    /// The kernel knows that we wait for it.
    armed: bool,
    retry_ns: u64,
    frames: VecDeque<(u16, usize)>,
    is_ready: bool,
    refused: u64,
    error: Option<i32>,
    forgotten: bool,
}

/// The news of one source since the last look.
#[derive(Debug, Clone, Copy)]
pub struct News {
    /// There is something to receive, or it failed.
    pub is_ready: bool,
    /// Frames that were sent and that the device did not take.
    pub refused: u64,
}

impl Ring {
    /// A ring for the calling thread: no other one may wait with it.
    ///
    /// # Errors
    /// The kernel has no io_uring, or one that is too old.
    pub fn new() -> io::Result<Self> {
        let uring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(ENTRIES)?;
        let buffers = FrameBuffers::register(&uring)?;
        let kernel_call = KernelCall::find();
        let state = State { uring, kernel_call, buffers, sources: vec![], sent: vec![], free: vec![] };
        Ok(Self(Arc::new(Mutex::new(state))))
    }

    /// Waits for `fd` to be readable too. Sources are numbered from 0 on.
    pub fn watch(&self, fd: RawFd) -> usize {
        self.state().add(fd, false)
    }

    /// Reads frames from `fd`, a TAP device that would block.
    pub(crate) fn read_frames(&self, fd: RawFd) -> usize {
        self.state().add(fd, true)
    }

    /// A source that is not waited for any more.
    pub fn forget(&self, source: usize) {
        if let Some(source) = self.state().sources.get_mut(source) {
            source.forgotten = true;
        }
    }

    /// Sends the frames to be sent, and waits for any source or for `timeout_ns`.
    pub fn wait(&self, timeout_ns: u64) -> io::Result<()> {
        self.state().wait(timeout_ns)
    }

    /// Tells of every source.
    pub fn news(&self, mut tell: impl FnMut(usize, News)) {
        for (number, source) in self.state().sources.iter_mut().enumerate() {
            let is_ready = std::mem::take(&mut source.is_ready) || !source.frames.is_empty() || source.error.is_some();
            let refused = std::mem::take(&mut source.refused);
            tell(number, News { is_ready: is_ready && !source.forgotten, refused });
        }
    }

    /// Gives the frames of a source that have come to `sink`, and says how many.
    pub(crate) fn receive(&self, source: usize, mut sink: impl FnMut(&[u8], u64)) -> io::Result<usize> {
        let state = &mut *self.state();
        let Some(source) = state.sources.get_mut(source) else { return Ok(0) };
        let count = source.frames.len();
        for (buffer, length) in source.frames.drain(..) {
            sink(state.buffers.frame(buffer, length), clock::monotonic_ns());
            state.buffers.give_back(buffer);
        }
        match source.error.take() {
            Some(error) => Err(io::Error::from_raw_os_error(error)),
            None => Ok(count),
        }
    }

    /// Sends a frame at the next wait.
    pub(crate) fn send(&self, source: usize, frame: &[u8]) {
        self.state().send(source, frame);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, fd: RawFd, gives_frames: bool) -> usize {
        self.sources.push(Source {
            fd,
            gives_frames,
            armed: false,
            retry_ns: 0,
            frames: VecDeque::new(),
            is_ready: false,
            refused: 0,
            error: None,
            forgotten: false,
        });
        self.sources.len() - 1
    }

    fn send(&mut self, source: usize, frame: &[u8]) {
        let Some(fd) = self.sources.get(source).map(|source| source.fd) else { return };
        let number = self.free.pop().unwrap_or_else(|| {
            self.sent.push((source, Vec::new()));
            self.sent.len() - 1
        });
        let (whose, copy) = &mut self.sent[number];
        *whose = source;
        copy.clear();
        copy.extend_from_slice(frame);
        let entry = opcode::Write::new(Fd(fd), copy.as_ptr(), copy.len() as u32).build();
        // SAFETY: the copy is neither changed nor freed before its completion puts the number back among the free ones.
        if unsafe { self.push(entry.user_data(user_data(WRITE, number))) }.is_err() {
            self.free.push(number);
            if let Some(source) = self.sources.get_mut(source) {
                source.refused += 1;
            }
        }
    }

    fn wait(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.arm()?;
        let timeout = Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
        // Frames that were sent complete at once. The event waited for comes on top of them.
        let wanted = self.sent.len() - self.free.len() + 1;
        let result = self.enter(wanted, &SubmitArgs::new().timespec(&timeout));
        self.collect();
        match result {
            Err(error) if !matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EBUSY)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Hands over all entries, and waits for so many completions.
    fn enter(&mut self, wanted: usize, waiting: &SubmitArgs<'_, '_>) -> io::Result<usize> {
        let Some(kernel_call) = self.kernel_call else {
            return self.uring.submitter().submit_with_args(wanted, waiting);
        };
        let entries = self.uring.submission().len();
        let arguments = [
            self.uring.as_raw_fd() as usize,
            entries,
            wanted,
            GET_EVENTS | EXTENDED_ARGUMENT,
            std::ptr::from_ref(waiting).expose_provenance(),
            size_of_val(waiting),
        ];
        // SAFETY: the memory of entries lives until their completions, that of `waiting` until the call is over.
        unsafe { kernel_call.call(libc::SYS_io_uring_enter, arguments) }
    }

    /// Tells the kernel of every source that it does not know of.
    fn arm(&mut self) -> io::Result<()> {
        for number in 0..self.sources.len() {
            let source = &mut self.sources[number];
            if source.armed || source.forgotten || (source.retry_ns > 0 && clock::monotonic_ns() < source.retry_ns) {
                continue;
            }
            source.armed = true;
            source.retry_ns = 0;
            let fd = Fd(source.fd);
            let entry = if source.gives_frames {
                opcode::ReadMulti::new(fd, 0, FrameBuffers::GROUP).build().user_data(user_data(READ, number))
            } else {
                opcode::PollAdd::new(fd, libc::POLLIN as u32).build().user_data(user_data(POLL, number))
            };
            // SAFETY: the buffers that are read into live as long as the ring.
            unsafe { self.push(entry) }?;
        }
        Ok(())
    }

    /// # Safety
    /// The memory that the entry points to must live until its completion.
    unsafe fn push(&mut self, entry: squeue::Entry) -> io::Result<()> {
        // SAFETY: as promised to us.
        while unsafe { self.uring.submission().push(&entry) }.is_err() {
            self.uring.submit()?;
        }
        Ok(())
    }

    fn collect(&mut self) {
        while let Some(completion) = { self.uring.completion().next() } {
            let number = (completion.user_data() >> KIND_BITS) as usize;
            let result = completion.result();
            match completion.user_data() & ((1 << KIND_BITS) - 1) {
                WRITE => {
                    if result < 0
                        && let Some(source) = self.sent.get(number).and_then(|(whose, _)| self.sources.get_mut(*whose))
                    {
                        source.refused += 1;
                    }
                    self.free.push(number);
                }
                kind => {
                    let Some(source) = self.sources.get_mut(number) else { continue };
                    source.armed = cqueue::more(completion.flags());
                    if kind == POLL {
                        source.is_ready = true;
                    } else if let (Some(buffer), Ok(length)) =
                        (cqueue::buffer_select(completion.flags()), usize::try_from(result))
                    {
                        source.frames.push_back((buffer, length));
                    } else {
                        source.failed(-result);
                    }
                }
            }
        }
    }
}

impl Source {
    fn failed(&mut self, error: i32) {
        match error {
            // All buffers are full of frames: they are given back before the next wait.
            libc::ENOBUFS | libc::EINTR => {}
            // The interface is down and may come up again.
            libc::EAGAIN | libc::EIO => self.retry_ns = clock::monotonic_ns() + RETRY_NS,
            _ => self.error = Some(error),
        }
    }
}

fn user_data(kind: u64, number: usize) -> u64 {
    (number as u64) << KIND_BITS | kind
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixDatagram;

    use super::*;
    use crate::frame_buffers::BUFFERS;

    const SECOND_NS: u64 = 1_000_000_000;

    /// A ring with one end of a pair of sockets, which keep frames apart as a TAP device does, and the other end.
    fn pair() -> Option<(Ring, usize, UnixDatagram, UnixDatagram)> {
        let ring = match Ring::new() {
            Ok(ring) => ring,
            Err(error) => {
                eprintln!("SKIPPED: no io_uring here: {error}");
                return None;
            }
        };
        let (ours, theirs) = UnixDatagram::pair().expect("sockets");
        let source = ring.read_frames(ours.as_raw_fd());
        Some((ring, source, ours, theirs))
    }

    fn news_of(ring: &Ring, source: usize) -> News {
        let mut found = News { is_ready: false, refused: 0 };
        ring.news(|number, news| {
            if number == source {
                found = news;
            }
        });
        found
    }

    #[test]
    fn frames_come_in_the_order_they_were_sent_however_many_there_are() {
        let Some((ring, source, _ours, theirs)) = pair() else { return };
        // More than there are buffers, and no more at a time than a socket has room for everywhere.
        let count = usize::from(BUFFERS) + 8;
        theirs.set_nonblocking(true).expect("a flag");
        for number in 0..count {
            theirs.send(&[number as u8; 60]).expect("room");
            if number % 8 == 7 {
                ring.wait(0).expect("a wait");
            }
        }
        let mut seen = Vec::new();
        while seen.len() < count {
            ring.wait(SECOND_NS).expect("a wait");
            assert!(news_of(&ring, source).is_ready, "after {} frames", seen.len());
            ring.receive(source, |frame, _| seen.push((frame.len(), frame[0]))).expect("frames");
        }
        assert_eq!(seen, (0..count).map(|number| (60, number as u8)).collect::<Vec<_>>());
        assert_eq!(ring.receive(source, |_, _| ()).expect("nothing"), 0);
    }

    #[test]
    fn a_wait_without_news_lasts_until_its_time() {
        let Some((ring, source, _ours, _theirs)) = pair() else { return };
        let before_ns = clock::monotonic_ns();
        ring.wait(SECOND_NS / 50).expect("a wait");
        assert!(clock::monotonic_ns() >= before_ns + SECOND_NS / 50);
        ring.wait(0).expect("a look");
        assert!(!news_of(&ring, source).is_ready);
    }

    #[test]
    fn frames_are_sent_at_the_next_wait_which_they_do_not_end() {
        let Some((ring, source, _ours, theirs)) = pair() else { return };
        theirs.set_nonblocking(true).expect("a flag");
        for number in 0..3u8 {
            ring.send(source, &[number; 100]);
        }
        let mut frame = [0; 200];
        assert!(theirs.recv(&mut frame).is_err(), "sent too early");
        let before_ns = clock::monotonic_ns();
        ring.wait(SECOND_NS / 50).expect("a wait");
        assert!(clock::monotonic_ns() >= before_ns + SECOND_NS / 50);
        for number in 0..3u8 {
            assert_eq!((theirs.recv(&mut frame).expect("a frame"), frame[0], frame[99]), (100, number, number));
        }
    }

    #[test]
    fn refused_frames_are_told_once() {
        let Some((ring, source, _ours, theirs)) = pair() else { return };
        drop(theirs);
        ring.send(source, &[1; 60]);
        ring.send(source, &[2; 60]);
        ring.wait(0).expect("a wait");
        assert_eq!(news_of(&ring, source).refused, 2);
        assert_eq!(news_of(&ring, source).refused, 0);
    }

    #[test]
    fn what_is_watched_wakes_again_and_again_until_it_is_forgotten() {
        let Some((ring, _, _ours, _theirs)) = pair() else { return };
        let (reader, writer) = UnixDatagram::pair().expect("sockets");
        let watched = ring.watch(reader.as_raw_fd());
        writer.send(b"x").expect("room");
        for _ in 0..2 {
            ring.wait(SECOND_NS).expect("a wait");
            assert!(news_of(&ring, watched).is_ready, "it has not been read yet");
        }
        ring.forget(watched);
        ring.wait(0).expect("a look");
        assert!(!news_of(&ring, watched).is_ready);
    }
}
