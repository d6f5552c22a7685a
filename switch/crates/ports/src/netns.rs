//! Network namespaces: naming them, and opening things inside them.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::{fmt, io, thread};

use crate::PortError;

/// A network namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Netns {
    /// The one the switch runs in.
    Own,
    /// The one a process runs in.
    Pid(u32),
    /// A file such as `/run/netns/h1`.
    Path(PathBuf),
}

impl fmt::Display for Netns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => write!(f, "the switch's own network namespace"),
            Self::Pid(pid) => write!(f, "the network namespace of process {pid}"),
            Self::Path(path) => write!(f, "the network namespace {}", path.display()),
        }
    }
}

impl Netns {
    /// Runs `f` inside the namespace, in a thread of its own: a thread that has changed its namespace is not used for
    /// anything else.
    pub(crate) fn run<R, F>(&self, f: F) -> Result<R, PortError>
    where
        R: Send,
        F: FnOnce() -> Result<R, PortError> + Send,
    {
        let path = match self {
            Self::Own => return f(),
            Self::Pid(pid) => PathBuf::from(format!("/proc/{pid}/ns/net")),
            Self::Path(path) => path.clone(),
        };
        let failed = |source: io::Error| PortError::Namespace { namespace: self.to_string(), source };
        let file = File::open(path).map_err(failed)?;
        let inside = move || {
            // SAFETY: a plain system call on an open descriptor; it changes this thread's namespace only.
            if unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) } != 0 {
                return Err(failed(io::Error::last_os_error()));
            }
            f()
        };
        thread::scope(|scope| {
            scope.spawn(inside).join().unwrap_or_else(|_| Err(failed(io::Error::other("the helper thread failed"))))
        })
    }
}
