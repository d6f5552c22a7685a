//! PACKET_MMAP: rings of frames shared with the kernel. Version 2 has a place for each frame, version 3 blocks that are handed over when
//! they are full or a millisecond old (the shortest time there is). Both send by a ring of version 2.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{BATCH, FRAME_ROOM, Interface, SHARED_FRAMES, raw_socket};
use ports::Mapped;

const PACKET_RX_RING: libc::c_int = 5;
const PACKET_VERSION: libc::c_int = 10;
const PACKET_TX_RING: libc::c_int = 13;
const TPACKET_V2: libc::c_int = 1;
const TPACKET_V3: libc::c_int = 2;
const TO_KERNEL: u32 = 0;
const TO_USER: u32 = 1;
const TO_SEND: u32 = 1;
/// Of `struct tpacket2_hdr`, rounded up to where the kernel expects a frame to send.
const SENT_FRAME_OFFSET: usize = 32;
const BLOCK_BYTES: usize = 1 << 18;
const BLOCKS: usize = SHARED_FRAMES * FRAME_ROOM / BLOCK_BYTES;
const BLOCK_AGE_MS: u32 = 1;

/// `struct tpacket_req`.
#[repr(C)]
struct Request {
    block_bytes: u32,
    blocks: u32,
    frame_bytes: u32,
    frames: u32,
}

/// `struct tpacket_req3`.
#[repr(C)]
struct Request3 {
    places: Request,
    block_age_ms: u32,
    private_bytes: u32,
    features: u32,
}

/// Which version receives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// A place a frame.
    V2,
    /// Blocks.
    V3,
}

/// A socket to receive by and one to send by, with a ring each.
pub struct PacketMmap {
    version: Version,
    receiver: OwnedFd,
    received: Mapped,
    /// The frame (version 2) or block (version 3) that comes next.
    next: usize,
    sender: OwnedFd,
    sent: Mapped,
    next_sent: usize,
}

impl PacketMmap {
    /// Opens both sockets.
    pub fn open(interface: &str, version: Version) -> io::Result<Self> {
        let receiver = raw_socket::unbound()?;
        match version {
            Version::V2 => {
                raw_socket::set(&receiver, libc::SOL_PACKET, PACKET_VERSION, &TPACKET_V2)?;
                raw_socket::set(&receiver, libc::SOL_PACKET, PACKET_RX_RING, &places())?;
            }
            Version::V3 => {
                raw_socket::set(&receiver, libc::SOL_PACKET, PACKET_VERSION, &TPACKET_V3)?;
                let request = Request3 { places: places(), block_age_ms: BLOCK_AGE_MS, private_bytes: 0, features: 0 };
                raw_socket::set(&receiver, libc::SOL_PACKET, PACKET_RX_RING, &request)?;
            }
        }
        let received = Mapped::of(receiver.as_raw_fd(), SHARED_FRAMES * FRAME_ROOM, 0)?;
        raw_socket::bind(&receiver, interface, true)?;
        let sender = raw_socket::unbound()?;
        raw_socket::set(&sender, libc::SOL_PACKET, PACKET_VERSION, &TPACKET_V2)?;
        raw_socket::set(&sender, libc::SOL_PACKET, PACKET_TX_RING, &places())?;
        let sent = Mapped::of(sender.as_raw_fd(), SHARED_FRAMES * FRAME_ROOM, 0)?;
        raw_socket::bind(&sender, interface, false)?;
        Ok(Self { version, receiver, received, next: 0, sender, sent, next_sent: 0 })
    }

    fn receive_frames(&mut self, sink: &mut dyn FnMut(&[u8])) {
        for _ in 0..BATCH {
            let start = self.next * FRAME_ROOM;
            let status = word(&self.received, start);
            if status.load(Ordering::Acquire) & TO_USER == 0 {
                return;
            }
            // struct tpacket2_hdr: status, length, captured length, 16 bits of where the frame begins.
            let length = word(&self.received, start + 8).load(Ordering::Relaxed) as usize;
            let offset = (word(&self.received, start + 12).load(Ordering::Relaxed) & 0xffff) as usize;
            // SAFETY: `at` has checked the range, and the kernel does not touch the frame before it has the place back.
            sink(unsafe { std::slice::from_raw_parts(self.received.at(start + offset, length), length) });
            status.store(TO_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % SHARED_FRAMES;
        }
    }

    fn receive_block(&mut self, sink: &mut dyn FnMut(&[u8])) {
        let start = self.next * BLOCK_BYTES;
        // struct tpacket_block_desc: version, private offset, then status, frames, offset of the first.
        let status = word(&self.received, start + 8);
        if status.load(Ordering::Acquire) & TO_USER == 0 {
            return;
        }
        let frames = word(&self.received, start + 12).load(Ordering::Relaxed);
        let mut at = start + word(&self.received, start + 16).load(Ordering::Relaxed) as usize;
        for _ in 0..frames {
            // struct tpacket3_hdr: offset of the next, seconds, nanoseconds, captured length, length, status, 16 bits of offset.
            let length = word(&self.received, at + 12).load(Ordering::Relaxed) as usize;
            let offset = (word(&self.received, at + 24).load(Ordering::Relaxed) & 0xffff) as usize;
            // SAFETY: as above, for the block.
            sink(unsafe { std::slice::from_raw_parts(self.received.at(at + offset, length), length) });
            at += word(&self.received, at).load(Ordering::Relaxed) as usize;
        }
        status.store(TO_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % BLOCKS;
    }
}

impl Interface for PacketMmap {
    fn fd(&self) -> RawFd {
        self.receiver.as_raw_fd()
    }

    fn receive(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        match self.version {
            Version::V2 => self.receive_frames(sink),
            Version::V3 => self.receive_block(sink),
        }
        Ok(())
    }

    fn send(&mut self, frame: &[u8]) {
        let start = self.next_sent * FRAME_ROOM;
        let status = word(&self.sent, start);
        if status.load(Ordering::Acquire) != TO_KERNEL || frame.len() > FRAME_ROOM - SENT_FRAME_OFFSET {
            return;
        }
        word(&self.sent, start + 4).store(frame.len() as u32, Ordering::Relaxed);
        let room = self.sent.at(start + SENT_FRAME_OFFSET, frame.len());
        // SAFETY: the room was checked by `at`, and lies in another mapping than the frame.
        unsafe { std::ptr::copy_nonoverlapping(frame.as_ptr(), room, frame.len()) };
        status.store(TO_SEND, Ordering::Release);
        self.next_sent = (self.next_sent + 1) % SHARED_FRAMES;
    }

    fn flush(&mut self) {
        // SAFETY: no buffer: the kernel takes the frames that the ring has to send.
        unsafe { libc::send(self.sender.as_raw_fd(), std::ptr::null(), 0, libc::MSG_DONTWAIT) };
    }
}

fn places() -> Request {
    Request {
        block_bytes: BLOCK_BYTES as u32,
        blocks: BLOCKS as u32,
        frame_bytes: FRAME_ROOM as u32,
        frames: SHARED_FRAMES as u32,
    }
}

fn word(memory: &Mapped, offset: usize) -> &AtomicU32 {
    // SAFETY: four bytes of the mapping, which lives as long as the reference; every offset is a multiple of four.
    unsafe { AtomicU32::from_ptr(memory.at(offset, 4).cast()) }
}
