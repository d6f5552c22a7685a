//! `--thrift-port` of switches and of `simple_switch_CLI`: a number by which one finds the other.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use engine::{EngineHandle, ManagementSocket};
use tokio::task::JoinHandle;

use crate::LaunchError;

/// The port of both where none is given.
pub const DEFAULT: u16 = 9090;

/// The management socket of the switch that was given this port.
#[must_use]
pub fn socket(port: u16) -> PathBuf {
    std::env::temp_dir().join(format!("simple_switch-thrift-{port}.sock"))
}

/// A switch's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThriftPort {
    /// The one that it was given.
    Given(u16),
    /// It was given none: the default, unless another switch has that.
    Default,
}

/// What there is at a switch's number while it runs.
#[derive(Debug)]
pub struct Open {
    _socket: ManagementSocket,
    listener: Option<JoinHandle<()>>,
}

impl ThriftPort {
    /// Opens the socket that `simple_switch_CLI` looks for, and, if the port was given, listens at it on this machine:
    /// Mininet's scripts wait until somebody does. Nobody speaks there, connections are closed at once. Must be called in a
    /// tokio runtime.
    ///
    /// # Errors
    /// The port that was given is taken, or its socket cannot be opened.
    pub fn open(self, handle: &EngineHandle) -> Result<Option<Open>, LaunchError> {
        match self {
            Self::Given(port) => {
                let failed = |source| LaunchError::ThriftPort { port, source };
                let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
                let socket = ManagementSocket::open(&socket(port), handle).map_err(LaunchError::Management)?;
                let listener = tokio::spawn(async move {
                    loop {
                        if listener.accept().await.is_err() {
                            // No file descriptor is left, for example.
                            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                        }
                    }
                });
                Ok(Some(Open { _socket: socket, listener: Some(listener) }))
            }
            Self::Default => match ManagementSocket::open(&socket(DEFAULT), handle) {
                Ok(socket) => Ok(Some(Open { _socket: socket, listener: None })),
                Err(error) => {
                    tracing::info!(%error, "simple_switch_CLI does not find this switch without --thrift-port");
                    Ok(None)
                }
            },
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}
