//! The rings of an AF_XDP socket: single producer, single consumer, a power of two of places.

use std::io;
use std::marker::PhantomData;
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::SHARED_FRAMES;
use ports::Mapped;

/// `struct xdp_desc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Frame {
    /// Where it begins, from the beginning of the memory.
    pub address: u64,
    /// Bytes.
    pub length: u32,
    /// None.
    pub options: u32,
}

/// A ring of addresses in the memory.
pub type Addresses = Ring<u64>;
/// A ring of frames.
pub type Descriptors = Ring<Frame>;

/// One side of a ring.
pub struct Ring<T> {
    memory: Mapped,
    producer: usize,
    consumer: usize,
    entries: usize,
    /// Taken or put by this side, and how many of them the kernel knows of.
    here: u32,
    known: u32,
    kind: PhantomData<T>,
}

impl<T: Copy> Ring<T> {
    /// Maps it.
    pub fn map(fd: RawFd, places: &libc::xdp_ring_offset, page: libc::off_t) -> io::Result<Self> {
        let entries = places.desc as usize;
        let memory = Mapped::of(fd, entries + SHARED_FRAMES * mem::size_of::<T>(), page)?;
        let (producer, consumer) = (places.producer as usize, places.consumer as usize);
        Ok(Self { memory, producer, consumer, entries, here: 0, known: 0, kind: PhantomData })
    }

    /// As producer: puts an entry, which the kernel sees at the next [`Self::publish`]. There is room: there are as many places as frames.
    pub fn put(&mut self, entry: T) {
        let place = self.place(self.here);
        // SAFETY: within the ring, aligned, and the kernel does not read it before it is published.
        unsafe { place.write(entry) };
        self.here = self.here.wrapping_add(1);
    }

    /// As producer: how many entries were new.
    pub fn publish(&mut self) -> usize {
        let new = self.here.wrapping_sub(self.known);
        if new > 0 {
            self.word(self.producer).store(self.here, Ordering::Release);
            self.known = self.here;
        }
        new as usize
    }

    /// As consumer: the next entry.
    pub fn take(&mut self) -> Option<T> {
        if self.word(self.producer).load(Ordering::Acquire) == self.here {
            return None;
        }
        // SAFETY: within the ring, aligned, and written before the producer's number.
        let entry = unsafe { self.place(self.here).read() };
        self.here = self.here.wrapping_add(1);
        Some(entry)
    }

    /// As consumer: gives the places of the taken entries back.
    pub fn release(&mut self) {
        if self.here != self.known {
            self.word(self.consumer).store(self.here, Ordering::Release);
            self.known = self.here;
        }
    }

    fn place(&self, number: u32) -> *mut T {
        let index = number as usize % SHARED_FRAMES;
        self.memory.at(self.entries + index * mem::size_of::<T>(), mem::size_of::<T>()).cast()
    }

    fn word(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: four aligned bytes of the mapping, which lives as long as the reference.
        unsafe { AtomicU32::from_ptr(self.memory.at(offset, 4).cast()) }
    }
}

/// Where the parts of the rings lie.
pub fn places(socket: &OwnedFd) -> io::Result<libc::xdp_mmap_offsets> {
    // SAFETY: plain numbers.
    let mut places: libc::xdp_mmap_offsets = unsafe { mem::zeroed() };
    let mut length = mem::size_of_val(&places) as libc::socklen_t;
    // SAFETY: the answer has the stated room and lives through the call.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_XDP,
            libc::XDP_MMAP_OFFSETS,
            (&raw mut places).cast(),
            &raw mut length,
        )
    };
    crate::raw_socket::check(result)?;
    Ok(places)
}
