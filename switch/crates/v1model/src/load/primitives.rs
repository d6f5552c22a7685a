//! Primitives, the operations of actions, from JSON.

use super::ast::{Ast, Data, HeaderExpr};
use super::builder::{Builder, dest_width, find, value_for, word_for};
use super::expr::Locals;
use super::lower::{amount, big, header_ref, lower_bool, union_ref};
use crate::code::expr::{N64, RegisterCell};
use crate::code::ops::{AssertOp, Dest, HashOp, LogOp, Op};
use crate::layout::StackRef;
use crate::phv::{FieldLoc, mask64};
use bmv2_json::{Node, ProgramError};

use super::ast::BinOp;

/// One primitive call: its name and parameters.
struct Call<'a, 'b> {
    builder: &'a Builder,
    node: &'a Node<'a>,
    params: Node<'a>,
    locals: Locals<'b>,
}

impl Builder {
    /// Lowers a primitive; nothing for one that does nothing.
    pub fn primitive(&self, node: &Node, locals: Locals) -> Result<Option<Op>, ProgramError> {
        let call = Call { builder: self, node, params: node.get("parameters"), locals };
        call.lower()
    }
}

impl Call<'_, '_> {
    fn count(&self, count: usize) -> Result<(), ProgramError> {
        let got = self.params.element_count()?;
        if got == count {
            return Ok(());
        }
        Err(self.params.error(format!("the operation takes {count} parameters, {got} are given")))
    }

    fn data(&self, index: usize) -> Result<Data, ProgramError> {
        self.builder.data(&self.params.at(index), self.locals)
    }

    /// A number of up to 64 bits: an index, a session, a length.
    fn amount(&self, index: usize) -> Result<N64, ProgramError> {
        Ok(amount(&self.data(index)?))
    }

    fn header(&self, index: usize) -> Result<HeaderExpr, ProgramError> {
        self.builder.header_expr(&self.params.at(index), self.locals)
    }

    fn object(
        &self,
        index: usize,
        names: &std::collections::HashMap<String, u32>,
        kind: &str,
    ) -> Result<u32, ProgramError> {
        find(names, &self.params.at(index).get("value"), kind)
    }

    /// Where the result goes: something that can be assigned to.
    fn dest(&self, index: usize) -> Result<Dest, ProgramError> {
        let node = self.params.at(index);
        match self.builder.ast(&node, self.locals)? {
            Ast::Data(Data::Field(loc)) => Ok(Dest::Field(loc)),
            Ast::Data(Data::DynField(header, loc)) => Ok(Dest::Dynamic(header_ref(&header), loc)),
            Ast::Data(Data::Register { array, index, .. }) => {
                Ok(Dest::Register(RegisterCell { array, index: amount(&index) }))
            }
            _ => Err(node.error("this cannot be assigned to")),
        }
    }

    fn field(&self, index: usize) -> Result<FieldLoc, ProgramError> {
        match self.dest(index)? {
            Dest::Field(loc) => Ok(loc),
            _ => Err(self.params.at(index).error("expected a field")),
        }
    }

    fn stack(&self, index: usize) -> Result<StackRef, ProgramError> {
        let node = self.params.at(index);
        match self.builder.ast(&node, self.locals)? {
            Ast::Stack(stack) => Ok(StackRef::Headers(stack)),
            Ast::UnionStack(stack) => Ok(StackRef::Unions(stack)),
            other => Err(node.error(format!("expected a header stack, found {}", other.kind()))),
        }
    }

    fn assign(&self, dest: Dest, data: &Data) -> Op {
        match &dest {
            Dest::Field(loc) if self.builder.names.saturating.contains(&loc.slot) => {
                let data = Box::new(data.clone());
                let cut = if loc.signed { Data::SatCast(data, loc.width) } else { Data::USatCast(data, loc.width) };
                self.store(dest, &cut)
            }
            _ => self.store(dest, data),
        }
    }

    fn store(&self, dest: Dest, data: &Data) -> Op {
        match (&dest, data) {
            (Dest::Field(dst), Data::Field(src))
                if dst.narrow() && src.narrow() && (!src.signed || src.width >= dst.width) =>
            {
                Op::CopyWord { dst: dst.slot, src: src.slot, mask: mask64(dst.width) }
            }
            (Dest::Field(dst), Data::Field(src)) if dst.width == src.width && !dst.varbit && !src.varbit => {
                Op::CopySlots { dst: dst.slot, src: src.slot, count: dst.slots() }
            }
            (Dest::Field(dst), data) if dst.narrow() => {
                let mask = mask64(dst.width);
                match word_for(data, dst.width) {
                    crate::code::expr::Num::Const(value) => Op::SetConst { slot: dst.slot, value: value & mask },
                    value => Op::SetWord { slot: dst.slot, mask, value },
                }
            }
            _ => {
                let width = dest_width(&dest, &self.builder.program.registers);
                Op::Set(Box::new((dest, value_for(data, width))))
            }
        }
    }

    fn binary(&self, op: BinOp) -> Result<Op, ProgramError> {
        self.count(3)?;
        let data = Data::Bin(op, Box::new(self.data(1)?), Box::new(self.data(2)?));
        Ok(self.assign(self.dest(0)?, &data))
    }

    fn update(&self, op: BinOp) -> Result<Op, ProgramError> {
        self.count(2)?;
        let data = Data::Bin(op, Box::new(self.data(0)?), Box::new(self.data(1)?));
        Ok(self.assign(self.dest(0)?, &data))
    }

    fn jump_target(&self, index: usize) -> Result<u32, ProgramError> {
        let node = self.params.at(index);
        match self.data(index)? {
            Data::Const(value) => u32::try_from(value).map_err(|_| node.error("not a place to jump to")),
            _ => Err(node.error("the target of a jump must be a constant")),
        }
    }

    fn lower(&self) -> Result<Option<Op>, ProgramError> {
        let names = &self.builder.names;
        let op = self.node.get("op");
        Ok(Some(match op.str()? {
            "assign" | "modify_field" => {
                self.count(2)?;
                self.assign(self.dest(0)?, &self.data(1)?)
            }
            "assign_VL" => {
                self.count(2)?;
                let (dst, src) = (self.field(0)?, self.field(1)?);
                if !dst.varbit || !src.varbit {
                    return Err(self.params.error("expected two variable-length fields"));
                }
                Op::SetVarbit { dst, src }
            }
            "assign_header" | "copy_header" => {
                self.count(2)?;
                Op::CopyHeader(Box::new((header_ref(&self.header(0)?), header_ref(&self.header(1)?))))
            }
            "assign_union" => {
                self.count(2)?;
                let union = |index| self.builder.union_expr(&self.params.at(index), self.locals);
                Op::CopyUnion(Box::new((union_ref(&union(0)?), union_ref(&union(1)?))))
            }
            "assign_header_stack" | "assign_union_stack" => {
                self.count(2)?;
                match (self.stack(0)?, self.stack(1)?) {
                    (StackRef::Headers(dst), StackRef::Headers(src)) => Op::CopyStack { dst, src },
                    (StackRef::Unions(dst), StackRef::Unions(src)) => Op::CopyUnionStack { dst, src },
                    _ => return Err(self.params.error("the two stacks are of different kinds")),
                }
            }
            "push" => {
                self.count(2)?;
                Op::Push(self.stack(0)?, self.amount(1)?)
            }
            "pop" => {
                self.count(2)?;
                Op::Pop(self.stack(0)?, self.amount(1)?)
            }
            "add_header" => Op::AddHeader(header_ref(&self.header(0)?)),
            "add_header_fast" => Op::MarkValid(header_ref(&self.header(0)?)),
            "remove_header" => Op::RemoveHeader(header_ref(&self.header(0)?)),
            "add_to_field" => self.update(BinOp::Add)?,
            "subtract_from_field" => self.update(BinOp::Sub)?,
            "add" => self.binary(BinOp::Add)?,
            "subtract" => self.binary(BinOp::Sub)?,
            "bit_xor" => self.binary(BinOp::Xor)?,
            "bit_or" => self.binary(BinOp::Or)?,
            "bit_and" => self.binary(BinOp::And)?,
            "shift_left" => self.binary(BinOp::Shl)?,
            "shift_right" => self.binary(BinOp::Shr)?,
            "register_read" => {
                self.count(3)?;
                let array = self.object(1, &names.registers, "register")?;
                Op::RegisterRead { dst: self.dest(0)?, array, index: self.amount(2)? }
            }
            "register_write" => {
                self.count(3)?;
                let array = self.object(0, &names.registers, "register")?;
                let width = self.builder.program.registers[array as usize].width;
                Op::RegisterWrite { array, index: self.amount(1)?, value: value_for(&self.data(2)?, width) }
            }
            "count" => {
                self.count(2)?;
                Op::Count { counter: self.object(0, &names.counters, "counter")?, index: self.amount(1)? }
            }
            "execute_meter" => {
                self.count(3)?;
                let meter = self.object(0, &names.meters, "meter")?;
                Op::Meter { meter, index: self.amount(1)?, dst: self.dest(2)? }
            }
            "modify_field_with_hash_based_offset" => {
                self.count(4)?;
                Op::Hash(Box::new(HashOp {
                    dst: self.dest(0)?,
                    base: self.amount(1)?,
                    calculation: self.object(2, &names.calculations, "calculation")?,
                    size: self.amount(3)?,
                }))
            }
            "modify_field_rng_uniform" => {
                self.count(3)?;
                Op::Random { dst: self.dest(0)?, low: self.amount(1)?, high: self.amount(2)? }
            }
            "drop" | "mark_to_drop" => {
                let metadata = &self.builder.program.metadata;
                let egress_spec = metadata.egress_spec;
                let egress_spec = egress_spec.ok_or_else(|| op.error("there is no standard_metadata.egress_spec"))?;
                Op::MarkToDrop { egress_spec, mcast_grp: metadata.mcast_grp }
            }
            "generate_digest" => {
                self.count(2)?;
                Op::Digest(self.amount(1)?)
            }
            "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress" => {
                self.count(2)?;
                Op::Clone { session: self.amount(0)?, list: self.amount(1)? }
            }
            "resubmit" => {
                self.count(1)?;
                Op::Resubmit(self.amount(0)?)
            }
            "recirculate" => {
                self.count(1)?;
                Op::Recirculate(self.amount(0)?)
            }
            "truncate" => {
                self.count(1)?;
                Op::Truncate(self.amount(0)?)
            }
            "log_msg" => self.log()?,
            "assert" | "assume" => {
                self.count(1)?;
                let condition = lower_bool(&self.builder.boolean(&self.params.at(0), self.locals)?);
                Op::Assert(Box::new(AssertOp { condition, text: format!("{} failed{}", op.str()?, source(self.node)) }))
            }
            "exit" => Op::Exit,
            "_jump" => Op::Jump(self.jump_target(0)?),
            "_jump_if_zero" => {
                self.count(2)?;
                let condition = lower_bool(&self.builder.boolean(&self.params.at(0), self.locals)?);
                Op::JumpIfZero(condition, self.jump_target(1)?)
            }
            "no_op" => return Ok(None),
            other => return Err(op.error(format!("this switch has no operation \"{other}\""))),
        }))
    }

    fn log(&self) -> Result<Op, ProgramError> {
        self.count(2)?;
        let text = self.params.at(0).get("value").string()?;
        let parameter = self.params.at(1);
        let vector = parameter.get("value");
        // p4c writes a vector without elements as an empty object.
        let is_empty = vector.value.as_object().is_some_and(serde_json::Map::is_empty);
        let data = |node: Node| Ok(big(&self.builder.data(&node, self.locals)?));
        let values = if is_empty { vec![] } else { vector.map(data)? };
        Ok(Op::Log(Box::new(LogOp { pieces: log_pieces(&text), values })))
    }
}

/// The text of a `log_msg` between its `{}` places; `\{` and `\}` are plain braces.
fn log_pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if matches!(characters.peek(), Some('{' | '}')) => {
                if let (Some(brace), Some(piece)) = (characters.next(), pieces.last_mut()) {
                    piece.push(brace);
                }
            }
            '{' => {
                for inner in characters.by_ref() {
                    if inner == '}' {
                        break;
                    }
                }
                pieces.push(String::new());
            }
            other => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(other);
                }
            }
        }
    }
    pieces
}

/// ` at FILE(LINE): FRAGMENT`, if the JSON says.
fn source(node: &Node) -> String {
    let info = node.get("source_info");
    match (info.get("filename").str(), info.get("line").i64()) {
        (Ok(file), Ok(line)) => {
            format!(" at {file}({line}): {}", info.get("source_fragment").str().unwrap_or_default())
        }
        _ => String::new(),
    }
}
