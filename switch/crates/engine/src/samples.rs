//! Cumulative counters at regular intervals, as CSV: of every port, and of the flows and queues that have changed since the last
//! sample. Less often, the state of the switches' programs.
//!
//! The forwarding thread only copies numbers into a buffer; a thread of its own formats and writes them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use links::{Counters, Link, QueueCounters};

use crate::config::SamplesConfig;
use crate::core::Core;
use crate::core::program_state::{StateLine, StateWatcher};
use crate::core::stats::queues_of;
use crate::flow::{FlowCounters, FlowKey, name_of};
use crate::frame_recording::{Batch, FrameFile};
use crate::port::Direction;
use crate::rounds;

/// The forwarding thread's side.
#[derive(Debug)]
pub(crate) struct Sampler {
    interval_ns: u64,
    due_ns: u64,
    to_writer: SyncSender<Sample>,
    /// Buffers that come back to be used again.
    emptied: Receiver<Sample>,
    want_ports: bool,
    want_flows: bool,
    /// Each queue's counters in the last sample, by the port's place in the order of ports.
    queues: Option<HashMap<(usize, u16), QueueCounters>>,
    state: Option<StateWatcher>,
    missed: u64,
}

/// All counters at one instant.
#[derive(Debug, Default)]
struct Sample {
    time_ns: u64,
    ports: Vec<PortSample>,
    flows: Vec<FlowSample>,
    queues: Vec<QueueSample>,
    frames: Batch,
    state: Vec<StateLine>,
    /// Channels to the callers that wait until it is written.
    wanted: Vec<SyncSender<()>>,
}

#[derive(Debug)]
struct PortSample {
    switch: Arc<str>,
    port: u16,
    direction: Direction,
    queue_packets: u64,
    queue_bytes: u64,
    counters: Counters,
}

#[derive(Debug)]
struct FlowSample {
    switch: Arc<str>,
    port: u16,
    key: FlowKey,
    counters: FlowCounters,
}

#[derive(Debug)]
struct QueueSample {
    switch: Arc<str>,
    port: u16,
    queue: u16,
    counters: QueueCounters,
}

/// Samples the writer may be behind by: 2.5 s at 10 ms.
const BACKLOG: usize = 256;

impl Sampler {
    /// Creates the files and starts the writer, which ends when the sampler is dropped.
    pub(crate) fn start(config: &SamplesConfig, now_ns: u64) -> io::Result<(Self, JoinHandle<()>)> {
        let ports = config.ports.as_deref().map(|path| create(path, PORTS_HEADER)).transpose()?;
        let flows = config.flows.as_deref().map(|path| create(path, FLOWS_HEADER)).transpose()?;
        let queues = config.queues.as_deref().map(|path| create(path, QUEUES_HEADER)).transpose()?;
        let frames = config.frames.as_ref().map(FrameFile::create).transpose()?;
        let state = config.state.as_ref().map(|state| open(&state.file)).transpose()?;
        let watcher = config.state.as_ref().map(|state| StateWatcher::new(state.interval, now_ns));
        let (to_writer, samples) = sync_channel(BACKLOG);
        let (give_back, emptied) = sync_channel(BACKLOG);
        let interval_ns = u64::try_from(config.interval.as_nanos()).unwrap_or(u64::MAX).max(1);
        let sampler = Self {
            interval_ns,
            due_ns: rounds::next_ns(now_ns, interval_ns),
            to_writer,
            emptied,
            want_ports: ports.is_some(),
            want_flows: flows.is_some(),
            queues: queues.as_ref().map(|_| HashMap::new()),
            state: watcher,
            missed: 0,
        };
        let written = sampler.state.as_ref().map(StateWatcher::written).unwrap_or_default();
        let writer = Writer { ports, flows, queues, frames, state, written };
        let thread =
            std::thread::Builder::new().name("samples".into()).spawn(move || writer.run(&samples, &give_back))?;
        Ok((sampler, thread))
    }

    /// When the next sample is to be taken.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Takes a sample at `now_ns`; `wanted` are told when it is written, if it is out of turn.
    pub(crate) fn sample(&mut self, core: &mut Core, now_ns: u64, wanted: Vec<SyncSender<()>>) {
        self.due_ns = rounds::next_ns(now_ns, self.interval_ns);
        let mut sample = self.emptied.try_recv().unwrap_or_default();
        sample.time_ns = now_ns;
        sample.ports.clear();
        sample.flows.clear();
        sample.queues.clear();
        sample.frames.clear();
        sample.state.clear();
        if let Some(state) = &mut self.state {
            state.look(core, now_ns, !wanted.is_empty(), &mut sample.state);
        }
        sample.wanted = wanted;
        core.recording_mut().swap(&mut sample.frames);
        for (place, (switch, port)) in core.sampled_ports().enumerate() {
            if self.want_ports {
                sample.ports.push(port_sample(switch, port.number, Direction::Egress, &port.egress));
                if port.has_ingress() {
                    sample.ports.push(port_sample(switch, port.number, Direction::Ingress, &port.ingress));
                }
            }
            if self.want_flows {
                sample.flows.extend(port.flows.take_changed().map(|(key, counters)| FlowSample {
                    switch: Arc::clone(switch),
                    port: port.number,
                    key,
                    counters,
                }));
            }
            if let Some(before) = &mut self.queues {
                let changed = queues_of(&port.egress)
                    .filter(|(queue, counters)| before.insert((place, *queue), *counters) != Some(*counters));
                sample.queues.extend(changed.map(|(queue, counters)| QueueSample {
                    switch: Arc::clone(switch),
                    port: port.number,
                    queue,
                    counters,
                }));
            }
        }
        if let Err(TrySendError::Full(mut sample)) = self.to_writer.try_send(sample) {
            core.recording_mut().swap(&mut sample.frames);
            self.missed += 1;
            if self.missed == 1 {
                tracing::warn!("samples are lost: the disk does not keep up; choose a longer interval");
            }
        }
    }

    /// Hands over the frames since the last sample, when there will be no other.
    pub(crate) fn finish(&self, core: &mut Core) {
        let mut sample = Sample::default();
        core.recording_mut().swap(&mut sample.frames);
        sample.frames.close(core.recording_mut().missed());
        let _ = self.to_writer.send(sample);
    }
}

fn port_sample<Q, F>(switch: &Arc<str>, port: u16, direction: Direction, link: &Link<Q, F>) -> PortSample {
    PortSample {
        switch: Arc::clone(switch),
        port,
        direction,
        queue_packets: link.queue_packets(),
        queue_bytes: link.queue_bytes(),
        counters: *link.counters(),
    }
}

const PORTS_HEADER: &str =
    "time_ns,switch,port,direction,queue_packets,queue_bytes,tx_packets,tx_bytes,queue_drops,loss_drops,down_drops";
const FLOWS_HEADER: &str = "time_ns,switch,port,src,dst,protocol,src_port,dst_port,tx_packets,tx_bytes,drops";

const QUEUES_HEADER: &str = "time_ns,switch,port,queue,packets,bytes,tx_packets,tx_bytes,drops";

fn create(path: &Path, header: &str) -> io::Result<BufWriter<File>> {
    let mut file = open(path)?;
    writeln!(file, "{header}").map_err(|error| with_path(path, &error))?;
    Ok(file)
}

fn open(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(1 << 16, File::create(path).map_err(|error| with_path(path, &error))?))
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

struct Writer {
    ports: Option<BufWriter<File>>,
    flows: Option<BufWriter<File>>,
    queues: Option<BufWriter<File>>,
    frames: Option<FrameFile>,
    state: Option<BufWriter<File>>,
    /// Bytes of the state's file.
    written: Arc<AtomicU64>,
}

impl Writer {
    fn run(mut self, samples: &Receiver<Sample>, give_back: &SyncSender<Sample>) {
        let mut result = Ok(());
        while let Ok(mut sample) = samples.recv() {
            if result.is_ok() {
                result = self.write(&mut sample);
                if let Err(error) = &result {
                    tracing::error!(%error, "cannot write samples; going on without");
                }
            }
            for waits in sample.wanted.drain(..) {
                let _ = waits.try_send(());
            }
            let _ = give_back.try_send(sample);
        }
        if let Err(error) = self.flush() {
            tracing::error!(%error, "cannot write the last samples");
        }
    }

    fn write(&mut self, sample: &mut Sample) -> io::Result<()> {
        let time_ns = sample.time_ns;
        if let Some(file) = &mut self.ports {
            for row in &sample.ports {
                let Counters { tx_packets, tx_bytes, queue_drops, loss_drops, down_drops } = row.counters;
                writeln!(
                    file,
                    "{time_ns},{},{},{},{},{},{tx_packets},{tx_bytes},{queue_drops},{loss_drops},{down_drops}",
                    row.switch,
                    row.port,
                    row.direction.name(),
                    row.queue_packets,
                    row.queue_bytes,
                )?;
            }
        }
        if let Some(file) = &mut self.flows {
            sample.flows.sort_unstable_by(|a, b| (&a.switch, a.port, a.key).cmp(&(&b.switch, b.port, b.key)));
            for row in &sample.flows {
                let FlowKey { src, dst, protocol, src_port, dst_port } = row.key;
                let FlowCounters { tx_packets, tx_bytes, drops } = row.counters;
                writeln!(
                    file,
                    "{time_ns},{},{},{src},{dst},{},{src_port},{dst_port},{tx_packets},{tx_bytes},{drops}",
                    row.switch,
                    row.port,
                    name_of(protocol),
                )?;
            }
        }
        if let Some(file) = &mut self.queues {
            for row in &sample.queues {
                let QueueCounters { tx_packets, tx_bytes, drops, packets, bytes } = row.counters;
                writeln!(
                    file,
                    "{time_ns},{},{},{},{packets},{bytes},{tx_packets},{tx_bytes},{drops}",
                    row.switch, row.port, row.queue,
                )?;
            }
        }
        if let Some(file) = &mut self.frames {
            file.write(&mut sample.frames)?;
        }
        if let Some(file) = &mut self.state {
            for line in &sample.state {
                let text = serde_json::to_string(line)?;
                self.written.fetch_add(text.len() as u64, Ordering::Relaxed);
                writeln!(file, "{text}")?;
            }
        }
        // People watch the recorded state of programs, and callers wait for a wanted sample: both need the lines at
        // once.
        if sample.state.is_empty() && sample.wanted.is_empty() { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        let frames = self.frames.as_mut().map(FrameFile::file);
        let texts = [&mut self.ports, &mut self.flows, &mut self.queues, &mut self.state].into_iter().flatten();
        texts.chain(frames).try_for_each(BufWriter::flush)
    }
}
