//! The forwarding thread: switches, queues, links and ports together.
//!
//! One [`Engine`] is one thread that runs any number of switches, as a discrete-event simulation held to the real
//! clock. Every packet's times are computed from the link model, and events are processed in the order of these times.
//! The thread sleeps until the next event that somebody outside can see. Other threads reach it through an
//! [`EngineHandle`].

mod agenda;
mod blocked_ports;
mod build;
mod capture;
mod config;
mod control_plane;
mod core;
mod crossing;
mod flow;
mod frame_recording;
mod frame_way;
mod handle;
mod keep_awake;
mod management;
mod pcapng;
mod pending_sends;
mod poller;
mod port;
mod processors;
mod queue_settings;
mod realtime;
mod realtime_budget;
mod rounds;
mod run;
mod runtime_handle;
mod samples;
mod schedule;
mod slack;
mod standstill;
mod trace_stream;

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use tokio::sync::watch;

pub use crate::core::link_changes::SetLinkError;
pub use crate::core::stats::{FlowStats, LinkStats, QueueStats};
pub use crate::core::trace::Trace;
pub use config::{
    AddedPorts, Attachment, CaptureConfig, CrossingConfig, EngineConfig, FramesConfig, FramesInterface, LinkConfig,
    LinkEnd, Netns, PortConfig, QueueLimit, ReceiveBy, SamplesConfig, StateConfig, SwitchConfig, TapAddress,
};
pub use control_plane::{ControlCtx, EngineError, SwitchEvent};
pub use handle::EngineHandle;
pub use keep_awake::keep_awake;
pub use management::ManagementSocket;
pub use port::Direction;
pub use ports::clock;
pub use runtime_handle::{Answer, RuntimeHandle};
pub use standstill::{Standstill, watch_processors};

use run::Loop;
use samples::Sampler;

/// Why an engine could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A port could not be opened.
    #[error("switch {switch}, port {port}: {reason}")]
    Port {
        /// The switch's name.
        switch: String,
        /// The port number.
        port: u16,
        /// The problem and its remedy.
        reason: String,
    },
    /// The configuration contradicts itself.
    #[error("{0}")]
    Config(String),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// The operation.
        what: &'static str,
        /// The refusal.
        source: io::Error,
    },
}

/// A running forwarding thread. Dropping it stops the thread, closes all ports and finishes the sample files.
#[derive(Debug)]
pub struct Engine {
    handle: EngineHandle,
    /// Whether the forwarding thread ended because it was told to.
    forwarding: Option<JoinHandle<bool>>,
    writers: Vec<JoinHandle<()>>,
}

impl Engine {
    /// Opens all ports and starts forwarding.
    ///
    /// # Errors
    /// A port that cannot be opened, a contradiction in the configuration, a sample file that cannot be created. Nothing
    /// is left open then.
    pub fn start(config: EngineConfig) -> Result<Self, StartError> {
        let system = |what| move |source| StartError::System { what, source };
        let wake = Arc::new(eventfd().map_err(system("cannot make an eventfd"))?);
        let (samples, realtime, now_ns) = (config.samples.clone(), config.realtime, clock::monotonic_ns());
        let (core, captures) = build::build(config, now_ns)?;
        let mut writers = Vec::new();
        writers.extend(captures.start().map_err(system("cannot write pcap files"))?);
        let sampler = match samples {
            Some(samples) => {
                let (sampler, thread) = Sampler::start(&samples, now_ns).map_err(system("cannot write samples"))?;
                writers.push(thread);
                Some(sampler)
            }
            None => None,
        };
        let (commands, inbox) = mpsc::channel();
        let (tell_end, ended) = watch::channel(false);
        let forwarding = Loop { core, commands: inbox, wake: Arc::clone(&wake), sampler, realtime };
        let body = move || {
            // A panic is a bug; the users of this thread must learn about it all the same.
            let clean = catch_unwind(AssertUnwindSafe(move || forwarding.run())).unwrap_or(false);
            if !clean {
                tracing::error!("the forwarding thread has failed (the message is above)");
            }
            let _ = tell_end.send(true);
            clean
        };
        let thread = std::thread::Builder::new().name("forwarding".into()).spawn(body);
        let thread = thread.map_err(system("cannot start the forwarding thread"))?;
        Ok(Self { handle: EngineHandle { commands, wake, ended }, forwarding: Some(thread), writers })
    }

    /// A handle to the running thread.
    #[must_use]
    pub fn handle(&self) -> EngineHandle {
        self.handle.clone()
    }

    /// Waits until the forwarding thread has ended (see [`EngineHandle::shutdown`]) and the sample files are finished.
    /// Says whether it ended because it was told to.
    #[must_use]
    pub fn join(mut self) -> bool {
        self.join_threads()
    }

    fn join_threads(&mut self) -> bool {
        let clean = self.forwarding.take().is_none_or(|thread| thread.join().unwrap_or(false));
        // They end when the forwarding thread has let go of them.
        self.writers.drain(..).fold(clean, |clean, thread| thread.join().is_ok() && clean)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.handle.shutdown();
        self.join_threads();
    }
}

fn eventfd() -> io::Result<OwnedFd> {
    // SAFETY: plain system call; the descriptor is fresh and owned by nobody else.
    unsafe {
        let fd = libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}
