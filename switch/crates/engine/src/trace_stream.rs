//! Traces of chosen packets, from the forwarding thread to the client that asked.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde::Serialize;
use v1model::{TraceEvent, TraceFilter};

use crate::core::trace::Trace;
use crate::handle::EngineHandle;

/// After an event of the last packet asked for: the time in which further events of it may come.
const QUIET: Duration = Duration::from_millis(1_000);
const LOOK: Duration = Duration::from_millis(100);

impl EngineHandle {
    /// Traces the packets that the filter chooses at a switch (which may be left out if there is only one). Replaces an
    /// earlier trace of that switch; ends when the receiver is dropped. For threads outside an async runtime.
    ///
    /// # Errors
    /// For people: there is no such switch, or the engine has stopped.
    pub fn trace(&self, switch: Option<&str>, filter: TraceFilter) -> Result<Trace, String> {
        let switch = switch.map(str::to_owned);
        let answer = self.call_core(move |core, _| core.trace_on(switch.as_deref(), filter));
        answer.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }
}

#[derive(Serialize)]
struct Line<'a> {
    switch: &'a str,
    text: String,
    #[serde(flatten)]
    event: &'a TraceEvent,
}

/// Writes a trace to a management client until all packets have been seen, the client asks for something else, or it goes.
pub(crate) fn stream(trace: &Trace, reader: &mut BufReader<&UnixStream>, mut writer: &UnixStream) -> io::Result<()> {
    let mut last = None;
    loop {
        match trace.events.recv_timeout(LOOK) {
            Ok(events) => {
                for event in &events {
                    let line = Line { switch: &trace.switch, text: event.to_string(), event };
                    let mut text = serde_json::to_string(&line)?;
                    text.push('\n');
                    writer.write_all(text.as_bytes())?;
                    if event.packet >= trace.count {
                        last = Some(Instant::now());
                    }
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                if last.is_some_and(|last| last.elapsed() > QUIET) || has_more(reader)? {
                    return Ok(());
                }
            }
        }
    }
}

/// Whether the client has sent something, or has gone.
fn has_more(reader: &mut BufReader<&UnixStream>) -> io::Result<bool> {
    reader.get_ref().set_read_timeout(Some(Duration::from_millis(1)))?;
    let more = match reader.fill_buf() {
        Ok(_) => Ok(true),
        // Interrupted: the program was stopped and goes on (signal(7)).
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    };
    reader.get_ref().set_read_timeout(None)?;
    more
}
