//! Checksums and the deparser, lowered.

use super::expr::Cond;
use super::ops::Op;
use crate::phv::FieldLoc;

/// A checksum to verify after the parser or to update before the deparser.
#[derive(Debug)]
pub(crate) struct Checksum {
    pub header: u32,
    pub field: FieldLoc,
    pub calculation: u32,
    pub condition: Option<Cond>,
    pub verify: bool,
    pub update: bool,
}

/// The order in which valid headers are written.
#[derive(Debug, Default)]
pub(crate) struct Deparser {
    pub order: Vec<u32>,
    /// Run between the checksums and the writing.
    pub ops: Vec<Op>,
}
