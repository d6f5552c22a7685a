//! Where log messages go.

use std::env;
use std::fs::File;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, format};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

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
    let given = env::var("RUST_LOG").ok().and_then(|wanted| wanted.parse::<Targets>().ok());
    let filter = given.unwrap_or_else(|| own(level).parse().unwrap_or_default());
    let layer = fmt::layer().event_format(format().compact());
    match file {
        None => {
            // Colours are for people: a file has the text alone.
            let coloured = std::io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none();
            let layer = layer.with_writer(std::io::stderr).with_ansi(coloured);
            tracing_subscriber::registry().with(layer).with(filter).init();
        }
        Some(path) => {
            let file = File::create(path).map_err(|source| LaunchError::File { path: path.into(), source })?;
            let layer = layer.with_writer(Mutex::new(file)).with_ansi(false);
            tracing_subscriber::registry().with(layer).with(filter).init();
        }
    }
    Ok(())
}
