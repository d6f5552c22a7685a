//! Errors before forwarding starts, and the exit status of each.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why the switch could not be started, or ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A network description that says something impossible.
    #[error("{}: {problem}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// Field and problem.
        problem: String,
    },
    /// A program that is not BMv2 JSON this switch can run.
    #[error("{}: {source}", path.display())]
    Program {
        /// The file.
        path: PathBuf,
        /// Place and problem.
        source: v1model::ProgramError,
    },
    /// A wrong command line.
    #[error("{0}")]
    Usage(String),
    /// A port that cannot be opened, and the like.
    #[error(transparent)]
    Engine(#[from] engine::StartError),
    /// A P4Runtime server cannot be started.
    #[error(transparent)]
    P4Runtime(#[from] p4runtime::ServeError),
    /// The management socket cannot be opened.
    #[error("management socket {0}")]
    Management(io::Error),
    /// The number for `simple_switch_CLI` is another's.
    #[error("--thrift-port {port}: {source}")]
    ThriftPort {
        /// The number.
        port: u16,
        /// The operating system's error.
        source: io::Error,
    },
    /// The forwarding thread ended by itself.
    #[error("the forwarding thread has failed; its last messages are above")]
    ForwardingFailed,
    /// Signal handlers or threads cannot be set up.
    #[error("{what}: {source}")]
    System {
        /// The attempt that failed.
        what: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
}

impl LaunchError {
    /// 2 for an error that the caller has to correct in a command line or a file, 1 for everything else.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::File { .. } | Self::Description { .. } | Self::Program { .. } | Self::Usage(_) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}

/// Prints the error, if there is one, as one line, and gives the exit status.
pub fn conclude(program: &str, result: Result<(), LaunchError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error}");
            error.exit_code()
        }
    }
}
