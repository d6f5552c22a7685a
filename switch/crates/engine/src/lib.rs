//! The forwarding thread: switches, queues, links and ports together.
//!
//! One [`Engine`] is one thread that runs any number of switches. Other threads reach it through an [`EngineHandle`].

mod config;
mod core;
mod handle;
mod standin;

pub use config::{Attachment, EngineConfig, LinkConfig, Netns, PortConfig, SamplesConfig, SwitchConfig};
pub use handle::{ControlCtx, EngineError, EngineHandle, SwitchEvent};

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
        /// What went wrong and what to do.
        reason: String,
    },
    /// The configuration contradicts itself.
    #[error("{0}")]
    Config(String),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was asked for.
        what: &'static str,
        /// The refusal.
        source: std::io::Error,
    },
}

/// A running forwarding thread. Dropping it stops the thread and closes all ports.
pub struct Engine {
    handle: EngineHandle,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Engine {
    /// Opens all ports and starts forwarding.
    pub fn start(_config: EngineConfig) -> Result<Self, StartError> {
        Err(StartError::Config("not built yet".into()))
    }

    /// A handle to the running thread.
    pub fn handle(&self) -> EngineHandle {
        self.handle.clone()
    }

    /// Waits until the forwarding thread has ended (see [`EngineHandle::shutdown`]).
    pub fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.handle.shutdown();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
