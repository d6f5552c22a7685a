//! Where in the P4 source a part of the program comes from.

use crate::Node;

/// Characters at which compilers cut the text that they quote of the source.
pub const FRAGMENT_CHARS: usize = 60;

/// A place in the source, and the text there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceInfo {
    /// File name.
    pub file: String,
    /// Line, from 1.
    pub line: u64,
    /// The text there, perhaps cut; empty if the compiler does not say.
    pub fragment: String,
}

/// Where a part of the program comes from, if the compiler has said.
#[must_use]
pub fn source_info(node: &Node) -> Option<SourceInfo> {
    let info = node.get("source_info");
    Some(SourceInfo {
        file: info.get("filename").string().ok()?,
        line: u64::try_from(info.get("line").i64().ok()?).ok()?,
        fragment: info.get("source_fragment").string().unwrap_or_default(),
    })
}
