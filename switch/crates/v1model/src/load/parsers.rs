//! The parser.

use bmv2_json::{Node, ProgramError};
use std::collections::HashMap;

use super::builder::{Builder, find};
use super::expr::Locals;
use super::lower::{amount, lower_bool};
use crate::code::parser::{Case, DONE, KeyPart, Matcher, ParserOp, Select, State, Target};
use crate::phv::limbs;

/// Longest key of a transition, in bytes.
const MAX_KEY_BYTES: usize = 4_096;

impl Builder {
    pub(super) fn parser(&mut self, root: &Node) -> Result<(), ProgramError> {
        let parsers = root.get("parsers");
        let named = parsers.index_named("parser")?;
        let node = parsers.at(named.unwrap_or(0));
        if node.is_null() {
            return Err(parsers.error("there is no parser"));
        }
        let states = node.get("parse_states");
        let mut names = HashMap::new();
        states.each(|state| {
            let name = state.get("name").string()?;
            if names.insert(name.clone(), names.len() as u32).is_some() {
                return Err(state.error(format!("there are two states named \"{name}\"")));
            }
            Ok(())
        })?;
        let start = node.get("init_state");
        self.program.parser.start = if start.is_null() { DONE } else { find(&names, &start, "parser state")? };
        for index in 0..states.element_count()? {
            let state = self.state(&states.at(index), &names)?;
            self.program.parser.states.push(state);
        }
        Ok(())
    }

    fn state(&mut self, node: &Node, names: &HashMap<String, u32>) -> Result<State, ProgramError> {
        let mut ops = Vec::new();
        node.get("parser_ops").each(|op| {
            ops.push(self.parser_op(&op)?);
            Ok(())
        })?;
        let mut widths = Vec::new();
        let parts = node.get("transition_key").map(|part| {
            let (part, width) = self.key_part(&part)?;
            widths.push(width);
            Ok(part)
        })?;
        let bytes = widths.iter().map(|w| w.div_ceil(8) as usize).sum();
        if bytes > MAX_KEY_BYTES {
            return Err(node.get("transition_key").error("the key is too long"));
        }
        let mut default = DONE;
        let mut cases = Vec::new();
        node.get("transitions").each(|transition| {
            let next = transition.get("next_state");
            let next = if next.is_null() { DONE } else { find(names, &next, "parser state")? };
            match self.transition(&transition, bytes, &widths)? {
                None => default = next,
                Some(matcher) => cases.push(Case { matcher, next }),
            }
            Ok(())
        })?;
        let select = (!parts.is_empty()).then_some(Select { parts, bytes, cases });
        Ok(State { ops, select, default })
    }

    /// The matcher of a transition; `None` for the default.
    fn transition(&mut self, node: &Node, bytes: usize, widths: &[u32]) -> Result<Option<Matcher>, ProgramError> {
        let value = node.get("value");
        let kind = node.get("type");
        let kind = if kind.is_null() { "hexstr" } else { kind.str()? };
        if kind == "default" || (kind == "hexstr" && value.value.as_str() == Some("default")) {
            return Ok(None);
        }
        let mask = node.get("mask");
        let mask_bytes = |length: usize| -> Result<Option<Vec<u8>>, ProgramError> {
            if mask.is_null() { Ok(None) } else { byte_string(&mask, length).map(Some) }
        };
        match kind {
            "hexstr" => {
                let mask = mask_bytes(bytes)?.unwrap_or_else(|| vec![0xff; bytes]);
                let value: Vec<u8> = byte_string(&value, bytes)?.iter().zip(&mask).map(|(v, m)| v & m).collect();
                let word = |bytes: &[u8]| bytes.iter().fold(0, |w, b| w << 8 | u64::from(*b));
                Ok(Some(if bytes <= 8 {
                    Matcher::Word { value: word(&value), mask: word(&mask) }
                } else {
                    Matcher::Bytes { value, mask }
                }))
            }
            "parse_vset" => {
                let set = find(&self.names.value_sets, &value, "value set")?;
                self.program.value_sets[set as usize].fields = widths.to_vec();
                Ok(Some(Matcher::Set { set, mask: mask_bytes(bytes)? }))
            }
            other => Err(node.get("type").error(format!("unknown kind of transition \"{other}\""))),
        }
    }

    fn key_part(&self, node: &Node) -> Result<(KeyPart, u32), ProgramError> {
        let kind = node.get("type");
        let value = node.get("value");
        let (part, width) = match kind.str()? {
            "field" => {
                let (_, loc) = self.field(&value)?;
                if loc.varbit {
                    return Err(value.error("a variable-length field cannot be in a key"));
                }
                (KeyPart::Field(loc), loc.width)
            }
            "stack_field" => {
                let stack = self.stack(&value.at(0))?;
                let loc = self.element_field(self.stack_sample(stack, &value)?, &value.at(1))?;
                (KeyPart::StackLast(stack, loc), loc.width)
            }
            "union_stack_field" => {
                let stack = self.union_stack(&value.at(0))?;
                let (member, sample) = self.union_member(stack, &value.at(1))?;
                let loc = self.element_field(sample, &value.at(2))?;
                (KeyPart::UnionStackLast(stack, member, loc), loc.width)
            }
            "lookahead" => {
                let (bit, width) = lookahead(&value)?;
                (KeyPart::Lookahead { bit, width }, width)
            }
            other => return Err(kind.error(format!("\"{other}\" cannot be in a key"))),
        };
        Ok((part, width))
    }

    fn target(&self, node: &Node) -> Result<(Target, u32), ProgramError> {
        let kind = node.get("type");
        let value = node.get("value");
        match kind.str()? {
            "regular" => {
                let header = self.header(&value)?;
                Ok((Target::Header(header), header))
            }
            "stack" => {
                let stack = self.stack(&value)?;
                Ok((Target::Stack(stack), self.stack_sample(stack, &value)?))
            }
            "union_stack" => {
                value.tuple(2)?;
                let stack = self.union_stack(&value.at(0))?;
                let (member, sample) = self.union_member(stack, &value.at(1))?;
                Ok((Target::UnionStack(stack, member), sample))
            }
            other => Err(kind.error(format!("\"{other}\" cannot be extracted"))),
        }
    }

    fn parser_op(&self, node: &Node) -> Result<ParserOp, ProgramError> {
        let params = node.get("parameters");
        let op = node.get("op");
        Ok(match op.str()? {
            "extract" => {
                params.tuple(1)?;
                let (target, sample) = self.target(&params.at(0))?;
                let header = &self.program.layout.headers[sample as usize];
                if header.varbit.is_none() {
                    return Ok(ParserOp::Extract(target));
                }
                let Some(length) = self.names.self_sized.get(&header.type_id) else {
                    return Err(node.error(format!("header {} has a variable-length field and no length", header.name)));
                };
                let Target::Header(index) = target else {
                    return Err(node.error("stacks of headers that size themselves are not supported"));
                };
                let length = self.data(&Node::root(length), Locals::Header(index))?;
                ParserOp::ExtractSelfSized(index, amount(&length))
            }
            "extract_VL" => {
                params.tuple(2)?;
                let (target, sample) = self.target(&params.at(0))?;
                if self.program.layout.headers[sample as usize].varbit.is_none() {
                    return Err(params.at(0).error("the header has no variable-length field"));
                }
                ParserOp::ExtractVarbit(target, amount(&self.data(&params.at(1), Locals::None)?))
            }
            "set" => {
                params.tuple(2)?;
                let source = params.at(1);
                if source.get("type").str()? == "lookahead" {
                    let (bit, width) = lookahead(&source.get("value"))?;
                    let (_, dst) = self.field(&params.at(0).get("value"))?;
                    ParserOp::Lookahead { dst, bit, width }
                } else {
                    let (_, dst) = self.field(&params.at(0).get("value"))?;
                    let name = if dst.varbit { "assign_VL" } else { "assign" };
                    let primitive = serde_json::json!({"op": name, "parameters": params.value});
                    let op = self.primitive(&Node::root(&primitive), Locals::None);
                    let op = op.map_err(|e| node.error(e.message))?;
                    ParserOp::Ops(op.into_iter().collect())
                }
            }
            "verify" => {
                params.tuple(2)?;
                let condition = lower_bool(&self.boolean(&params.at(0), Locals::None)?);
                let error = params.at(1);
                let error = match error.value.as_u64() {
                    Some(number) => crate::code::expr::Num::Const(number),
                    None => amount(&self.data(&error, Locals::None)?),
                };
                ParserOp::Verify(condition, error)
            }
            "shift" => {
                params.tuple(1)?;
                ParserOp::Advance(crate::code::expr::Num::Const(u64::from(params.at(0).u32()?) * 8))
            }
            "advance" => {
                params.tuple(1)?;
                ParserOp::Advance(amount(&self.data(&params.at(0), Locals::None)?))
            }
            "primitive" => {
                params.tuple(1)?;
                ParserOp::Ops(self.primitive(&params.at(0), Locals::None)?.into_iter().collect())
            }
            other => {
                return Err(op.error(format!("this switch's parser has no operation \"{other}\"")));
            }
        })
    }
}

/// `[bit offset, width]`
fn lookahead(node: &Node) -> Result<(usize, u32), ProgramError> {
    node.tuple(2)?;
    let (bit, width) = (node.at(0).usize()?, node.at(1).u32()?);
    if bit > 1 << 20 || !(1..=65_536).contains(&width) {
        return Err(node.error("too far ahead"));
    }
    Ok((bit, width))
}

/// A hexadecimal string of exactly so many bytes.
fn byte_string(node: &Node, bytes: usize) -> Result<Vec<u8>, ProgramError> {
    let given = node.hexstr_bytes()?;
    if given != bytes {
        return Err(node.error(format!("expected {bytes} bytes, found {given}")));
    }
    let width = bytes as u32 * 8;
    let mut data = vec![0; limbs(width)];
    crate::phv::big_to_limbs(&node.hexstr()?, width, &mut data);
    let mut out = Vec::with_capacity(bytes);
    crate::phv::append_bytes(&data, width, &mut out);
    Ok(out)
}
