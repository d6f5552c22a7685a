//! Network namespaces: naming them, and opening things inside them.

use std::path::PathBuf;

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
