//! One type for every kind of port.

use std::io;
use std::os::fd::RawFd;

use crate::outbox::Outbox;
use crate::packet_socket::FRAME_ROOM;
use crate::{Netns, PacketSocket, PortError, Ring, Tap, clock};

/// Frames taken from one TAP before other ports get their turn.
const TAP_BATCH: usize = 64;

/// An open port: frames in, frames out, never blocking.
#[derive(Debug)]
pub struct Device {
    kind: Kind,
    name: String,
    /// The ring that its frames go through, with its number there.
    ring: Option<(Ring, usize)>,
}

#[derive(Debug)]
enum Kind {
    Tap { tap: Tap, buffer: Vec<u8> },
    Packet { socket: Box<PacketSocket>, outbox: Outbox },
}

impl Device {
    /// Attaches to a TAP device; see [`Tap::open`].
    pub fn tap(device: &str, netns: &Netns) -> Result<Self, PortError> {
        let tap = Tap::open(device, netns)?;
        Ok(Self { kind: Kind::Tap { tap, buffer: vec![0; FRAME_ROOM] }, name: device.to_owned(), ring: None })
    }

    /// Opens an existing interface; see [`PacketSocket::open`].
    pub fn interface(interface: &str, hear_outgoing: bool, ring_bytes: Option<usize>) -> Result<Self, PortError> {
        let socket = PacketSocket::open(interface, hear_outgoing, ring_bytes)?;
        Ok(Self {
            kind: Kind::Packet { socket: Box::new(socket), outbox: Outbox::default() },
            name: interface.to_owned(),
            ring: None,
        })
    }

    /// The interface's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the interface is up: for an existing one, with a carrier too.
    #[must_use]
    pub fn is_up(&self) -> bool {
        match &self.kind {
            Kind::Tap { tap, .. } => tap.is_up(),
            Kind::Packet { socket, .. } => socket.is_up(),
        }
    }

    /// For `poll`.
    #[must_use]
    pub fn fd(&self) -> RawFd {
        match &self.kind {
            Kind::Tap { tap, .. } => tap.fd(),
            Kind::Packet { socket, .. } => socket.fd(),
        }
    }

    /// From now on `ring` waits for it, and takes its frames if it is a TAP device. Returns its number there.
    pub fn use_ring(&mut self, ring: &Ring) -> io::Result<usize> {
        match &self.kind {
            Kind::Packet { socket, .. } => Ok(ring.watch(socket.fd())),
            Kind::Tap { tap, .. } => {
                tap.block()?;
                let number = ring.read_frames(tap.fd());
                self.ring = Some((ring.clone(), number));
                Ok(number)
            }
        }
    }

    /// Takes the frames that have come in, a batch at most. Gives each to `sink` with its arrival time (CLOCK_MONOTONIC
    /// in ns). `Ok(0)`: nothing there. An error means that the device is gone for good.
    pub fn receive(&mut self, mut sink: impl FnMut(&[u8], u64)) -> io::Result<usize> {
        if let Some((ring, number)) = &self.ring {
            return ring.receive(*number, sink);
        }
        match &mut self.kind {
            Kind::Packet { socket, .. } => none_if_transient(socket.receive(&mut sink)),
            Kind::Tap { tap, buffer } => {
                for count in 0..TAP_BATCH {
                    let length = none_if_transient(tap.receive(buffer))?;
                    if length == 0 {
                        return Ok(count);
                    }
                    sink(&buffer[..length], clock::monotonic_ns());
                }
                Ok(TAP_BATCH)
            }
        }
    }

    /// Sends one frame, now or at the next [`flush`](Self::flush). Returns how many frames were refused because the
    /// interface is down or its buffer full, and are gone. A ring's frames are refused later, if they are: see
    /// [`crate::News::refused`].
    #[must_use]
    pub fn send(&mut self, frame: &[u8]) -> u64 {
        if let Some((ring, number)) = &self.ring {
            ring.send(*number, frame);
            return 0;
        }
        match &mut self.kind {
            Kind::Tap { tap, .. } => u64::from(tap.send(frame).is_err()),
            Kind::Packet { socket, outbox } => {
                outbox.push(frame);
                if outbox.is_full() { outbox.send(socket.fd()) } else { 0 }
            }
        }
    }

    /// Whether frames are sent by [`flush`](Self::flush), not before.
    #[must_use]
    pub fn keeps_frames(&self) -> bool {
        matches!(self.kind, Kind::Packet { .. })
    }

    /// Whether it takes no frames for the moment, since its interface is slower than its traffic (a queueing discipline
    /// with a rate, for example). It keeps the frames it is given until [`retry`](Self::retry).
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        match &self.kind {
            Kind::Packet { outbox, .. } => outbox.is_blocked(),
            Kind::Tap { .. } => false,
        }
    }

    /// Goes on with sending, once [`fd`](Self::fd) can be written to. Returns how many frames were refused.
    #[must_use]
    pub fn retry(&mut self) -> u64 {
        match &mut self.kind {
            Kind::Packet { socket, outbox } => outbox.retry(socket.fd()),
            Kind::Tap { .. } => 0,
        }
    }

    /// Sends the frames that [`send`](Self::send) has not sent yet. Returns how many frames were refused.
    #[must_use]
    pub fn flush(&mut self) -> u64 {
        match &mut self.kind {
            Kind::Packet { socket, outbox } => outbox.send(socket.fd()),
            Kind::Tap { .. } => 0,
        }
    }
}

/// Errors that go away by themselves count as "nothing there".
fn none_if_transient(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) => match error.raw_os_error() {
            // EIO (TAP) and ENETDOWN (packet socket): the interface is down and may come up again.
            Some(libc::EAGAIN | libc::EINTR | libc::EIO | libc::ENETDOWN | libc::ENOBUFS) => Ok(0),
            _ => Err(error),
        },
        ok => ok,
    }
}
