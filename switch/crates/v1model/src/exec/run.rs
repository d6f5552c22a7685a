//! Running actions.

use num_bigint::BigInt;

use super::env::{Env, at_header};
use crate::code::Program;
use crate::code::expr::HeaderRef;
use crate::code::ops::{AssertOp, Dest, HashOp, LogOp, Op, Value};
use crate::packet::Packet;
use crate::phv::{FieldLoc, big_to_limbs, limbs, mask64, store_big, store_u128};
use crate::state::Memory;

/// The state that a packet's run through the program needs besides the packet.
pub(crate) struct Machine<'a> {
    pub program: &'a Program,
    pub memory: &'a mut Memory,
    /// Microseconds since the switch's epoch.
    pub now_us: u64,
    pub drop_port: u16,
}

/// A number that was computed and is to be stored.
enum Computed {
    Double(u128),
    Big(BigInt),
}

macro_rules! env {
    ($self:ident, $packet:ident, $data:ident) => {
        &Env { phv: &$packet.phv, data: $data, layout: &$self.program.layout, registers: &$self.memory.registers }
    };
}

impl Machine<'_> {
    /// Runs an action with the data of a table entry.
    pub fn action(&mut self, action: u32, data: &[u64], packet: &mut Packet) {
        if packet.traced != 0 {
            return self.traced_action(action, data, packet);
        }
        self.ops(&self.program.action_code[action as usize].ops, data, packet);
    }

    pub fn ops(&mut self, ops: &[Op], data: &[u64], packet: &mut Packet) {
        if !self.spend(ops.len(), packet) {
            return;
        }
        let mut position = 0;
        while let Some(op) = ops.get(position) {
            position += 1;
            match op {
                Op::SetWord { slot, mask, value } => {
                    let value = value.eval(env!(self, packet, data));
                    packet.phv[*slot as usize] = value & mask;
                }
                Op::SetConst { slot, value } => packet.phv[*slot as usize] = *value,
                Op::CopyWord { dst, src, mask } => packet.phv[*dst as usize] = packet.phv[*src as usize] & mask,
                Op::Jump(target) => {
                    if !self.jump(&mut position, *target, packet) {
                        return;
                    }
                }
                Op::JumpIfZero(condition, target) => {
                    if !condition.eval(env!(self, packet, data)) && !self.jump(&mut position, *target, packet) {
                        return;
                    }
                }
                Op::Exit => packet.exit = true,
                Op::Assert(assertion) => {
                    if !self.assert(assertion, data, packet) {
                        return;
                    }
                }
                other => self.op(other, data, packet),
            }
        }
    }

    /// Takes steps off the packet's allowance; gives the packet up if too few are left.
    #[inline]
    pub fn spend(&mut self, steps: usize, packet: &mut Packet) -> bool {
        match u32::try_from(steps).ok().and_then(|steps| packet.steps.checked_sub(steps)) {
            Some(left) => {
                packet.steps = left;
                true
            }
            None => {
                self.kill(packet, "the program does not end");
                false
            }
        }
    }

    pub(crate) fn jump(&mut self, position: &mut usize, target: u32, packet: &mut Packet) -> bool {
        let back = position.saturating_sub(target as usize);
        *position = target as usize;
        back == 0 || self.spend(back, packet)
    }

    fn op(&mut self, op: &Op, data: &[u64], packet: &mut Packet) {
        match op {
            Op::CopySlots { dst, src, count } => {
                let src = *src as usize;
                packet.phv.copy_within(src..src + *count as usize, *dst as usize);
            }
            Op::Set(pair) => self.set(&pair.0, &pair.1, data, packet),
            Op::SetVarbit { dst, src } => set_varbit(&mut packet.phv, dst, src),
            Op::CopyHeader(pair) => {
                let env = env!(self, packet, data);
                if let (Some(dst), Some(src)) = (pair.0.resolve(env), pair.1.resolve(env)) {
                    self.program.layout.copy_header(&mut packet.phv, dst, src);
                }
            }
            Op::CopyUnion(pair) => {
                let env = env!(self, packet, data);
                if let (Some(dst), Some(src)) = (pair.0.resolve(env), pair.1.resolve(env)) {
                    self.program.layout.copy_union(&mut packet.phv, dst, src);
                }
            }
            Op::CopyStack { dst, src } => self.program.layout.copy_stack(&mut packet.phv, *dst, *src),
            Op::CopyUnionStack { dst, src } => self.program.layout.copy_union_stack(&mut packet.phv, *dst, *src),
            Op::Push(stack, count) => {
                let count = count.eval(env!(self, packet, data));
                self.program.layout.push_front(&mut packet.phv, *stack, count);
            }
            Op::Pop(stack, count) => {
                let count = count.eval(env!(self, packet, data));
                self.program.layout.pop_front(&mut packet.phv, *stack, count);
            }
            Op::AddHeader(header) => self.add_header(header, data, packet),
            Op::MarkValid(header) => {
                if let Some(header) = header.resolve(env!(self, packet, data)) {
                    self.program.layout.set_valid(&mut packet.phv, header);
                }
            }
            Op::RemoveHeader(header) => {
                let layout = &self.program.layout;
                if let Some(header) = header.resolve(env!(self, packet, data))
                    && layout.is_valid(&packet.phv, header)
                {
                    packet.length = packet.length.wrapping_sub(layout.wire_bytes(&packet.phv, header));
                    layout.set_invalid(&mut packet.phv, header);
                }
            }
            Op::RegisterRead { dst, array, index } => {
                let index = index.eval(env!(self, packet, data));
                let cell = self.memory.registers[*array as usize].cell(index);
                match (cell, dst) {
                    ([], _) => {}
                    (cell, Dest::Field(loc)) if loc.narrow() => {
                        packet.phv[loc.slot as usize] = cell[0] & mask64(loc.width);
                    }
                    (cell, _) => {
                        let value = Computed::Big(crate::phv::limbs_to_big(cell));
                        self.store(dst, value, data, packet);
                    }
                }
            }
            Op::RegisterWrite { array, index, value } => {
                let index = index.eval(env!(self, packet, data));
                let value = compute(value, env!(self, packet, data));
                self.write_register(*array, index, &value);
            }
            Op::Count { counter, index } => {
                let index = index.eval(env!(self, packet, data));
                let cells = &mut self.memory.counters[*counter as usize];
                if let Some(cell) = usize::try_from(index).ok().and_then(|i| cells.get_mut(i)) {
                    cell.add(packet.ingress_length);
                }
            }
            Op::Meter { meter, index, dst } => {
                let index = index.eval(env!(self, packet, data));
                let kind = self.program.meters[*meter as usize].kind;
                let cells = &mut self.memory.meters[*meter as usize];
                if let Some(cell) = usize::try_from(index).ok().and_then(|i| cells.get_mut(i)) {
                    let color = cell.execute(self.now_us, kind, packet.ingress_length);
                    self.store(dst, Computed::Double(color as u128), data, packet);
                }
            }
            Op::Hash(hash) => self.hash(hash, data, packet),
            Op::Random { dst, low, high } => {
                let (low, high) = (low.eval(env!(self, packet, data)), high.eval(env!(self, packet, data)));
                if low <= high {
                    let value = self.memory.random.between(low, high);
                    self.store(dst, Computed::Double(u128::from(value)), data, packet);
                }
            }
            Op::MarkToDrop { egress_spec, mcast_grp } => {
                store_u128(&mut packet.phv, egress_spec, u128::from(self.drop_port));
                if let Some(group) = mcast_grp {
                    store_u128(&mut packet.phv, group, 0);
                }
            }
            Op::Digest(list) => packet.wants.digest = list.eval(env!(self, packet, data)) as u32,
            Op::Clone { session, list } => {
                let env = env!(self, packet, data);
                packet.wants.clone = Some((session.eval(env) as u32 & 0x7fff, list.eval(env) as u32));
            }
            Op::Resubmit(list) => packet.wants.resubmit = list.eval(env!(self, packet, data)) as u32,
            Op::Recirculate(list) => packet.wants.recirculate = list.eval(env!(self, packet, data)) as u32,
            Op::Truncate(length) => {
                let length = usize::try_from(length.eval(env!(self, packet, data))).unwrap_or(usize::MAX);
                packet.truncated = packet.truncated.min(length);
            }
            Op::Log(log) => self.log(log, data, packet),
            _ => {}
        }
    }

    fn add_header(&mut self, header: &HeaderRef, data: &[u64], packet: &mut Packet) {
        let layout = &self.program.layout;
        let Some(header) = header.resolve(env!(self, packet, data)) else {
            return;
        };
        if layout.is_valid(&packet.phv, header) {
            return;
        }
        layout.clear_fields(&mut packet.phv, header);
        layout.set_valid(&mut packet.phv, header);
        packet.length = packet.length.wrapping_add(layout.wire_bytes(&packet.phv, header));
    }

    fn hash(&mut self, op: &HashOp, data: &[u64], packet: &mut Packet) {
        let env = env!(self, packet, data);
        let (base, size) = (op.base.eval(env), op.size.eval(env));
        let calculation = &self.program.calculations[op.calculation as usize];
        let hash = calculation.compute(op.calculation as usize, &self.program.layout, packet, self.memory);
        let value = (hash % size.max(1)).wrapping_add(base);
        self.store(&op.dst, Computed::Double(u128::from(value)), data, packet);
    }

    fn log(&mut self, op: &LogOp, data: &[u64], packet: &mut Packet) {
        if !tracing::enabled!(tracing::Level::INFO) {
            return;
        }
        let env = env!(self, packet, data);
        let mut text = String::new();
        for (index, piece) in op.pieces.iter().enumerate() {
            text.push_str(piece);
            if let Some(value) = op.values.get(index) {
                text.push_str(&value.eval(env).to_string());
            }
        }
        tracing::info!(target: "p4", "{text}");
    }

    fn assert(&mut self, op: &AssertOp, data: &[u64], packet: &mut Packet) -> bool {
        let holds = op.condition.eval(env!(self, packet, data));
        if !holds {
            self.kill(packet, &op.text);
        }
        holds
    }

    /// Drops the packet here and now, because the program is wrong.
    fn kill(&mut self, packet: &mut Packet, why: &str) {
        packet.exit = true;
        packet.killed = true;
        self.memory.stats.assertion_failures += 1;
        tracing::error!(target: "p4", "packet dropped: {why}");
    }

    fn set(&mut self, dest: &Dest, value: &Value, data: &[u64], packet: &mut Packet) {
        let value = compute(value, env!(self, packet, data));
        self.store(dest, value, data, packet);
    }

    fn store(&mut self, dest: &Dest, value: Computed, data: &[u64], packet: &mut Packet) {
        match dest {
            Dest::Field(loc) => store_computed(&mut packet.phv, loc, &value),
            Dest::Dynamic(header, loc) => {
                if let Some(header) = header.resolve(env!(self, packet, data)) {
                    let loc = at_header(&self.program.layout, header, loc);
                    store_computed(&mut packet.phv, &loc, &value);
                }
            }
            Dest::Register(cell) => {
                let index = cell.index.eval(env!(self, packet, data));
                self.write_register(cell.array, index, &value);
            }
        }
    }

    fn write_register(&mut self, array: u32, index: u64, value: &Computed) {
        let array = &mut self.memory.registers[array as usize];
        let width = array.width;
        let Some(cell) = array.cell_mut(index) else {
            return;
        };
        match value {
            Computed::Double(value) => {
                let loc = FieldLoc { slot: 0, width, signed: false, varbit: false };
                store_u128(cell, &loc, *value);
            }
            Computed::Big(value) => big_to_limbs(value, width, cell),
        }
    }
}

fn compute(value: &Value, env: &Env) -> Computed {
    match value {
        Value::Word(n) => Computed::Double(u128::from(n.eval(env))),
        Value::Double(n) => Computed::Double(n.eval(env)),
        Value::Big(big) => Computed::Big(big.eval(env)),
    }
}

fn store_computed(phv: &mut [u64], loc: &FieldLoc, value: &Computed) {
    match value {
        Computed::Double(value) => store_u128(phv, loc, *value),
        Computed::Big(value) => store_big(phv, loc, value),
    }
}

fn set_varbit(phv: &mut [u64], dst: &FieldLoc, src: &FieldLoc) {
    let bits = src.bits(phv).min(dst.width);
    let count = limbs(bits);
    let from = src.data();
    phv[dst.slot as usize] = u64::from(bits);
    phv.copy_within(from..from + count, dst.data());
}
