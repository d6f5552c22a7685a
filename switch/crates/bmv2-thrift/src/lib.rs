//! The Thrift services of BMv2's `simple_switch`: `standard`, `simple_pre_lag` and `simple_switch`, as Thrift's binary protocol has
//! them, with the service's name before a colon (TMultiplexedProtocol).
//!
//! The calls do what the commands of `simple_switch_CLI` do: both are in the crate `bmv2-runtime`. Our description of the services is
//! in `thrift/`. Bytes from the network are not trusted: lengths have limits, and bytes that are no call end the connection.

mod arguments;
mod calls;
mod connection;
mod fault;
mod learning;
mod value;

use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::RuntimeHandle;
use v1model::Program;

pub use learning::Learning;

/// The services of one switch.
#[derive(Debug)]
pub struct Services {
    switch: RuntimeHandle,
    /// Where it is asked.
    port: u16,
    /// Where digests are published, if they are.
    notifications: Option<String>,
    learning: Arc<Learning>,
    /// The program that was loaded for the next swap.
    pending: Mutex<Option<Arc<Program>>>,
}

impl Services {
    /// Of a switch of a running engine, which is asked at this port, and publishes its digests at that address.
    #[must_use]
    pub fn new(switch: RuntimeHandle, port: u16, notifications: Option<String>, learning: Arc<Learning>) -> Self {
        Self { switch, port, notifications, learning, pending: Mutex::default() }
    }

    /// Answers calls until the client or the switch goes. Bytes that are no call end it too, with a message in the log. Blocks.
    pub fn serve(&self, client: TcpStream) {
        connection::serve(self, client);
    }

    fn pending_program(&self) -> MutexGuard<'_, Option<Arc<Program>>> {
        // Nothing is left half done by a thread that has failed.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
