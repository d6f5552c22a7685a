//! Frames that the kernel puts into memory shared with it, without a system call and a copy for each: PACKET_MMAP, version 2.
//!
//! Only for receiving. The kernel copies frames sent by such a ring all the same where they enter another network
//! namespace or a socket. It was no faster than messages (`python -m bench`, `packet_mmap_v2` beside `ring_in`).

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::arrival::Clocks;
use crate::mapped::Mapped;
use crate::packet_socket::{BATCH, FRAME_ROOM, TAG_BYTES, set_option};
use crate::vlan_tag;

const PACKET_RX_RING: libc::c_int = 5;
const PACKET_COPY_THRESH: libc::c_int = 7;
const PACKET_VERSION: libc::c_int = 10;
const PACKET_RESERVE: libc::c_int = 12;
const TPACKET_V2: libc::c_int = 1;
const TO_KERNEL: u32 = 0;
const TO_USER: u32 = 1;
/// The frame has not found room in its place: it waits whole in the socket's own buffer.
const IN_SOCKET: u32 = 1 << 1;
/// Small enough to be had from a kernel whose memory is in pieces.
const BLOCK_BYTES: usize = 1 << 16;
/// A frame of an Ethernet with an MTU of 1,500 with its tags, and the header that the kernel writes in front of it.
const PLACE_BYTES: usize = 1600;
const PLACES_OF_BLOCK: usize = BLOCK_BYTES / PLACE_BYTES;
/// The size of all rings of a switch together. A virtual machine stands still for some milliseconds now and then: one
/// of two interfaces then keeps 5,000 frames.
const ALL_RINGS_BYTES: usize = 16 << 20;
/// The size of one ring, at least and at most.
const RING_BYTES: std::ops::RangeInclusive<usize> = 1 << 20..=8 << 20;

/// `struct tpacket_req`.
#[repr(C)]
#[derive(Default)]
struct Request {
    block_bytes: u32,
    blocks: u32,
    place_bytes: u32,
    places: u32,
}

/// `struct tpacket2_hdr`, in front of each frame.
#[repr(C)]
struct Header {
    status: u32,
    length: u32,
    length_here: u32,
    frame_offset: u16,
    network_offset: u16,
    seconds: u32,
    nanoseconds: u32,
    vlan_control: u16,
    vlan_protocol: u16,
    padding: [u8; 4],
}

/// The part of a switch's memory for rings that one of its interfaces gets.
#[must_use]
pub fn ring_bytes(interfaces: usize) -> usize {
    (ALL_RINGS_BYTES / interfaces.max(1)).clamp(*RING_BYTES.start(), *RING_BYTES.end())
}

/// The memory, with the place that the kernel fills next.
pub(crate) struct ReceiveRing {
    memory: Mapped,
    places: usize,
    next: usize,
    /// For frames that are larger than a place.
    large: Vec<u8>,
}

impl ReceiveRing {
    /// Gives a socket a ring of so many bytes, or a little less, before it is bound.
    ///
    /// # Errors
    /// The kernel has none, or no memory for it; the socket then gives messages.
    pub(crate) fn attach(socket: &OwnedFd, bytes: usize) -> io::Result<Self> {
        let set = |name, value: &[u8]| set_option(socket, libc::SOL_PACKET, name, value);
        set(PACKET_VERSION, &TPACKET_V2.to_ne_bytes())?;
        set(PACKET_RESERVE, &(TAG_BYTES as u32).to_ne_bytes())?;
        set(PACKET_COPY_THRESH, &1i32.to_ne_bytes())?;
        let blocks = bytes / BLOCK_BYTES;
        let places = blocks * PLACES_OF_BLOCK;
        let too_large = |_| io::Error::from_raw_os_error(libc::EINVAL);
        let request = Request {
            block_bytes: BLOCK_BYTES as u32,
            blocks: u32::try_from(blocks).map_err(too_large)?,
            place_bytes: PLACE_BYTES as u32,
            places: u32::try_from(places).map_err(too_large)?,
        };
        set(PACKET_RX_RING, request.bytes())?;
        match Mapped::of(socket.as_raw_fd(), blocks * BLOCK_BYTES, 0) {
            Ok(memory) => Ok(Self { memory, places, next: 0, large: Vec::new() }),
            Err(error) => {
                set(PACKET_RX_RING, Request::default().bytes())?;
                Err(error)
            }
        }
    }

    /// Takes up to [`BATCH`] frames; `sink` gets each with its arrival time and whether its checksum is missing.
    pub(crate) fn receive(&mut self, fd: RawFd, sink: &mut dyn FnMut(&[u8], u64, bool)) -> io::Result<usize> {
        if self.status().load(Ordering::Acquire) & TO_USER == 0 {
            // Woken without a frame: then there may be an error, which nobody else takes away.
            return pending_error(fd).map_or(Ok(0), Err);
        }
        let clocks = Clocks::read();
        for count in 0..BATCH {
            if self.status().load(Ordering::Acquire) & TO_USER == 0 {
                return Ok(count);
            }
            self.take(fd, &clocks, sink);
            self.status().store(TO_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % self.places;
        }
        Ok(BATCH)
    }

    /// Gives the frame in the next place to `sink`, if it is whole.
    fn take(&mut self, fd: RawFd, clocks: &Clocks, sink: &mut dyn FnMut(&[u8], u64, bool)) {
        // SAFETY: a header is plain numbers, in a place that the kernel has filled and leaves alone until it has it back.
        let header: Header = unsafe { self.place(0, mem::size_of::<Header>()).cast::<Header>().read() };
        let realtime_ns = u64::from(header.seconds) * 1_000_000_000 + u64::from(header.nanoseconds);
        let arrival_ns = clocks.arrival_ns(Some(realtime_ns));
        let checksum_missing = header.status & libc::TP_STATUS_CSUMNOTREADY != 0;
        let tag = vlan_tag::of(header.status, header.vlan_control, header.vlan_protocol);
        let room = if header.status & IN_SOCKET != 0 {
            let Some(length) = self.read_large(fd) else { return };
            &mut self.large[..TAG_BYTES + length]
        } else if header.length_here == header.length {
            let (offset, length) = (usize::from(header.frame_offset), header.length as usize);
            let place = self.place(offset - TAG_BYTES, TAG_BYTES + length);
            // SAFETY: `place` has seen to it that this is within the memory; the room in front was asked for.
            unsafe { std::slice::from_raw_parts_mut(place, TAG_BYTES + length) }
        } else {
            // A large frame for which the socket's own buffer had no room either is lost, as any frame is then.
            return;
        };
        sink(vlan_tag::put_back(room, tag), arrival_ns, checksum_missing);
    }

    /// Reads a frame that waits in the socket; how long it is.
    fn read_large(&mut self, fd: RawFd) -> Option<usize> {
        self.large.resize(TAG_BYTES + FRAME_ROOM, 0);
        let room = &mut self.large[TAG_BYTES..];
        // SAFETY: the room lives through the call and its length is given.
        let length = unsafe { libc::recv(fd, room.as_mut_ptr().cast(), room.len(), libc::MSG_DONTWAIT) };
        usize::try_from(length).ok()
    }

    fn status(&self) -> &AtomicU32 {
        // SAFETY: four bytes of the mapping, on a boundary of 16, which the kernel writes to as one.
        unsafe { AtomicU32::from_ptr(self.place(0, mem::size_of::<u32>()).cast()) }
    }

    /// So many bytes of the next place.
    fn place(&self, offset: usize, length: usize) -> *mut u8 {
        let start = self.next / PLACES_OF_BLOCK * BLOCK_BYTES + self.next % PLACES_OF_BLOCK * PLACE_BYTES;
        self.memory.at(start + offset, length)
    }
}

impl Request {
    fn bytes(&self) -> &[u8] {
        // SAFETY: four numbers without anything between.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), mem::size_of::<Self>()) }
    }
}

/// The error of a socket since it was last asked.
fn pending_error(fd: RawFd) -> Option<io::Error> {
    let mut error: libc::c_int = 0;
    let mut length = mem::size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the number and its length live through the call.
    let result =
        unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_ERROR, (&raw mut error).cast(), &raw mut length) };
    (result == 0 && error != 0).then(|| io::Error::from_raw_os_error(error))
}
