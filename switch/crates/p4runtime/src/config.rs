//! The configuration with which the server starts.

use std::net::SocketAddr;
use std::path::PathBuf;

/// One P4Runtime endpoint: one switch.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The device id that requests must name.
    pub device_id: u64,
    /// The port of the switch that packet-ins leave by and packet-outs come in by; `None`: neither.
    pub cpu_port: Option<u16>,
    /// Encrypt, and possibly ask clients for certificates; `None`: plain text.
    pub tls: Option<TlsConfig>,
}

/// Certificates, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsConfig {
    /// The server's certificate, with its chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// If set, clients must show a certificate signed by one of these.
    pub client_ca: Option<PathBuf>,
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another program listens there.
    #[error("P4Runtime address {0} is taken: another program listens there; stop it or choose another address")]
    AddressTaken(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on P4Runtime address {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// A certificate or key cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The certificates and the key do not work.
    #[error("the TLS certificates cannot be used: {0}")]
    Tls(String),
    /// There is no such switch in the engine.
    #[error(transparent)]
    Engine(#[from] engine::EngineError),
}
