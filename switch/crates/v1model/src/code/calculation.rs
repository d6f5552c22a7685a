//! Inputs of hashes and checksums.

use crate::hash::Algorithm;
use crate::phv::FieldLoc;

/// A named calculation.
#[derive(Debug)]
pub(crate) struct Calculation {
    pub algorithm: Algorithm,
    pub input: Vec<Input>,
    /// The payload comes last.
    pub with_payload: bool,
}

/// A part of the input. Parts of headers that are not valid are left out.
#[derive(Debug)]
pub(crate) enum Input {
    /// The header, and the field.
    Field(u32, FieldLoc),
    Const(Vec<u64>, u32),
    Header(u32),
}
