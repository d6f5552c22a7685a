//! The switch's command lines: simple_switch_grpc, simple_switch and p4switch.
//!
//! [`network`] reads a network description, [`launch`] starts the engine and the P4Runtime servers and waits for the end.
//! [`command_lines`] reads the words of the commands.

pub mod client;
pub mod command_lines;
pub mod error;
pub mod launch;
pub mod logging;
pub mod network;
pub mod notifications;
mod packet_log;
pub mod program;
pub mod thrift_port;
mod tracing_file;

/// The newest version of BMv2 JSON that the switch understands.
pub const JSON_VERSION: &str = "2.24";

pub use error::LaunchError;
pub use tracing_file::{TracePlan, TraceTo};
