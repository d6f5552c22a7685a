//! Memory shared with the kernel.

use std::io;
use std::os::fd::RawFd;
use std::ptr;

/// A mapping, until it is dropped.
#[derive(Debug)]
pub struct Mapped {
    start: *mut u8,
    length: usize,
}

// SAFETY: memory is the same for every thread; its owner and the kernel agree on the use of each part of it.
unsafe impl Send for Mapped {}

impl Mapped {
    /// Maps a part of the object that a descriptor stands for.
    pub fn of(fd: RawFd, length: usize, offset: libc::off_t) -> io::Result<Self> {
        Self::map(fd, length, offset, libc::MAP_SHARED | libc::MAP_POPULATE)
    }

    /// Memory of its own, on page boundaries.
    pub fn anonymous(length: usize) -> io::Result<Self> {
        Self::map(-1, length, 0, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE)
    }

    fn map(fd: RawFd, length: usize, offset: libc::off_t, flags: libc::c_int) -> io::Result<Self> {
        // SAFETY: a new mapping at a place the kernel chooses.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, fd, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start: start.cast(), length })
    }

    /// The place `offset` bytes from its beginning, with room for `length` bytes.
    ///
    /// # Panics
    /// If that is not within the mapping.
    pub fn at(&self, offset: usize, length: usize) -> *mut u8 {
        assert!(offset + length <= self.length, "{length} bytes at {offset} are not within {}", self.length);
        // SAFETY: within the mapping, as has just been seen.
        unsafe { self.start.add(offset) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the memory that was mapped, and nothing uses it any more.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}
