//! Errors, counters, meters, registers, calculations, checksums, field lists, deparser.

use bmv2_json::{Node, ProgramError};
use std::sync::Arc;

use super::builder::{Builder, find, note};
use super::expr::Locals;
use super::lower::lower_bool;
use crate::code::LearnList;
use crate::code::calculation::{Calculation, Input};
use crate::code::deparser::Checksum;
use crate::code::parser::CoreErrors;
use crate::hash::Algorithm;
use crate::phv::{big_to_limbs, limbs};
use crate::types::{
    ArrayInfo, DirectCounterInfo, MeterId, MeterInfo, MeterKind, RegisterId, RegisterInfo, ValueSetId, ValueSetInfo,
};

/// Largest number of 64-bit words in one array: 1 GiB.
const MAX_CELLS: usize = 1 << 27;

impl Builder {
    pub(super) fn errors(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("errors").each(|node| {
            self.names.errors.insert(node.at(0).string()?, node.at(1).u32()?);
            Ok(())
        })?;
        // Core errors that the program does not name get numbers that nothing else has, as in BMv2.
        let mut next = u32::MAX >> 1;
        let mut number = |name: &str| {
            if let Some(number) = self.names.errors.get(name) {
                return *number;
            }
            while self.names.errors.values().any(|n| *n == next) {
                next -= 1;
            }
            self.names.errors.insert(name.to_owned(), next);
            next
        };
        self.program.parser.errors = CoreErrors {
            none: number("NoError"),
            packet_too_short: number("PacketTooShort"),
            stack_out_of_bounds: number("StackOutOfBounds"),
            header_too_short: number("HeaderTooShort"),
            parser_timeout: number("ParserTimeout"),
            parser_invalid_argument: number("ParserInvalidArgument"),
        };
        Ok(())
    }

    pub(super) fn arrays(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("counter_arrays").each(|node| {
            if node.get("is_direct").bool_or(false)? {
                // Only names for people: the table says whether its entries are counted.
                if let (Ok(name), Ok(table)) = (node.get("name").string(), node.get("binding").string()) {
                    self.program.direct_counters.push(DirectCounterInfo { name, table });
                }
                return Ok(());
            }
            note(&mut self.names.counters, &node, "counter", self.program.counters.len())?;
            self.program.counters.push(ArrayInfo { name: node.get("name").string()?, size: array_size(&node, 1)? });
            Ok(())
        })?;
        root.get("meter_arrays").each(|node| {
            let index = self.program.meters.len() as u32;
            note(&mut self.names.meters, &node, "meter", index as usize)?;
            let kind = node.get("type");
            let kind = match kind.str()? {
                "bytes" => MeterKind::Bytes,
                "packets" => MeterKind::Packets,
                other => {
                    return Err(kind.error(format!("\"{other}\" is not \"bytes\" or \"packets\"")));
                }
            };
            let direct = node.get("is_direct").bool_or(false)?;
            if direct {
                let (_, target) = self.field(&node.get("result_target"))?;
                self.names.meter_targets.insert(index, target);
            }
            let rates = node.get("rate_count");
            if !rates.is_null() && rates.i64()? != 2 {
                return Err(rates.error("meters have two rates"));
            }
            let size = if direct && !node.has("size") { 0 } else { array_size(&node, 20)? };
            self.program.meters.push(MeterInfo {
                id: MeterId(index),
                name: node.get("name").string()?,
                kind,
                size,
                table: None,
            });
            Ok(())
        })?;
        root.get("register_arrays").each(|node| {
            let index = self.program.registers.len() as u32;
            note(&mut self.names.registers, &node, "register", index as usize)?;
            let width = node.get("bitwidth").u32()?;
            if !(1..=65_536).contains(&width) {
                return Err(node.get("bitwidth").error("expected 1 to 65536 bits"));
            }
            let size = array_size(&node, limbs(width))?;
            self.program.registers.push(RegisterInfo {
                id: RegisterId(index),
                name: node.get("name").string()?,
                width,
                size,
            });
            Ok(())
        })
    }

    pub(super) fn calculations(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("calculations").each(|node| {
            note(&mut self.names.calculations, &node, "calculation", self.program.calculations.len())?;
            let calculation = self.calculation(&node)?;
            self.program.calculations.push(calculation);
            Ok(())
        })
    }

    /// An algorithm and its input; also an action selector's.
    pub(super) fn calculation(&self, node: &Node) -> Result<Calculation, ProgramError> {
        let algorithm = node.get("algo");
        let algorithm = Algorithm::from_name(algorithm.str()?)
            .ok_or_else(|| algorithm.error("this switch has no such hash algorithm"))?;
        let mut input = Vec::new();
        let mut with_payload = false;
        node.get("input").each(|part| {
            let kind = part.get("type");
            let value = part.get("value");
            input.push(match kind.str()? {
                "field" => {
                    let (header, loc) = self.field(&value)?;
                    Input::Field(header, loc)
                }
                "hexstr" => {
                    let width = part.get("bitwidth").u32()?;
                    if !(1..=65_536).contains(&width) {
                        return Err(part.get("bitwidth").error("expected 1 to 65536 bits"));
                    }
                    let mut data = vec![0; limbs(width)];
                    big_to_limbs(&value.hexstr()?, width, &mut data);
                    Input::Const(data, width)
                }
                "header" => Input::Header(self.header(&value)?),
                "payload" => {
                    with_payload = true;
                    return Ok(());
                }
                other => {
                    return Err(kind.error(format!("\"{other}\" cannot be input of a calculation")));
                }
            });
            Ok(())
        })?;
        Ok(Calculation::new(algorithm, input, with_payload))
    }

    pub(super) fn value_sets(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("parse_vsets").each(|node| {
            let index = self.program.value_sets.len() as u32;
            note(&mut self.names.value_sets, &node, "value set", index as usize)?;
            let width = node.get("compressed_bitwidth").u32()?;
            self.program.value_sets.push(ValueSetInfo {
                id: ValueSetId(index),
                name: node.get("name").string()?,
                width,
                fields: vec![width],
                max_size: node.get("max_size").usize().unwrap_or(0),
            });
            Ok(())
        })
    }

    pub(super) fn lists(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("field_lists").each(|node| {
            let mut fields = Vec::new();
            node.get("elements").each(|element| {
                if element.get("type").str()? == "field" {
                    fields.push(self.field(&element.get("value"))?.1);
                }
                Ok(())
            })?;
            self.program.field_lists.insert(node.get("id").u32()?, fields);
            Ok(())
        })?;
        root.get("learn_lists").each(|node| {
            let fields = node.get("elements").map(|element| {
                if element.get("type").str()? != "field" {
                    return Err(element.error("a digest can only have fields"));
                }
                self.field(&element.get("value"))
            })?;
            let name: Arc<str> = node.get("name").str()?.into();
            self.program.learn_lists.insert(node.get("id").u32()?, LearnList { name, fields });
            Ok(())
        })
    }

    pub(super) fn checksums(&mut self, root: &Node) -> Result<(), ProgramError> {
        root.get("checksums").each(|node| {
            let (header, field) = self.field(&node.get("target"))?;
            let kind = node.get("type");
            let calculation = match kind.str()? {
                "generic" => find(&self.names.calculations, &node.get("calculation"), "calculation")?,
                // The header itself, with the checksum field taken as zero.
                "ipv4" => {
                    let fields = self.program.layout.headers[header as usize].fields.iter().map(|f| {
                        if f.loc == field {
                            Input::Const(vec![0; limbs(field.width)], field.width)
                        } else {
                            Input::Field(header, f.loc)
                        }
                    });
                    let input = fields.collect();
                    self.program.calculations.push(Calculation::new(Algorithm::Csum16, input, false));
                    self.program.calculations.len() as u32 - 1
                }
                other => return Err(kind.error(format!("unknown kind of checksum \"{other}\""))),
            };
            let condition = node.get("if_cond");
            let condition =
                if condition.is_null() { None } else { Some(lower_bool(&self.boolean(&condition, Locals::None)?)) };
            self.program.checksums.push(Checksum {
                header,
                field,
                calculation,
                condition,
                verify: node.get("verify").bool_or(true)?,
                update: node.get("update").bool_or(true)?,
            });
            Ok(())
        })
    }

    pub(super) fn deparser(&mut self, root: &Node) -> Result<(), ProgramError> {
        let deparsers = root.get("deparsers");
        let named = deparsers.index_named("deparser")?;
        let node = deparsers.at(named.unwrap_or(0));
        let order = node.get("order").map(|name| {
            let header = self.header(&name)?;
            if self.program.layout.headers[header as usize].metadata {
                return Err(name.error("metadata cannot be written to a packet"));
            }
            Ok(header)
        })?;
        self.program.deparser.order = order;
        self.program.deparser.ops = self.body(&node.get("primitives"), Locals::None)?;
        Ok(())
    }
}

/// The number of cells, limited so that a wrong file cannot take all memory.
fn array_size(node: &Node, words: usize) -> Result<usize, ProgramError> {
    let size = node.get("size").usize()?;
    if size.saturating_mul(words) > MAX_CELLS {
        return Err(node.get("size").error(format!("{size} cells are too many")));
    }
    Ok(size)
}
