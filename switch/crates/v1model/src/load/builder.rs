//! Building a program from JSON, part by part.

use bmv2_json::{Node, ProgramError};
use std::collections::HashMap;

use crate::code::Program;
use crate::code::expr::N64;
use crate::code::ops::{Dest, Value};
use crate::phv::FieldLoc;

use super::ast::Data;
use super::lower::{big, low, strip_cut};

/// The program so far, and names to find its parts by.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub program: Program,
    pub names: Names,
    /// Calculation of each action selector.
    pub profile_selectors: HashMap<u32, u32>,
}

/// Where named things are.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Header types by name, and each type's fields.
    pub types: HashMap<String, u32>,
    pub type_fields: Vec<HashMap<String, u32>>,
    pub headers: HashMap<String, u32>,
    /// Header instances by JSON id.
    pub header_ids: HashMap<i64, u32>,
    pub stacks: HashMap<String, u32>,
    pub unions: HashMap<String, u32>,
    pub union_ids: HashMap<i64, u32>,
    pub union_stacks: HashMap<String, u32>,
    pub errors: HashMap<String, u32>,
    pub calculations: HashMap<String, u32>,
    pub counters: HashMap<String, u32>,
    pub meters: HashMap<String, u32>,
    /// Field that a direct meter's colour goes to.
    pub meter_targets: HashMap<u32, FieldLoc>,
    pub registers: HashMap<String, u32>,
    pub value_sets: HashMap<String, u32>,
    /// Actions by JSON id, and the first one of each name.
    pub action_ids: HashMap<i64, u32>,
    pub actions: HashMap<String, u32>,
    /// Names that stand for a field: `queueing_metadata.enq_qdepth`.
    pub aliases: HashMap<String, FieldLoc>,
    /// Length expressions of header types that size themselves (P4_14).
    /// Slots of fields that keep their largest or smallest value instead of wrapping (P4_14).
    pub saturating: std::collections::HashSet<u32>,
    pub self_sized: HashMap<u32, serde_json::Value>,
    pub profiles: HashMap<String, u32>,
}

/// Builds a whole program.
pub(crate) fn build(root: &Node) -> Result<Program, ProgramError> {
    bmv2_json::check_program(root)?;
    let mut builder = Builder::default();
    builder.headers(root)?;
    builder.aliases(root)?;
    builder.metadata(root)?;
    builder.errors(root)?;
    builder.arrays(root)?;
    builder.calculations(root)?;
    builder.value_sets(root)?;
    builder.lists(root)?;
    builder.actions(root)?;
    builder.parser(root)?;
    builder.checksums(root)?;
    builder.deparser(root)?;
    builder.pipelines(root)?;
    builder.source_map(root)?;
    builder.program.calculation_names = builder.names.calculations;
    Ok(builder.program)
}

impl Builder {
    pub fn header(&self, node: &Node) -> Result<u32, ProgramError> {
        find(&self.names.headers, node, "header")
    }

    pub fn stack(&self, node: &Node) -> Result<u32, ProgramError> {
        find(&self.names.stacks, node, "header stack")
    }

    pub fn union(&self, node: &Node) -> Result<u32, ProgramError> {
        find(&self.names.unions, node, "header union")
    }

    pub fn union_stack(&self, node: &Node) -> Result<u32, ProgramError> {
        find(&self.names.union_stacks, node, "header union stack")
    }

    /// A field given as `[header, field]`; `$valid$` is the header's validity.
    pub fn field(&self, node: &Node) -> Result<(u32, FieldLoc), ProgramError> {
        node.tuple(2)?;
        if let (Ok(header), Ok(field)) = (node.at(0).str(), node.at(1).str())
            && let Some(loc) = self.names.aliases.get(&format!("{header}.{field}"))
            && !self.names.headers.contains_key(header)
        {
            return Ok((self.header_of(loc), *loc));
        }
        let header = self.header(&node.at(0))?;
        let name = node.at(1);
        Ok((header, self.field_of(header, &name)?))
    }

    fn header_of(&self, loc: &FieldLoc) -> u32 {
        let headers = &self.program.layout.headers;
        let index = headers.iter().position(|h| (h.base..h.base + h.slots).contains(&loc.slot));
        index.and_then(|i| u32::try_from(i).ok()).unwrap_or(0)
    }

    pub fn field_of(&self, header: u32, name: &Node) -> Result<FieldLoc, ProgramError> {
        let definition = &self.program.layout.headers[header as usize];
        let text = name.str()?;
        if text == "$valid$" {
            return Ok(FieldLoc { slot: definition.valid, width: 1, signed: false, varbit: false });
        }
        let fields = &self.names.type_fields[definition.type_id as usize];
        match fields.get(text) {
            Some(index) => Ok(definition.fields[*index as usize].loc),
            None => Err(name.error(format!("header {} has no field \"{text}\"", definition.name))),
        }
    }

    /// A field of a stack's elements, counted from the header's first slot.
    pub fn element_field(&self, header: u32, name: &Node) -> Result<FieldLoc, ProgramError> {
        let loc = self.field_of(header, name)?;
        Ok(FieldLoc { slot: loc.slot - self.program.layout.headers[header as usize].base, ..loc })
    }

    /// The first header of a stack: all have the same type.
    pub fn stack_sample(&self, stack: u32, node: &Node) -> Result<u32, ProgramError> {
        let stack = &self.program.layout.stacks[stack as usize];
        stack.headers.first().copied().ok_or_else(|| node.error(format!("stack {} has no elements", stack.name)))
    }

    /// A member of a union stack's elements: its number, and the header in the first element.
    pub fn union_member(&self, stack: u32, name: &Node) -> Result<(u32, u32), ProgramError> {
        let stack = &self.program.layout.union_stacks[stack as usize];
        let text = name.str()?;
        let union = stack.unions.first().map(|u| &self.program.layout.unions[*u as usize]);
        let union = union.ok_or_else(|| name.error(format!("stack {} has no elements", stack.name)))?;
        let member = union.members.iter().position(|m| m == text).filter(|m| *m < union.headers.len());
        let member = member.ok_or_else(|| name.error(format!("union {} has no member \"{text}\"", union.name)))?;
        Ok((member as u32, union.headers[member]))
    }
}

/// Looks a name up.
pub(crate) fn find(names: &HashMap<String, u32>, node: &Node, kind: &str) -> Result<u32, ProgramError> {
    let name = node.str()?;
    names.get(name).copied().ok_or_else(|| node.error(format!("there is no {kind} \"{name}\"")))
}

/// Notes a name; an error if it is there already.
pub(crate) fn note(
    names: &mut HashMap<String, u32>,
    node: &Node,
    kind: &str,
    index: usize,
) -> Result<(), ProgramError> {
    let name = node.get("name").string()?;
    let index = u32::try_from(index).map_err(|_| node.error("too many"))?;
    match names.insert(name.clone(), index) {
        None => Ok(()),
        Some(_) => Err(node.error(format!("there are two {kind}s named \"{name}\""))),
    }
}

/// A number for a destination of this width, in the shortest way.
pub(crate) fn value_for(data: &Data, width: u32) -> Value {
    let data = strip_cut(data, width);
    if width <= 64 {
        Value::Word(low(data))
    } else if width <= 128 {
        Value::Double(low(data))
    } else {
        Value::Big(big(data))
    }
}

/// A number of at most 64 bits for a destination.
pub(crate) fn word_for(data: &Data, width: u32) -> N64 {
    low(strip_cut(data, width))
}

/// Bits of a destination.
pub(crate) fn dest_width(dest: &Dest, registers: &[crate::types::RegisterInfo]) -> u32 {
    match dest {
        Dest::Field(loc) | Dest::Dynamic(_, loc) => loc.width,
        Dest::Register(cell) => registers.get(cell.array as usize).map_or(64, |r| r.width),
    }
}
