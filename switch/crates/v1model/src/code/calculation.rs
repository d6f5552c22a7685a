//! Inputs of hashes and checksums.

use super::words::Words;
use crate::hash::Algorithm;
use crate::phv::FieldLoc;

/// A named calculation.
#[derive(Debug)]
pub(crate) struct Calculation {
    pub algorithm: Algorithm,
    pub input: Vec<Input>,
    /// The payload comes last.
    pub with_payload: bool,
    /// For an Internet checksum over fields of one header: the header, and its fields put together.
    pub sum: Option<(u32, Words)>,
}

impl Calculation {
    pub fn new(algorithm: Algorithm, input: Vec<Input>, with_payload: bool) -> Self {
        let is_sum = matches!(algorithm, Algorithm::Csum16) && !with_payload;
        let sum = if is_sum { sum_of(&input) } else { None };
        Self { algorithm, input, with_payload, sum }
    }
}

fn sum_of(input: &[Input]) -> Option<(u32, Words)> {
    let Some(Input::Field(header, _)) = input.first() else { return None };
    let fields = input.iter().map(|part| match part {
        Input::Field(other, loc) if other == header => Some(*loc),
        _ => None,
    });
    let fields: Vec<FieldLoc> = fields.collect::<Option<_>>()?;
    Some((*header, Words::of(&fields, 16)?))
}

/// A part of the input. Parts of headers that are not valid are left out.
#[derive(Debug)]
pub(crate) enum Input {
    /// The header, and the field.
    Field(u32, FieldLoc),
    Const(Vec<u64>, u32),
    Header(u32),
}
