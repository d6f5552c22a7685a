//! A link to a switch in another kernel (docs/several-kernels.md): frames, and how far each side is, in memory that both kernels share.
//!
//! Time is cut into windows as long as the shortest delay of such a link. A frame that is sent in one window arrives in the next one at
//! the earliest. So the sides meet at the end of each window, and each takes the frames that the other has sent until then. Neither gets
//! one too late, and their order does not depend on the sides' real speeds.

use std::fs::OpenOptions;
use std::hint::spin_loop;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use ports::Mapped;

use crate::config::CrossingConfig;
use crate::slack::MAX_SLACK_NS;

/// Of a side's part of the memory, before its frames: `REACHED`, `WRITTEN`, `TAKEN`.
const HEADER_BYTES: usize = 64;
/// The time until which the side has sent all its frames, ns of CLOCK_MONOTONIC.
const REACHED: usize = 0;
/// Bytes that the side has written since it began.
const WRITTEN: usize = 8;
/// Bytes of the other side's frames that this side has taken.
const TAKEN: usize = 16;
/// Before each frame: when it was sent, and its bytes.
const FRAME_HEADER_BYTES: usize = 16;
/// Instead of a frame's bytes: the next one is at the beginning again.
const WRAPPED: u64 = u64::MAX;
/// All times are reached: the side has ended.
const ENDED: u64 = u64::MAX;

/// One side of the link.
#[derive(Debug)]
pub(crate) struct Crossing {
    memory: Mapped,
    /// Where the parts of this side and of the other one begin.
    own: usize,
    other: usize,
    /// Of a part, for frames.
    room: usize,
    delay_ns: u64,
    waits: bool,
}

impl Crossing {
    /// Opens the shared memory.
    ///
    /// # Errors
    /// It cannot be opened, or is too small.
    pub(crate) fn open(config: &CrossingConfig) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(&config.memory)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() < config.bytes as u64 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the file is smaller than the memory that it stands for",
            ));
        }
        let memory = Mapped::of(file.as_raw_fd(), config.bytes, 0)?;
        let part = config.bytes / 2 / 8 * 8;
        let Some(room) = part.checked_sub(HEADER_BYTES + FRAME_HEADER_BYTES) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the memory is too small for a frame"));
        };
        let (own, other) = if config.is_second { (part, 0) } else { (0, part) };
        Ok(Self { memory, own, other, room, delay_ns: config.delay_ns, waits: config.waits })
    }

    /// Of the link.
    pub(crate) fn delay_ns(&self) -> u64 {
        self.delay_ns
    }

    /// How late a frame may be sent. If the sides meet, all are sent before they do.
    pub(crate) fn slack_ns(&self) -> u64 {
        if self.waits { MAX_SLACK_NS } else { 0 }
    }

    /// Sends a frame. Returns false if there is no room for it.
    pub(crate) fn send(&self, frame: &[u8], sent_ns: u64) -> bool {
        let written = self.number(self.own, WRITTEN);
        let taken = self.number(self.other, TAKEN).load(Ordering::Acquire);
        let mut at = written.load(Ordering::Relaxed);
        let needed = FRAME_HEADER_BYTES + frame.len().next_multiple_of(8);
        let left = self.room - self.place(at);
        // A whole header stays free behind a frame, so that the mark of the end always fits.
        let skipped = if left < needed + FRAME_HEADER_BYTES { left } else { 0 };
        if at - taken + (skipped + needed) as u64 > self.room as u64 || needed + FRAME_HEADER_BYTES > self.room {
            return false;
        }
        if skipped > 0 {
            self.number(self.own, HEADER_BYTES + self.place(at) + 8).store(WRAPPED, Ordering::Relaxed);
            at += skipped as u64;
        }
        let start = HEADER_BYTES + self.place(at);
        self.number(self.own, start).store(sent_ns, Ordering::Relaxed);
        self.number(self.own, start + 8).store(frame.len() as u64, Ordering::Relaxed);
        let target = self.memory.at(self.own + start + FRAME_HEADER_BYTES, frame.len());
        // SAFETY: `at` has checked the place; the other side does not read it before `WRITTEN` has grown.
        unsafe { target.copy_from_nonoverlapping(frame.as_ptr(), frame.len()) };
        written.store(at + needed as u64, Ordering::Release);
        true
    }

    /// Tells the other side that all frames sent before `at_ns` are there.
    pub(crate) fn reach(&self, at_ns: u64) {
        self.number(self.own, REACHED).store(at_ns, Ordering::Release);
    }

    /// Waits until the other side has told the same. Nothing else happens in this kernel meanwhile, and no virtual time goes by.
    pub(crate) fn wait(&self, at_ns: u64) {
        while self.waits && self.number(self.other, REACHED).load(Ordering::Acquire) < at_ns {
            spin_loop();
        }
    }

    /// Hands over the frames that the other side has sent before `before_ns`, with the times of their arrival.
    pub(crate) fn take(&self, before_ns: u64, mut arrives: impl FnMut(&[u8], u64)) {
        let written = self.number(self.other, WRITTEN).load(Ordering::Acquire);
        let taken = self.number(self.own, TAKEN);
        let mut at = taken.load(Ordering::Relaxed);
        while at < written {
            let start = HEADER_BYTES + self.place(at);
            let bytes = self.number(self.other, start + 8).load(Ordering::Relaxed);
            if bytes == WRAPPED {
                at += (self.room - self.place(at)) as u64;
                continue;
            }
            let sent_ns = self.number(self.other, start).load(Ordering::Relaxed);
            // The other kernel wrote the length; a wrong one must not lead out of the memory.
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(self.room - self.place(at));
            if sent_ns >= before_ns {
                break;
            }
            let source = self.memory.at(self.other + start + FRAME_HEADER_BYTES, bytes);
            // SAFETY: `at` has checked the place; the other side does not write there before `TAKEN` has grown.
            arrives(unsafe { std::slice::from_raw_parts(source, bytes) }, sent_ns.saturating_add(self.delay_ns));
            at += (FRAME_HEADER_BYTES + bytes.next_multiple_of(8)) as u64;
        }
        taken.store(at, Ordering::Release);
    }

    fn place(&self, at: u64) -> usize {
        (at % self.room as u64) as usize
    }

    fn number(&self, part: usize, offset: usize) -> &AtomicU64 {
        let place = self.memory.at(part + offset, 8);
        // SAFETY: within the mapping, which lives as long as `self`, and a multiple of 8 as all places of numbers are.
        unsafe { AtomicU64::from_ptr(place.cast()) }
    }
}

impl Drop for Crossing {
    fn drop(&mut self) {
        self.reach(ENDED);
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    const BYTES: usize = 1024;

    fn sides(memory: &Path) -> [Crossing; 2] {
        [false, true].map(|is_second| {
            let config = CrossingConfig { memory: memory.into(), bytes: BYTES, is_second, delay_ns: 1000, waits: true };
            Crossing::open(&config).expect("memory")
        })
    }

    fn memory() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("memory");
        std::fs::write(&file, [0; BYTES]).expect("a file");
        (folder, file)
    }

    fn taken(side: &Crossing, before_ns: u64) -> Vec<(Vec<u8>, u64)> {
        let mut found = Vec::new();
        side.take(before_ns, |frame, arrival_ns| found.push((frame.to_vec(), arrival_ns)));
        found
    }

    #[test]
    fn frames_of_a_window_cross_and_those_of_the_next_wait() {
        let (_folder, file) = memory();
        let [first, second] = sides(&file);
        assert!(first.send(b"one", 10) && first.send(b"two, longer", 20) && second.send(b"back", 15));
        assert_eq!(taken(&second, 20), [(b"one".to_vec(), 1010)]);
        assert_eq!(taken(&second, 20), []);
        assert_eq!(taken(&second, 21), [(b"two, longer".to_vec(), 1020)]);
        assert_eq!(taken(&first, 16), [(b"back".to_vec(), 1015)]);
    }

    #[test]
    fn the_memory_is_used_again_and_never_overrun() {
        let (_folder, file) = memory();
        let [first, second] = sides(&file);
        for round in 0..200u64 {
            let frames: Vec<Vec<u8>> = (0..round % 5).map(|size| vec![round as u8; 17 * size as usize + 3]).collect();
            for frame in &frames {
                assert!(first.send(frame, round), "round {round}");
            }
            let got: Vec<_> = taken(&second, round + 1).into_iter().map(|(frame, _)| frame).collect();
            assert_eq!(got, frames);
        }
        let sent = (0..100).take_while(|_| first.send(&[7; 100], 300)).count();
        assert!((2..5).contains(&sent), "{sent}");
        assert_eq!(taken(&second, 301).len(), sent);
        assert!(!first.send(&[0; BYTES], 400));
    }

    #[test]
    fn a_side_waits_for_the_other_one_and_not_for_one_that_has_ended() {
        let (_folder, file) = memory();
        let [first, second] = sides(&file);
        let other = std::thread::spawn(move || {
            for at_ns in 1..=1000 {
                assert!(second.send(&[1], at_ns - 1));
                second.reach(at_ns);
                second.wait(at_ns);
                second.take(at_ns, |_, _| {});
            }
        });
        for at_ns in 1..=1000 {
            first.reach(at_ns);
            first.wait(at_ns);
            assert_eq!(taken(&first, at_ns).len(), 1, "at {at_ns}");
        }
        other.join().expect("no panic");
        first.wait(5000);
    }

    #[test]
    fn too_little_memory_is_refused() {
        let (_folder, file) = memory();
        for (bytes, why) in [(64, "too small for a frame"), (BYTES + 1, "the file is smaller")] {
            let config = CrossingConfig { memory: file.clone(), bytes, is_second: false, delay_ns: 1, waits: false };
            let error = Crossing::open(&config).expect_err("too little");
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
