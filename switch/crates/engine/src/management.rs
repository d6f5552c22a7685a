//! The management socket: JSON lines over a Unix socket, one answer line for each request line.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::thread;

use serde::{Deserialize, Serialize};
use v1model::TraceFilter;

use crate::control_plane::EngineError;
use crate::core::Core;
use crate::core::bmv2_control::{Ran, refusal_of_port};
use crate::core::link_changes::SetLinkError;
use crate::core::show::{Rows, ShowError, ShowRequest};
use crate::core::stats::{FlowStats, LinkStats};
use crate::core::trace::Trace;
use crate::handle::EngineHandle;
use crate::port::Direction;
use crate::trace_stream::stream;

/// An open management socket. Dropping it removes the socket file.
#[derive(Debug)]
pub struct ManagementSocket {
    path: PathBuf,
}

impl ManagementSocket {
    /// Opens the socket and answers on it, in threads of its own, until the engine stops. A socket file left behind by a
    /// process that has ended is replaced.
    ///
    /// # Errors
    /// The path cannot be used, or another process answers there.
    pub fn open(path: &Path, handle: &EngineHandle) -> io::Result<Self> {
        let with_path = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if UnixStream::connect(path).is_ok() {
            return Err(with_path(io::Error::new(io::ErrorKind::AddrInUse, "another switch answers on this socket")));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(with_path(error)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(with_path)?;
        let handle = handle.clone();
        thread::Builder::new().name("management".into()).spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let handle = handle.clone();
                let serve = move || {
                    // A client that goes away is nothing to report.
                    let _ = serve(&stream, &handle);
                };
                if let Err(error) = thread::Builder::new().name("management client".into()).spawn(serve) {
                    tracing::warn!(%error, "cannot serve a management client");
                }
            }
        })?;
        Ok(Self { path: path.to_owned() })
    }
}

impl Drop for ManagementSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// No request is longer, except one with a very long trace.
const MAX_LINE_BYTES: u64 = 16 << 20;

fn write_line(mut writer: &UnixStream, answer: &Answer) -> io::Result<()> {
    let mut text = serde_json::to_string(answer)?;
    text.push('\n');
    writer.write_all(text.as_bytes())
}

fn serve(client: &UnixStream, handle: &EngineHandle) -> io::Result<()> {
    let mut reader = BufReader::new(client);
    let writer = client;
    let mut line = String::new();
    loop {
        line.clear();
        if (&mut reader).take(MAX_LINE_BYTES).read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line.trim().is_empty() {
            continue;
        }
        let answer = answer(&line, handle).unwrap_or_else(|error| Answer::Error { error: error.to_string() });
        write_line(writer, &answer)?;
        if let Answer::Trace { trace, .. } = answer {
            stream(&trace, &mut reader, writer)?;
            // The forwarding thread notices that nobody listens any more.
            drop(trace);
            write_line(writer, &Answer::Ended { ended: true })?;
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Asks for a sign of life. The forwarding thread itself answers.
    Ping,
    Stats,
    ResetLateness,
    ResetWaits,
    SetLink {
        switch: String,
        port: u16,
        direction: Direction,
        link: serde_json::Map<String, serde_json::Value>,
    },
    /// Both directions.
    LinkDown {
        switch: String,
        port: u16,
    },
    /// Both directions.
    LinkUp {
        switch: String,
        port: u16,
    },
    /// At a time of CLOCK_MONOTONIC, or now.
    StartTraces {
        #[serde(default)]
        at_ns: Option<u64>,
    },
    StopTraces,
    Flows,
    /// A sample out of turn; the answer comes when all files have it.
    Sample,
    Show(ShowRequest),
    /// A line of `simple_switch_CLI`.
    Cli {
        switch: Option<String>,
        line: String,
    },
    /// The answer is followed by a line for each event.
    Trace {
        switch: Option<String>,
        #[serde(default)]
        filter: String,
    },
    TraceOff {
        switch: Option<String>,
    },
    Shutdown,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Stats {
        links: Vec<LinkStats>,
    },
    Flows {
        flows: Vec<FlowStats>,
    },
    Show(Rows),
    Printed {
        printed: String,
    },
    Trace {
        switch: String,
        count: u32,
        #[serde(skip)]
        trace: Trace,
    },
    Traces {
        start_ns: u64,
        traces: usize,
    },
    Ended {
        ended: bool,
    },
    Done {
        ok: bool,
    },
    Error {
        error: String,
    },
}

#[derive(Debug, thiserror::Error)]
enum RequestError {
    #[error("not a request: {0}")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Link(#[from] SetLinkError),
    #[error(transparent)]
    Show(#[from] ShowError),
    #[error(transparent)]
    Filter(#[from] v1model::FilterError),
    #[error(transparent)]
    Engine(#[from] EngineError),
}

fn answer(line: &str, handle: &EngineHandle) -> Result<Answer, RequestError> {
    const DONE: Answer = Answer::Done { ok: true };
    Ok(match serde_json::from_str(line)? {
        Request::Ping => {
            handle.call_core(|_, _| ())?;
            DONE
        }
        Request::Stats => Answer::Stats { links: handle.call_core(|core, _| core.link_stats())? },
        Request::Flows => Answer::Flows { flows: handle.call_core(|core, _| core.flow_stats())? },
        Request::ResetLateness => {
            handle.call_core(|core, _| core.reset_lateness())?;
            DONE
        }
        Request::ResetWaits => {
            handle.call_core(|core, _| core.reset_waits())?;
            DONE
        }
        Request::SetLink { switch, port, direction, link } => {
            handle.call_core(move |core, now_ns| core.set_link(&switch, port, direction, &link, now_ns))??;
            DONE
        }
        Request::LinkDown { switch, port } => {
            handle.call_core(move |core, now_ns| core.set_link_up(&switch, port, false, now_ns))??;
            DONE
        }
        Request::LinkUp { switch, port } => {
            handle.call_core(move |core, now_ns| core.set_link_up(&switch, port, true, now_ns))??;
            DONE
        }
        Request::StartTraces { at_ns } => {
            let (start_ns, traces) = handle.call_core(move |core, now_ns| core.start_traces(at_ns, now_ns))??;
            Answer::Traces { start_ns, traces }
        }
        Request::StopTraces => {
            handle.call_core(|core, now_ns| core.stop_traces(now_ns))?;
            DONE
        }
        Request::Sample => {
            let (written, wait) = sync_channel(1);
            handle.call_core(move |core, _| core.want_sample(written))?;
            // Without sample files, or when the disk does not keep up, there is nobody to wait for.
            let _ = wait.recv();
            DONE
        }
        Request::Show(request) => Answer::Show(handle.call_core(move |core, _| core.show(&request))??),
        Request::Cli { switch, line } => {
            let run = move |core: &mut Core, now_ns| core.run_cli(switch.as_deref(), &line, now_ns);
            Answer::Printed {
                printed: match handle.call_core(run)?? {
                    Ran::Printed(text) => text,
                    Ran::Wants(port) => refusal_of_port(&handle.add_port(*port)?),
                },
            }
        }
        Request::Trace { switch, filter } => {
            let filter: TraceFilter = filter.parse()?;
            let trace = handle.call_core(move |core, _| core.trace_on(switch.as_deref(), filter))??;
            Answer::Trace { switch: trace.switch.clone(), count: trace.count, trace }
        }
        Request::TraceOff { switch } => {
            handle.call_core(move |core, _| core.trace_off(switch.as_deref()))??;
            DONE
        }
        Request::Shutdown => {
            handle.shutdown();
            DONE
        }
    })
}
