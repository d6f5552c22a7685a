//! Why a port cannot be opened.

use std::io;

/// Why a port cannot be opened: the problem, its place, and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The namespace is not there or may not be entered.
    #[error("cannot enter {namespace}: {}", explain(source))]
    Namespace {
        /// Which one.
        namespace: String,
        /// The refusal.
        source: io::Error,
    },
    /// There is no such interface.
    #[error("there is no interface {interface} in {namespace}; create it first (ip link show lists the interfaces)")]
    NoInterface {
        /// Its name.
        interface: String,
        /// Where it was looked for.
        namespace: String,
    },
    /// The name cannot be an interface's.
    #[error("{0:?} is not an interface name (1 to 15 characters, no / and no blanks)")]
    BadName(String),
    /// The interface is there and is not a TAP device.
    #[error("{0} is not a TAP device; create it with: ip tuntap add {0} mode tap")]
    NotTap(String),
    /// Somebody has it.
    #[error("{0} is in use: another program, perhaps another switch, holds it")]
    Busy(String),
    /// A system call failed.
    #[error("{interface}: {what}: {}", explain(source))]
    System {
        /// The interface.
        interface: String,
        /// The operation that was tried.
        what: &'static str,
        /// The refusal.
        source: io::Error,
    },
}

impl PortError {
    pub(crate) fn last_os(interface: &str, what: &'static str) -> Self {
        Self::System { interface: interface.to_owned(), what, source: io::Error::last_os_error() }
    }
}

fn explain(source: &io::Error) -> String {
    match source.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => "not permitted; run as root (or with CAP_NET_ADMIN and CAP_NET_RAW)".into(),
        Some(libc::ENOENT) => "it does not exist (has the process ended?)".into(),
        _ => source.to_string(),
    }
}
