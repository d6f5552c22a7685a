//! Header types: names and widths of fields.

use std::collections::HashSet;

use crate::{Node, ProgramError};

/// Widest field that is read, in bits.
pub const MAX_WIDTH: u32 = 65_536;

/// A header type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderType {
    /// Its name.
    pub name: String,
    /// Its fields in order, padding included.
    pub fields: Vec<HeaderField>,
}

/// A field of a header type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderField {
    /// Its name.
    pub name: String,
    /// Bits; of a variable-length field the largest number.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
    /// Variable-length.
    pub varbit: bool,
    /// Keeps its largest or smallest value instead of wrapping (P4_14).
    pub saturating: bool,
}

/// All header types of a program.
///
/// # Errors
/// A field without name or width, one that is too wide, two of one name, more than one of variable length.
pub fn header_types(root: &Node) -> Result<Vec<HeaderType>, ProgramError> {
    root.get("header_types").map(|node| header_type(&node))
}

fn header_type(node: &Node) -> Result<HeaderType, ProgramError> {
    let max_bytes = if node.has("max_length") { node.get("max_length").u32()? } else { 0 };
    let mut fixed_bits = 0u32;
    let mut fields = node.get("fields").map(|field| {
        let name = field.at(0).string()?;
        let varbit = field.at(1).value.as_str() == Some("*");
        let width = if varbit { 0 } else { field.at(1).u32()? };
        if width > MAX_WIDTH {
            return Err(field.error(format!("{width} bits; the widest field is {MAX_WIDTH} bits")));
        }
        fixed_bits = fixed_bits.saturating_add(width);
        let saturating = field.element_count()? > 3 && field.at(3).bool()?;
        Ok(HeaderField { name, width, signed: field.at(2).bool_or(false)?, varbit, saturating })
    })?;
    if fields.iter().map(|field| &field.name).collect::<HashSet<_>>().len() != fields.len() {
        return Err(node.error("two fields have the same name"));
    }
    if fields.iter().filter(|field| field.varbit).count() > 1 {
        return Err(node.error("a header can have only one variable-length field"));
    }
    // p4c gives the header's largest length; the field has the rest of it beside the others.
    let limit = if max_bytes == 0 { MAX_WIDTH } else { (max_bytes.min(MAX_WIDTH / 8) * 8).saturating_sub(fixed_bits) };
    for field in fields.iter_mut().filter(|field| field.varbit) {
        field.width = limit;
    }
    Ok(HeaderType { name: node.get("name").string()?, fields })
}
