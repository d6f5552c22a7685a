//! The P4Runtime gRPC server of one switch, after version 1.5 of the specification.
//!
//! ```text
//! gRPC ── service (RPCs) ──┬─ write: update → step ──┐
//!          stream ─────────┤  read: request → query ─┼──▶ engine: runs them on the switch, between two packets
//!          arbitration     └─ pipeline ──────────────┘
//!          notify ◀──── packets on the CPU port, digests, idle entries
//! ```
//!
//! Decoding and all checks that need no switch run outside the forwarding thread. On that thread only a closure of
//! microseconds runs. Requests on entities are serial; packets pass by them. The switch keeps all entities itself, so
//! there is no second copy to get out of step.

mod arbitration;
mod bytestring;
mod config;
mod data_type;
mod device;
mod digests;
mod entity;
mod extras;
mod failure;
#[cfg(test)]
mod fixture;
mod header;
mod notify;
mod pipeline;
mod read;
mod role;
mod schema;
mod serve;
mod server;
mod service;
mod status;
mod stream;
mod translation;
mod write;

pub use config::{ServeError, ServerConfig, TlsConfig};
pub use serve::{Endpoint, ServerHandle, bind, serve, serve_on};
