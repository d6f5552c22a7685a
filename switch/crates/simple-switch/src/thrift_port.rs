//! `--thrift-port` of switches and of `simple_switch_CLI`: where Thrift's clients find a switch, and a number by which that command
//! finds it.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use bmv2_thrift::{Learning, Services};
use engine::{EngineHandle, ManagementSocket, RuntimeHandle};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::LaunchError;
use crate::notifications::{Publisher, usual_address};

/// The port of both where none is given.
pub const DEFAULT: u16 = 9090;

/// More clients of one switch have to wait: each has a thread.
const MOST_CLIENTS: usize = 64;

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

/// The socket and the listener at a switch's number while it runs.
#[derive(Debug)]
pub struct Open {
    _socket: ManagementSocket,
    _listener: Option<Listener>,
}

/// Serves Thrift, and publishes digests, until it is dropped.
#[derive(Debug)]
pub struct Listener {
    task: JoinHandle<()>,
    _publisher: Option<Publisher>,
}

impl ThriftPort {
    /// Opens the socket that `simple_switch_CLI` looks for, and serves Thrift at the port on this machine. Where no port was given,
    /// neither has to be free. Digests are published at an address of BMv2's if none is given. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// The port that was given is taken, or its socket or the address for digests cannot be opened.
    pub fn open(
        self,
        handle: &EngineHandle,
        device_id: u64,
        notifications: Option<&str>,
    ) -> Result<Option<Open>, LaunchError> {
        match self {
            Self::Given(port) => {
                let listener = Listener::open(port, handle, device_id, notifications)?;
                let socket = ManagementSocket::open(&socket(port), handle).map_err(LaunchError::Management)?;
                Ok(Some(Open { _socket: socket, _listener: Some(listener) }))
            }
            Self::Default => match ManagementSocket::open(&socket(DEFAULT), handle) {
                Ok(socket) => {
                    let listener = Listener::open(DEFAULT, handle, device_id, notifications);
                    if let Err(error) = &listener {
                        tracing::info!(%error, "Thrift's clients do not find this switch without --thrift-port");
                    }
                    Ok(Some(Open { _socket: socket, _listener: listener.ok() }))
                }
                Err(error) => {
                    tracing::info!(%error, "simple_switch_CLI does not find this switch without --thrift-port");
                    Ok(None)
                }
            },
        }
    }
}

impl Listener {
    /// Serves the switch with this device id at a port on this machine. Publishes its digests at the address that was given, or at
    /// BMv2's, if no other switch does. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// The port is taken, or the address that was given.
    pub fn open(
        port: u16,
        handle: &EngineHandle,
        device_id: u64,
        notifications: Option<&str>,
    ) -> Result<Self, LaunchError> {
        let failed = |source| LaunchError::ThriftPort { port, source };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        let learning = Arc::new(Learning::default());
        let address = notifications.map_or_else(|| usual_address(device_id), str::to_owned);
        let publisher = match Publisher::open(&address, handle, device_id, Arc::clone(&learning)) {
            Err(error) if notifications.is_some() => return Err(error),
            Err(error) => {
                tracing::info!(%error, "digests are published for P4Runtime alone");
                None
            }
            Ok(publisher) => Some(publisher),
        };
        let switch = RuntimeHandle::new(handle.clone(), device_id);
        let services = Arc::new(Services::new(switch, port, publisher.is_some().then_some(address), learning));
        Ok(Self { task: tokio::spawn(serve_all(listener, services, port)), _publisher: publisher })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A thread for each client.
async fn serve_all(listener: tokio::net::TcpListener, services: Arc<Services>, port: u16) {
    let free = Arc::new(Semaphore::new(MOST_CLIENTS));
    loop {
        let Ok(place) = Arc::clone(&free).acquire_owned().await else { return };
        let client = listener.accept().await.and_then(|(client, _)| client.into_std());
        // Those are of tokio, these block.
        let started = client.and_then(|client| client.set_nonblocking(false).map(|()| client)).and_then(|client| {
            let services = Arc::clone(&services);
            let serve = move || {
                services.serve(client);
                drop(place);
            };
            std::thread::Builder::new().name("thrift client".into()).spawn(serve)
        });
        if let Err(error) = started {
            // No file descriptor is left, for example.
            tracing::warn!(port, %error, "a Thrift client cannot be served");
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}
