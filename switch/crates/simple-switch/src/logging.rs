//! Where log messages go.

use std::fs::File;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::{self, format};

use crate::LaunchError;

/// As BMv2 logs unless told otherwise: all steps of packets.
pub const WITH_PACKETS: &str = "info,bmv2=trace";

/// Parts that have much to say on each message of a connection, and nothing on the switch.
const TALKATIVE: [&str; 5] = ["h2", "hyper", "hyper_util", "tonic", "tower"];

/// The level, for all but the talkative parts.
fn own(level: &str) -> String {
    match level {
        "trace" | "debug" => TALKATIVE.iter().fold(level.to_owned(), |all, part| format!("{all},{part}=info")),
        _ => level.to_owned(),
    }
}

/// Log messages of `level` and above go to `file`, or to standard error. `RUST_LOG` overrides the level.
///
/// # Errors
/// The file cannot be created.
pub fn start(level: &str, file: Option<&Path>) -> Result<(), LaunchError> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(own(level)));
    let builder = fmt::Subscriber::builder().with_env_filter(filter).event_format(format().compact());
    match file {
        None => {
            // Colours are for people: who writes it into a file wants the text.
            let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            builder.with_writer(std::io::stderr).with_ansi(coloured).init();
        }
        Some(path) => {
            let file = File::create(path).map_err(|source| LaunchError::File { path: path.into(), source })?;
            builder.with_writer(Mutex::new(file)).with_ansi(false).init();
        }
    }
    Ok(())
}
