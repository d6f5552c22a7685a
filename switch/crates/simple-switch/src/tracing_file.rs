//! `--trace`: the trace of chosen packets on standard error, in a file or in the log.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use engine::{EngineHandle, Trace};
use v1model::{TraceEvent, TraceFilter};

use crate::{LaunchError, packet_log};

/// A trace from the start.
#[derive(Debug, Clone)]
pub struct TracePlan {
    /// The packets to trace, at every switch.
    pub filter: TraceFilter,
    /// The place of its events.
    pub to: TraceTo,
}

/// Where a trace goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceTo {
    /// Text on standard error.
    StandardError,
    /// JSON, one event a line, if the name ends in `.json` or `.jsonl`, else text.
    File(PathBuf),
    /// Messages in the log, in BMv2's words.
    Log,
}

impl TraceTo {
    /// That file, or standard error.
    #[must_use]
    pub fn of(file: Option<PathBuf>) -> Self {
        file.map_or(Self::StandardError, Self::File)
    }
}

impl TracePlan {
    /// Every packet, in the log.
    #[must_use]
    pub fn everything_in_log() -> Self {
        Self { filter: TraceFilter::default().with_count(u32::MAX), to: TraceTo::Log }
    }
}

impl TracePlan {
    /// Starts it, with a thread for each switch.
    pub(crate) fn start(&self, handle: &EngineHandle, switches: &[String]) -> Result<Vec<JoinHandle<()>>, LaunchError> {
        let mut threads = Vec::new();
        for switch in switches {
            let trace = handle.trace(Some(switch), self.filter.clone()).map_err(LaunchError::Usage)?;
            let name = (switches.len() > 1).then_some(&switch[..]);
            let mut sink = Sink::open(&self.to, name)?;
            let write = move || {
                if let Err(error) = sink.write_all(&trace) {
                    tracing::error!(%error, "cannot write the trace");
                }
            };
            let thread = std::thread::Builder::new().name("trace".into()).spawn(write);
            threads.push(thread.map_err(|source| LaunchError::System { what: "cannot start a thread", source })?);
        }
        Ok(threads)
    }
}

struct Sink {
    /// The log without.
    out: Option<Box<dyn Write + Send>>,
    json: bool,
    switch: Option<String>,
}

impl Sink {
    /// With several switches, each has a file of its own.
    fn open(to: &TraceTo, switch: Option<&str>) -> Result<Self, LaunchError> {
        let plain = |out| Ok(Self { out, json: false, switch: switch.map(str::to_owned) });
        let file: &Path = match to {
            TraceTo::Log => return plain(None),
            TraceTo::StandardError => return plain(Some(Box::new(io::stderr()))),
            TraceTo::File(file) => file,
        };
        let json = file.extension().is_some_and(|end| end == "json" || end == "jsonl");
        let path = match switch {
            None => file.to_owned(),
            Some(switch) => {
                let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                file.with_file_name(format!("{switch}-{name}"))
            }
        };
        let out = File::create(&path).map_err(|source| LaunchError::File { path, source })?;
        Ok(Self { out: Some(Box::new(BufWriter::new(out))), json, switch: None })
    }

    fn write_all(&mut self, trace: &Trace) -> io::Result<()> {
        while let Ok(events) = trace.events.recv() {
            for event in &events {
                self.write(event)?;
            }
            if let Some(out) = &mut self.out {
                out.flush()?;
            }
        }
        Ok(())
    }

    fn write(&mut self, event: &TraceEvent) -> io::Result<()> {
        let Some(out) = &mut self.out else {
            packet_log::log(event);
            return Ok(());
        };
        if self.json {
            return writeln!(out, "{}", serde_json::to_string(event)?);
        }
        for line in event.to_string().lines() {
            match &self.switch {
                Some(switch) => writeln!(out, "{switch} {line}")?,
                None => writeln!(out, "{line}")?,
            }
        }
        Ok(())
    }
}
