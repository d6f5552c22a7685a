//! `--thrift-port` of switches and of `simple_switch_CLI`: a number by which one finds the other.

use std::path::PathBuf;

/// The port of both where none is given.
pub const DEFAULT: u16 = 9090;

/// The management socket of the switch that was given this port.
#[must_use]
pub fn socket(port: u16) -> PathBuf {
    std::env::temp_dir().join(format!("simple_switch-thrift-{port}.sock"))
}
