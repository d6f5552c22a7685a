//! Records the frames that pass chosen places, and makes nobody wait for it.
//!
//! The forwarding thread copies the beginning of each frame into a buffer, which goes to the writer of the samples with
//! the next sample. This needs no further thread and no further wake-up. In virtual time a run is therefore the same
//! with and without.

use std::fs::File;
use std::io::{self, BufWriter};

use crate::config::FramesConfig;
use crate::frame_way::Way;
use crate::pcapng;

/// The forwarding thread's side.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    batch: Batch,
    /// Of each interface.
    snap_bytes: Vec<usize>,
    left_bytes: u64,
    /// Of each interface, since there was no room left.
    missed: Vec<u64>,
}

/// Frames between two samples.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    notes: Vec<Note>,
    bytes: Vec<u8>,
    /// Frames of each interface that there was no room for; only in the last batch.
    missed: Vec<u64>,
}

/// The data about a frame; its bytes follow those of the one before.
#[derive(Debug, Clone, Copy)]
struct Note {
    time_ns: u64,
    interface: u32,
    way: Way,
    length: usize,
    first: usize,
    kept: usize,
}

impl Recording {
    pub(crate) fn new(config: &FramesConfig) -> Self {
        Self {
            batch: Batch::default(),
            snap_bytes: config.interfaces.iter().map(|interface| interface.snap_bytes).collect(),
            left_bytes: config.most_bytes,
            missed: vec![0; config.interfaces.len()],
        }
    }

    /// Notes a frame, if somebody wants those of this place.
    pub(crate) fn note(&mut self, interface: Option<u32>, way: Way, frame: &[u8], time_ns: u64) {
        let Some(interface) = interface else { return };
        let snap_bytes = self.snap_bytes.get(interface as usize).copied().unwrap_or_default();
        let kept = frame.len().min(snap_bytes);
        let room = pcapng::frame_bytes(kept);
        if self.left_bytes < room {
            self.left_bytes = 0; // what comes later is missed too, however short it is
            if let Some(missed) = self.missed.get_mut(interface as usize) {
                *missed += 1;
            }
            return;
        }
        self.left_bytes -= room;
        let Batch { notes, bytes, .. } = &mut self.batch;
        notes.push(Note { time_ns, interface, way, length: frame.len(), first: bytes.len(), kept });
        bytes.extend_from_slice(&frame[..kept]);
    }

    /// Gives the recorded frames in exchange for an empty batch.
    pub(crate) fn swap(&mut self, batch: &mut Batch) {
        std::mem::swap(&mut self.batch, batch);
    }

    /// How many frames of each interface there was no room for.
    pub(crate) fn missed(&self) -> &[u64] {
        &self.missed
    }
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.notes.clear();
        self.bytes.clear();
        self.missed.clear();
    }

    /// Says that this is the last batch.
    pub(crate) fn close(&mut self, missed: &[u64]) {
        self.missed.extend_from_slice(missed);
    }
}

/// The writer's side: a pcapng file.
#[derive(Debug)]
pub(crate) struct FrameFile {
    file: BufWriter<File>,
    last_ns: u64,
}

impl FrameFile {
    pub(crate) fn create(config: &FramesConfig) -> io::Result<Self> {
        let with_path = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", config.file.display()));
        let mut file = BufWriter::with_capacity(1 << 16, File::create(&config.file).map_err(with_path)?);
        pcapng::begin(&mut file, &config.interfaces).map_err(with_path)?;
        Ok(Self { file, last_ns: 0 })
    }

    /// Writes a batch, in the order of time.
    pub(crate) fn write(&mut self, batch: &mut Batch) -> io::Result<()> {
        batch.notes.sort_by_key(|note| note.time_ns);
        for note in &batch.notes {
            let Note { time_ns, interface, way, length, first, kept } = *note;
            pcapng::frame(&mut self.file, interface, way, time_ns, length, &batch.bytes[first..first + kept])?;
            self.last_ns = time_ns;
        }
        for (interface, missed) in (0..).zip(&batch.missed) {
            pcapng::statistics(&mut self.file, interface, self.last_ns, *missed)?;
            if *missed > 0 {
                tracing::warn!(interface, missed, "the file of frames is full: these are missing in it");
            }
        }
        Ok(())
    }

    pub(crate) fn file(&mut self) -> &mut BufWriter<File> {
        &mut self.file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{FramesInterface, LinkEnd};

    fn recording(most_bytes: u64) -> Recording {
        let interface = |name: &str| FramesInterface {
            name: name.into(),
            switch: "s1".into(),
            port: 1,
            end: LinkEnd::Switch,
            link_type: 1,
            snap_bytes: 96,
        };
        let interfaces = vec![interface("s1-h1"), interface("s1-s2")];
        Recording::new(&FramesConfig { file: "unused".into(), interfaces, most_bytes })
    }

    #[test]
    fn what_there_is_no_room_for_is_counted_by_interface() {
        let mut recording = recording(pcapng::frame_bytes(96) + pcapng::frame_bytes(60) + 4);
        recording.note(Some(0), Way::In, &[0; 1500], 1);
        recording.note(None, Way::In, &[0; 1500], 2);
        recording.note(Some(1), Way::Out, &[0; 60], 3);
        recording.note(Some(1), Way::Out, &[0; 60], 4);
        recording.note(Some(0), Way::In, &[], 5);
        assert_eq!(recording.missed(), [1, 1]);
        let mut batch = Batch::default();
        recording.swap(&mut batch);
        let kept: Vec<_> = batch.notes.iter().map(|note| (note.time_ns, note.length, note.kept)).collect();
        assert_eq!(kept, [(1, 1500, 96), (3, 60, 60)]);
    }

    #[test]
    fn a_frame_takes_the_room_that_is_counted_for_it() {
        for kept in [0, 1, 60, 96] {
            let mut out = Vec::new();
            pcapng::frame(&mut out, 0, Way::In, 7, 1500, &vec![0; kept]).expect("memory takes all");
            assert_eq!(out.len() as u64, pcapng::frame_bytes(kept));
        }
    }
}
