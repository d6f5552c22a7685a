//! One `recv` and one `send` a frame: the simplest way, and the switch's until frames were handed over together.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::{BATCH, FRAME_ROOM, Interface, raw_socket};

const RECEIVE_BUFFER_BYTES: libc::c_int = 16 << 20;

/// A packet socket.
pub struct OneByOne {
    socket: OwnedFd,
    frame: [u8; FRAME_ROOM],
}

impl OneByOne {
    /// Opens it.
    pub fn open(interface: &str) -> io::Result<Self> {
        let socket = raw_socket::unbound()?;
        raw_socket::set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RECEIVE_BUFFER_BYTES)?;
        raw_socket::bind(&socket, interface, true)?;
        Ok(Self { socket, frame: [0; FRAME_ROOM] })
    }
}

impl Interface for OneByOne {
    fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    fn receive(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        for _ in 0..BATCH {
            // SAFETY: the buffer lives through the call and its length is given.
            let length = unsafe { libc::recv(self.fd(), self.frame.as_mut_ptr().cast(), FRAME_ROOM, 0) };
            let Ok(length) = usize::try_from(length) else { return Ok(()) };
            sink(&self.frame[..length]);
        }
        Ok(())
    }

    fn send(&mut self, frame: &[u8]) {
        // SAFETY: the frame lives through the call and its length is given.
        unsafe { libc::send(self.fd(), frame.as_ptr().cast(), frame.len(), 0) };
    }

    fn flush(&mut self) {}
}
