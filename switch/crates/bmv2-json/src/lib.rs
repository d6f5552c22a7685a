//! The one reader of BMv2 JSON, for everybody who needs something of such a file: the switch, pictures, P4Runtime.
//!
//! [`parse`] limits how deep the text may be nested. [`Node`] walks the value and knows the way to where it is, so that
//! every message names the place. [`check_program`] says whether it is a v1model program at all. Parts that more than
//! one reader needs are read here once: [`header_types`], [`source_info`].

mod header_types;
mod node;
mod source;

pub use header_types::{HeaderField, HeaderType, MAX_WIDTH, header_types};
pub use node::{Node, parse};
pub use source::{FRAGMENT_CHARS, SourceInfo, source_info};

/// Why a BMv2 JSON file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ProgramError {
    /// Where in the JSON, for people: `pipelines[0] "ingress" / tables[2] "MyIngress.ipv4_lpm"`.
    pub place: String,
    /// The error and, where known, the form that was expected.
    pub message: String,
}

/// BMv2 JSON major version that is read.
const MAJOR_VERSION: i64 = 2;

/// Whether this is the BMv2 JSON of a v1model program.
///
/// # Errors
/// Not an object, another major version, or a part that every program has is missing.
pub fn check_program(root: &Node) -> Result<(), ProgramError> {
    if !root.value.is_object() {
        return Err(root.error("this is not BMv2 JSON: expected an object"));
    }
    let version = root.get("__meta__");
    let version = version.get("version");
    if !version.is_null() {
        let major = version.at(0).i64()?;
        if major != MAJOR_VERSION {
            return Err(version.error(format!("major version {major}; this switch reads version {MAJOR_VERSION}")));
        }
    }
    match ["headers", "parsers", "deparsers", "pipelines"].iter().find(|part| !root.has(part)) {
        Some(part) => Err(root.error(format!("this is not BMv2 JSON of a v1model program: \"{part}\" is missing"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
