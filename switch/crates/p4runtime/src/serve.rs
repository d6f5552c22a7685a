//! Starting and stopping an endpoint.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::{EngineHandle, clock};
use p4runtime_proto::runtime::p4_runtime_server::{P4Runtime, P4RuntimeServer};
use tokio::net::TcpSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Identity, Server as GrpcServer, ServerTlsConfig};

use crate::config::{ServeError, ServerConfig, TlsConfig};
use crate::device::Device;
use crate::server::Server;
use crate::service::Service;

/// Large programs make large device configs; the specification advises this limit.
const MAX_MESSAGE_BYTES: usize = 128 * 1024 * 1024;
/// A client whose machine has vanished is noticed after twice this time: others can then become primary.
const KEEPALIVE: Duration = Duration::from_secs(20);
/// The bytes that a client may send ahead; large enough for bursts of packet-outs and whole pipelines.
const WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// How long [`ServerHandle::shutdown`] waits for requests that are under way.
const GRACE: Duration = Duration::from_secs(2);

/// A running endpoint. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct ServerHandle {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl ServerHandle {
    /// Where it listens (the real port, if 0 was asked for).
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Stops listening, ends all streams with UNAVAILABLE, and lets requests under way finish (for two seconds).
    pub async fn shutdown(mut self) {
        let _ = self.stop.send(true);
        if tokio::time::timeout(GRACE, &mut self.task).await.is_err() {
            tracing::warn!("P4Runtime requests on {} are still under way: given up", self.address);
            self.task.abort();
        }
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
    }
}

/// Serves P4Runtime for one switch of the engine at an address. When this returns, clients can connect. Must be called in a
/// tokio runtime.
///
/// # Errors
/// As for [`bind`] and [`serve_on`].
pub async fn serve(
    address: SocketAddr,
    config: ServerConfig,
    engine: EngineHandle,
) -> Result<ServerHandle, ServeError> {
    serve_on(bind(address)?, config, engine).await
}

/// How many clients may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Takes an address, for [`serve_on`]. Nobody can connect before that: scripts take a port that listens for a switch that is ready.
///
/// # Errors
/// It is taken or cannot be listened on.
pub fn bind(address: SocketAddr) -> Result<TcpSocket, ServeError> {
    let failed = |source| cannot_listen(address, source);
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }.map_err(failed)?;
    socket.set_reuseaddr(true).map_err(failed)?; // a switch that has just ended does not keep its port
    socket.bind(address).map_err(failed)?;
    Ok(socket)
}

fn cannot_listen(address: SocketAddr, source: std::io::Error) -> ServeError {
    match source.kind() {
        std::io::ErrorKind::AddrInUse => ServeError::AddressTaken(address),
        _ => ServeError::Listen { address, source },
    }
}

/// Serves P4Runtime for one switch of the engine at an address that [`bind`] has taken. Must be called in a tokio runtime.
///
/// # Errors
/// A certificate cannot be used, the engine has stopped.
pub async fn serve_on(
    socket: TcpSocket,
    config: ServerConfig,
    engine: EngineHandle,
) -> Result<ServerHandle, ServeError> {
    // In virtual time no machine vanishes, and the packets of a question would come at times that hang on when it was connected.
    let mut grpc = GrpcServer::builder()
        .http2_keepalive_interval((!clock::is_virtual()).then_some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES);
    if let Some(tls) = &config.tls {
        grpc = grpc.tls_config(load_tls(tls)?).map_err(|e| ServeError::Tls(with_causes(&e)))?;
    }
    let unknown = SocketAddr::from(([0, 0, 0, 0], 0));
    let address = socket.local_addr().map_err(|source| cannot_listen(unknown, source))?;
    let Endpoint { server, stop } = Endpoint::new(&config, engine)?;
    let service = service(&server);
    let listener = socket.listen(BACKLOG).map_err(|source| cannot_listen(address, source))?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let serving = async move {
        let stopped = async move { server.stopped().await };
        if let Err(error) = grpc.add_service(service).serve_with_incoming_shutdown(incoming, stopped).await {
            tracing::error!("P4Runtime on {address} has failed: {}", with_causes(&error));
        }
    };
    Ok(ServerHandle { address, stop, task: tokio::spawn(serving) })
}

/// An endpoint that listens nowhere: for requests of this process. Dropping it ends its streams.
pub struct Endpoint {
    server: Arc<Server>,
    stop: watch::Sender<bool>,
}

impl Endpoint {
    /// An endpoint of one switch of the engine. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// The engine has stopped.
    pub fn new(config: &ServerConfig, engine: EngineHandle) -> Result<Self, ServeError> {
        let frames = engine.subscribe_packet_in(config.device_id)?;
        let events = engine.subscribe_events(config.device_id)?;
        let (stop, stopping) = watch::channel(false);
        let device = Device::new(engine, config.device_id);
        let server = Arc::new(Server::new(config.device_id, config.cpu_port, device, stopping));
        tokio::spawn(crate::notify::packets(Arc::clone(&server), frames));
        tokio::spawn(crate::notify::events(Arc::clone(&server), events));
        Ok(Self { server, stop })
    }

    /// The service that answers its requests.
    #[must_use]
    pub fn service(&self) -> P4RuntimeServer<impl P4Runtime + use<>> {
        service(&self.server)
    }
}

fn service(server: &Arc<Server>) -> P4RuntimeServer<Service> {
    P4RuntimeServer::new(Service(Arc::clone(server))).max_decoding_message_size(MAX_MESSAGE_BYTES)
}

fn load_tls(config: &TlsConfig) -> Result<ServerTlsConfig, ServeError> {
    let read = |path: &Path| std::fs::read(path).map_err(|source| ServeError::File { path: path.to_owned(), source });
    let identity = Identity::from_pem(read(&config.certificate)?, read(&config.key)?);
    let mut tls = ServerTlsConfig::new().identity(identity);
    if let Some(client_ca) = &config.client_ca {
        tls = tls.client_ca_root(Certificate::from_pem(read(client_ca)?));
    }
    Ok(tls)
}

/// An error with its causes, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
