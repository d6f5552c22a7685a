//! Writes the frames that go through a port to pcap files.
//!
//! The forwarding thread hands over copies; a thread of its own writes them. If the disk does not keep up, frames are
//! missing from the files, never from the network.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::JoinHandle;

use ports::clock;

use crate::config::CaptureConfig;
use crate::frame_way::Way;

/// Frames the writer may be behind by.
const BACKLOG: usize = 8192;

/// The files of one engine, before it starts.
#[derive(Debug)]
pub(crate) struct CaptureFiles {
    files: Vec<BufWriter<File>>,
    sender: SyncSender<Record>,
    records: Receiver<Record>,
}

/// One port's way to its two files.
#[derive(Debug)]
pub(crate) struct Capture {
    incoming: usize,
    outgoing: usize,
    sender: SyncSender<Record>,
    lost: u64,
}

#[derive(Debug)]
struct Record {
    file: usize,
    /// CLOCK_MONOTONIC.
    time_ns: u64,
    frame: Vec<u8>,
}

impl CaptureFiles {
    pub(crate) fn new() -> Self {
        let (sender, records) = sync_channel(BACKLOG);
        Self { files: Vec::new(), sender, records }
    }

    /// Creates the files of a port.
    pub(crate) fn add(&mut self, config: &CaptureConfig) -> io::Result<Capture> {
        let (incoming, outgoing) = (self.create(&config.incoming)?, self.create(&config.outgoing)?);
        Ok(Capture { incoming, outgoing, sender: self.sender.clone(), lost: 0 })
    }

    fn create(&mut self, path: &Path) -> io::Result<usize> {
        let with_path = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut file = BufWriter::new(File::create(path).map_err(with_path)?);
        file.write_all(&file_header()).map_err(with_path)?;
        self.files.push(file);
        Ok(self.files.len() - 1)
    }

    /// Starts the writer, if there is anything to write. It ends when all ports have let go of it.
    pub(crate) fn start(self) -> io::Result<Option<JoinHandle<()>>> {
        let Self { files, sender, records } = self;
        drop(sender);
        if files.is_empty() {
            return Ok(None);
        }
        // Time stamps in pcap files are those of the wall clock.
        let offset_ns = clock::realtime_ns().wrapping_sub(clock::monotonic_ns());
        let write = move || write_all(files, &records, offset_ns);
        std::thread::Builder::new().name("capture".into()).spawn(write).map(Some)
    }
}

impl Capture {
    /// Notes a frame.
    pub(crate) fn record(&mut self, way: Way, frame: &[u8], time_ns: u64) {
        let file = match way {
            Way::In => self.incoming,
            Way::Out => self.outgoing,
        };
        let record = Record { file, time_ns, frame: frame.to_vec() };
        if let Err(TrySendError::Full(_)) = self.sender.try_send(record) {
            self.lost += 1;
            if self.lost == 1 {
                tracing::warn!("frames are missing from the pcap files: the disk does not keep up");
            }
        }
    }
}

fn write_all(mut files: Vec<BufWriter<File>>, records: &Receiver<Record>, offset_ns: u64) {
    let mut write = || -> io::Result<()> {
        loop {
            let record = match records.try_recv() {
                Ok(record) => record,
                Err(TryRecvError::Disconnected) => return Ok(()),
                // Nothing to do for the moment: let others see the frames so far.
                Err(TryRecvError::Empty) => {
                    files.iter_mut().try_for_each(BufWriter::flush)?;
                    match records.recv() {
                        Ok(record) => record,
                        Err(_) => return Ok(()),
                    }
                }
            };
            if let Some(file) = files.get_mut(record.file) {
                file.write_all(&record_header(record.time_ns.wrapping_add(offset_ns), record.frame.len()))?;
                file.write_all(&record.frame)?;
            }
        }
    };
    if let Err(error) = write() {
        tracing::error!(%error, "cannot write pcap files; going on without");
    }
    if let Err(error) = files.iter_mut().try_for_each(BufWriter::flush) {
        tracing::error!(%error, "cannot finish the pcap files");
    }
}

/// pcap with nanosecond time stamps, Ethernet.
fn file_header() -> [u8; 24] {
    let mut header = [0; 24];
    header[0..4].copy_from_slice(&0xa1b2_3c4d_u32.to_ne_bytes());
    header[4..6].copy_from_slice(&2u16.to_ne_bytes());
    header[6..8].copy_from_slice(&4u16.to_ne_bytes());
    header[16..20].copy_from_slice(&262_144u32.to_ne_bytes());
    header[20..24].copy_from_slice(&1u32.to_ne_bytes());
    header
}

fn record_header(time_ns: u64, length: usize) -> [u8; 16] {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let mut header = [0; 16];
    header[0..4].copy_from_slice(&((time_ns / 1_000_000_000) as u32).to_ne_bytes());
    header[4..8].copy_from_slice(&((time_ns % 1_000_000_000) as u32).to_ne_bytes());
    header[8..12].copy_from_slice(&length.to_ne_bytes());
    header[12..16].copy_from_slice(&length.to_ne_bytes());
    header
}
