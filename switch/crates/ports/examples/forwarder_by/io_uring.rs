//! io_uring: one `recv` that completes once a frame, into buffers the kernel has beforehand, and a `send` a frame, all submitted at once.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use io_uring::types::Fd;
use io_uring::{IoUring, cqueue, opcode, squeue};

use crate::{BATCH, FRAME_ROOM, Interface, raw_socket};

const ENTRIES: u32 = 1024;
const RECEIVE_BUFFER_BYTES: libc::c_int = 16 << 20;
const RECEIVED: u64 = u64::MAX;
const PROVIDED: u64 = u64::MAX - 1;
const BUFFERS: u16 = 512;
const GROUP: u16 = 0;

/// A packet socket and a ring for it.
pub struct Uring {
    // Before the buffers, which the kernel may write to until it is closed.
    ring: IoUring,
    socket: OwnedFd,
    received: Vec<u8>,
    sent: Vec<u8>,
    free: Vec<u16>,
}

impl Uring {
    /// Opens the socket and begins to receive.
    pub fn open(interface: &str) -> io::Result<Self> {
        let socket = raw_socket::unbound()?;
        raw_socket::set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RECEIVE_BUFFER_BYTES)?;
        raw_socket::bind(&socket, interface, true)?;
        let ring = IoUring::builder().setup_coop_taskrun().setup_single_issuer().build(ENTRIES)?;
        let room = usize::from(BUFFERS) * FRAME_ROOM;
        let mut uring =
            Self { ring, socket, received: vec![0; room], sent: vec![0; room], free: (0..BUFFERS).collect() };
        uring.provide(0, BUFFERS);
        uring.ask();
        uring.ring.submit()?;
        Ok(uring)
    }

    fn ask(&mut self) {
        let entry = opcode::RecvMulti::new(Fd(self.socket.as_raw_fd()), GROUP).build().user_data(RECEIVED);
        self.push(&entry);
    }

    fn provide(&mut self, first: u16, count: u16) {
        let start = self.received[usize::from(first) * FRAME_ROOM..].as_mut_ptr();
        let entry = opcode::ProvideBuffers::new(start, FRAME_ROOM as i32, count, GROUP, first);
        self.push(&entry.build().user_data(PROVIDED));
    }

    fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: entries point to buffers that live as long as the ring and are not touched until the entry completes.
        while unsafe { self.ring.submission().push(entry) }.is_err() {
            if self.ring.submit().is_err() {
                return;
            }
        }
    }
}

impl Interface for Uring {
    fn fd(&self) -> RawFd {
        self.ring.as_raw_fd()
    }

    fn receive(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        // The kernel puts completions of this ring into memory when the thread enters it.
        self.ring.submit()?;
        let completions: Vec<cqueue::Entry> = self.ring.completion().take(4 * BATCH).collect();
        for completion in completions {
            match completion.user_data() {
                PROVIDED => {}
                RECEIVED => {
                    if let Some(buffer) = cqueue::buffer_select(completion.flags()) {
                        let start = usize::from(buffer) * FRAME_ROOM;
                        let length = usize::try_from(completion.result()).unwrap_or(0);
                        sink(&self.received[start..start + length]);
                        self.provide(buffer, 1);
                    }
                    if !cqueue::more(completion.flags()) {
                        self.ask();
                    }
                }
                buffer => self.free.push(buffer as u16),
            }
        }
        Ok(())
    }

    fn send(&mut self, frame: &[u8]) {
        let Some(buffer) = self.free.pop() else { return };
        let start = usize::from(buffer) * FRAME_ROOM;
        self.sent[start..start + frame.len()].copy_from_slice(frame);
        let entry = opcode::Send::new(Fd(self.socket.as_raw_fd()), self.sent[start..].as_ptr(), frame.len() as u32);
        self.push(&entry.build().user_data(u64::from(buffer)));
    }

    fn flush(&mut self) {
        let _ = self.ring.submit();
    }
}
