//! Running a parser.

use super::env::{Env, at_header};
use super::run::Machine;
use crate::bits::{read_limbs, read_u64};
use crate::code::expr::{HeaderRef, UnionRef};
use crate::code::parser::{KeyPart, Matcher, ParserOp, Select, State, Target};
use crate::layout::Layout;
use crate::packet::Packet;
use crate::phv::{FieldLoc, append_bytes, limbs};
use crate::state::{Memory, ValueSet};

/// States a packet may go through before the parser gives up with `ParserTimeout`.
const MAX_STATES: u32 = 1 << 14;

impl Machine<'_> {
    /// Runs the parser over the frame.
    pub fn parse(&mut self, packet: &mut Packet) {
        let program = self.program;
        let parser = &program.parser;
        packet.parser_error = parser.errors.none;
        packet.checksum_error = false;
        packet.parsed = 0;
        let mut state = parser.start;
        let mut visited = 0;
        while let Some(current) = parser.states.get(state as usize) {
            visited += 1;
            if packet.traced != 0 {
                self.memory.keep_before(packet);
            }
            if !self.spend(current.ops.len() + 1, packet) {
                break;
            }
            let next = if visited > MAX_STATES {
                Err(parser.errors.parser_timeout)
            } else {
                self.parser_state(current, packet)
            };
            if packet.traced != 0 {
                self.note_state(state, next, packet);
            }
            match next {
                Ok(next) => state = next,
                Err(error) => {
                    packet.parser_error = error;
                    self.memory.stats.parser_errors += 1;
                    break;
                }
            }
        }
    }

    fn parser_state(&mut self, state: &State, packet: &mut Packet) -> Result<u32, u32> {
        for op in &state.ops {
            self.parser_op(op, packet)?;
        }
        match &state.select {
            None => Ok(state.default),
            Some(select) => {
                let next = select.choose(&self.program.layout, packet, self.memory);
                next.map(|next| next.unwrap_or(state.default)).ok_or(self.program.parser.errors.packet_too_short)
            }
        }
    }

    fn parser_op(&mut self, op: &ParserOp, packet: &mut Packet) -> Result<(), u32> {
        let errors = &self.program.parser.errors;
        let layout = &self.program.layout;
        let env = &Env { phv: &packet.phv, data: &[], layout, registers: &self.memory.registers };
        match op {
            ParserOp::Extract(Target::Header(header)) => {
                extract(layout, *header, packet).ok_or(errors.packet_too_short)
            }
            ParserOp::Extract(target) => {
                let (header, next) = target.header(layout, packet).ok_or(errors.stack_out_of_bounds)?;
                extract(layout, header, packet).ok_or(errors.packet_too_short)?;
                packet.phv[next] += 1;
                Ok(())
            }
            ParserOp::ExtractVarbit(target, bits) => {
                let bits = bits.eval(env);
                let found = match target {
                    Target::Header(header) => (*header, None),
                    stack => {
                        let (header, next) = stack.header(layout, packet).ok_or(errors.stack_out_of_bounds)?;
                        (header, Some(next))
                    }
                };
                self.extract_varbit(found.0, bits, packet)?;
                if let Some(next) = found.1 {
                    packet.phv[next] += 1;
                }
                Ok(())
            }
            ParserOp::ExtractSelfSized(header, bits) => {
                let before = layout.headers[*header as usize].varbit.unwrap_or(0);
                extract_fields(layout, *header, 0..before, packet.parsed * 8, packet);
                let env = &Env { phv: &packet.phv, data: &[], layout, registers: &self.memory.registers };
                let bits = bits.eval(env);
                self.extract_varbit(*header, bits, packet)
            }
            ParserOp::Lookahead { dst, bit, width } => {
                let start = packet.parsed * 8 + bit;
                if start + *width as usize > packet.frame_len() * 8 {
                    return Err(errors.packet_too_short);
                }
                if dst.narrow() {
                    let low = (*width).min(dst.width);
                    let value = read_u64(&packet.buffer, start + (*width - low) as usize, low);
                    packet.phv[dst.slot as usize] = value;
                } else {
                    let low = (*width).min(dst.width);
                    let data = &mut packet.phv[dst.data()..dst.data() + dst.limbs()];
                    read_limbs(&packet.buffer, start + (*width - low) as usize, low, data);
                }
                Ok(())
            }
            ParserOp::Verify(condition, error) => {
                if condition.eval(env) {
                    Ok(())
                } else {
                    Err(error.eval(env) as u32)
                }
            }
            ParserOp::Advance(bits) => {
                let bits = bits.eval(env);
                if !bits.is_multiple_of(8) {
                    return Err(errors.parser_invalid_argument);
                }
                let left = (packet.frame_len() - packet.parsed) as u64;
                if bits / 8 > left {
                    return Err(errors.packet_too_short);
                }
                packet.parsed += (bits / 8) as usize;
                Ok(())
            }
            ParserOp::Ops(ops) => {
                self.ops(ops, &[], packet);
                Ok(())
            }
        }
    }

    fn extract_varbit(&mut self, header: u32, bits: u64, packet: &mut Packet) -> Result<(), u32> {
        let errors = &self.program.parser.errors;
        let layout = &self.program.layout;
        let definition = &layout.headers[header as usize];
        if !bits.is_multiple_of(8) {
            return Err(errors.parser_invalid_argument);
        }
        let bytes = (bits / 8).saturating_add(u64::from(definition.bytes));
        if bytes > (packet.frame_len() - packet.parsed) as u64 {
            return Err(errors.packet_too_short);
        }
        let Some(index) = definition.varbit else {
            return Err(errors.parser_invalid_argument);
        };
        let field = definition.fields[index].loc;
        if bits > u64::from(field.width) {
            return Err(errors.header_too_short);
        }
        packet.phv[field.slot as usize] = bits;
        let start = packet.parsed * 8;
        extract_fields(layout, header, 0..index, start, packet);
        let at = start + definition.fields[index].bit as usize;
        let data = &mut packet.phv[field.data()..field.data() + field.limbs()];
        read_limbs(&packet.buffer, at, bits as u32, data);
        extract_fields(layout, header, index + 1..definition.fields.len(), start + bits as usize, packet);
        layout.set_valid(&mut packet.phv, header);
        packet.parsed += bytes as usize;
        Ok(())
    }
}

impl Target {
    /// The header to fill, and the slot that counts the stack's elements; nothing if the stack is full.
    fn header(&self, layout: &Layout, packet: &Packet) -> Option<(u32, usize)> {
        match self {
            Target::Header(_) => None,
            Target::Stack(stack) => {
                let stack = &layout.stacks[*stack as usize];
                let next = packet.phv[stack.next as usize];
                Some((*stack.headers.get(next as usize)?, stack.next as usize))
            }
            Target::UnionStack(stack, member) => {
                let stack = &layout.union_stacks[*stack as usize];
                let next = packet.phv[stack.next as usize];
                let union = *stack.unions.get(next as usize)?;
                let header = *layout.unions[union as usize].headers.get(*member as usize)?;
                Some((header, stack.next as usize))
            }
        }
    }
}

/// Fills a header of fixed size; nothing if the packet is too short.
fn extract(layout: &Layout, header: u32, packet: &mut Packet) -> Option<()> {
    let definition = &layout.headers[header as usize];
    if packet.frame_len() - packet.parsed < definition.bytes as usize {
        return None;
    }
    match (&definition.words, packet.buffer.get(packet.parsed..)) {
        (Some(words), Some(bytes)) => words.read(bytes, &mut packet.phv),
        _ => extract_fields(layout, header, 0..definition.fields.len(), packet.parsed * 8, packet),
    }
    layout.set_valid(&mut packet.phv, header);
    packet.parsed += definition.bytes as usize;
    Some(())
}

/// Fills some of a header's fields; `start` is the bit the header begins at.
fn extract_fields(layout: &Layout, header: u32, fields: std::ops::Range<usize>, start: usize, packet: &mut Packet) {
    for field in &layout.headers[header as usize].fields[fields] {
        let loc = &field.loc;
        let bit = start + field.bit as usize;
        if loc.varbit {
            continue;
        }
        if loc.width <= 64 {
            packet.phv[loc.slot as usize] = read_u64(&packet.buffer, bit, loc.width);
        } else {
            let data = &mut packet.phv[loc.data()..loc.data() + loc.limbs()];
            read_limbs(&packet.buffer, bit, loc.width, data);
        }
    }
}

impl Select {
    /// The next state if a case applies; nothing at all if a lookahead goes beyond the packet.
    fn choose(&self, layout: &Layout, packet: &Packet, memory: &mut Memory) -> Option<Option<u32>> {
        if self.bytes <= 8 {
            let mut key = 0u64;
            for part in &self.parts {
                let (value, width) = part.word(layout, packet)?;
                key = key.checked_shl(width.div_ceil(8) * 8).unwrap_or(0) | value;
            }
            let next = self.cases.iter().find(|case| match &case.matcher {
                Matcher::Word { value, mask } => key & mask == *value,
                Matcher::Set { set, mask } => {
                    memory.value_sets[*set as usize].matches(&key.to_be_bytes()[8 - self.bytes..], mask.as_deref())
                }
                Matcher::Bytes { .. } => false,
            });
            return Some(next.map(|case| case.next));
        }
        let mut key = std::mem::take(&mut memory.scratch);
        key.clear();
        let complete = self.parts.iter().all(|part| part.append(layout, packet, &mut key).is_some());
        let next = self.cases.iter().find(|case| match &case.matcher {
            Matcher::Word { .. } => false,
            Matcher::Bytes { value, mask } => {
                key.iter().zip(value).zip(mask).all(|((key, value), mask)| key & mask == *value)
            }
            Matcher::Set { set, mask } => memory.value_sets[*set as usize].matches(&key, mask.as_deref()),
        });
        memory.scratch = key;
        complete.then_some(next.map(|case| case.next))
    }
}

impl KeyPart {
    fn field(&self, layout: &Layout, packet: &Packet) -> Option<FieldLoc> {
        let env = &Env { phv: &packet.phv, data: &[], layout, registers: &[] };
        match self {
            KeyPart::Field(loc) => Some(*loc),
            KeyPart::StackLast(stack, loc) => {
                let header = HeaderRef::StackLast(*stack).resolve(env)?;
                Some(at_header(layout, header, loc))
            }
            KeyPart::UnionStackLast(stack, member, loc) => {
                let union = Box::new(UnionRef::StackLast(*stack));
                let header = HeaderRef::Member(union, *member).resolve(env)?;
                Some(at_header(layout, header, loc))
            }
            KeyPart::Lookahead { .. } => None,
        }
    }

    fn word(&self, layout: &Layout, packet: &Packet) -> Option<(u64, u32)> {
        match self {
            KeyPart::Field(loc) => Some((packet.phv[loc.slot as usize], loc.width)),
            KeyPart::Lookahead { bit, width } => {
                let start = packet.parsed * 8 + bit;
                (start + *width as usize <= packet.frame_len() * 8)
                    .then(|| (read_u64(&packet.buffer, start, *width), *width))
            }
            KeyPart::StackLast(_, relative) | KeyPart::UnionStackLast(_, _, relative) => {
                let value = self.field(layout, packet).map_or(0, |loc| packet.phv[loc.slot as usize]);
                Some((value, relative.width))
            }
        }
    }

    fn append(&self, layout: &Layout, packet: &Packet, out: &mut Vec<u8>) -> Option<()> {
        if let KeyPart::Lookahead { bit, width } = self {
            let start = packet.parsed * 8 + bit;
            if start + *width as usize > packet.frame_len() * 8 {
                return None;
            }
            let mut left = *width;
            while left > 0 {
                let count = (left - 1) % 8 + 1;
                out.push(read_u64(&packet.buffer, start + (*width - left) as usize, count) as u8);
                left -= count;
            }
            return Some(());
        }
        let width = match self {
            KeyPart::Field(loc) | KeyPart::StackLast(_, loc) | KeyPart::UnionStackLast(_, _, loc) => loc.width,
            KeyPart::Lookahead { width, .. } => *width,
        };
        match self.field(layout, packet) {
            Some(loc) => {
                let start = loc.data();
                append_bytes(&packet.phv[start..start + limbs(width)], width, out);
            }
            None => out.resize(out.len() + width.div_ceil(8) as usize, 0),
        }
        Some(())
    }
}

impl ValueSet {
    /// Whether a member equals the key where both the member's mask and the state's mask have ones.
    fn matches(&self, key: &[u8], mask: Option<&[u8]>) -> bool {
        let from_end = |bytes: &[u8], index: usize| -> u8 {
            (bytes.len() + index).checked_sub(key.len()).and_then(|i| bytes.get(i).copied()).unwrap_or(0)
        };
        self.members.iter().any(|member| {
            member.ranges.iter().all(|range| range.holds(key))
                && key.iter().enumerate().all(|(index, byte)| {
                    let mask = mask.map_or(0xff, |m| from_end(m, index))
                        & member.mask.as_deref().map_or(0xff, |m| from_end(m, index));
                    byte & mask == from_end(&member.value, index) & mask
                })
        })
    }
}
