//! Buffers that the kernel puts frames into, whichever device they come from.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::IoUring;
use io_uring::types::BufRingEntry;

use crate::packet_socket::FRAME_ROOM;

/// A power of two.
pub(crate) const BUFFERS: u16 = 64;
const PAGE_BYTES: usize = 4096;

/// A ring of free buffers, shared with the kernel, and the buffers behind it.
pub(crate) struct FrameBuffers {
    memory: NonNull<u8>,
    tail: u16,
}

// SAFETY: nothing else points to the memory but the kernel, to which all threads are equal.
unsafe impl Send for FrameBuffers {}

impl FrameBuffers {
    /// The only group of buffers there is.
    pub(crate) const GROUP: u16 = 0;

    /// Makes them known to the kernel. They have to live as long as `uring`.
    pub(crate) fn register(uring: &IoUring) -> io::Result<Self> {
        // SAFETY: the layout is not empty.
        let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout()) }) else { handle_alloc_error(layout()) };
        let mut buffers = Self { memory, tail: 0 };
        // SAFETY: a page of this process that lives as long as the ring does, by the order of the fields of its owner.
        unsafe {
            uring.submitter().register_buf_ring_with_flags(memory.as_ptr() as u64, BUFFERS, Self::GROUP, 0)?;
        }
        for buffer in 0..BUFFERS {
            buffers.give_back(buffer);
        }
        Ok(buffers)
    }

    /// The frame that the kernel has put into a buffer.
    pub(crate) fn frame(&self, buffer: u16, length: usize) -> &[u8] {
        // SAFETY: inside the memory; the kernel leaves a buffer alone until it is given back, which takes `&mut self`.
        unsafe { std::slice::from_raw_parts(self.address(buffer), length.min(FRAME_ROOM)) }
    }

    /// The kernel may use a buffer again.
    pub(crate) fn give_back(&mut self, buffer: u16) {
        let entries = self.memory.as_ptr().cast::<BufRingEntry>();
        let address = self.address(buffer) as u64;
        // SAFETY: the entry is inside the first page; the kernel reads it after the tail has moved on, and not before.
        unsafe {
            let entry = &mut *entries.add(usize::from(self.tail % BUFFERS));
            entry.set_addr(address);
            entry.set_len(FRAME_ROOM as u32);
            entry.set_bid(buffer);
        }
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the tail is a 16-bit number in the first page, which the kernel reads while we write it.
        unsafe { (*BufRingEntry::tail(entries).cast::<AtomicU16>()).store(self.tail, Ordering::Release) };
    }

    fn address(&self, buffer: u16) -> *const u8 {
        // SAFETY: the number is taken into range, so this is inside the memory.
        unsafe { self.memory.as_ptr().add(PAGE_BYTES + usize::from(buffer % BUFFERS) * FRAME_ROOM) }
    }
}

impl Drop for FrameBuffers {
    fn drop(&mut self) {
        // SAFETY: allocated with the same layout.
        unsafe { dealloc(self.memory.as_ptr(), layout()) };
    }
}

/// A page with the ring, and the buffers.
fn layout() -> Layout {
    const { assert!(BUFFERS.is_power_of_two() && BUFFERS as usize * size_of::<BufRingEntry>() <= PAGE_BYTES) };
    // Cannot fail: the size is a constant far below the limit, the alignment a power of two.
    Layout::from_size_align(PAGE_BYTES + usize::from(BUFFERS) * FRAME_ROOM, PAGE_BYTES).unwrap_or(Layout::new::<u8>())
}
