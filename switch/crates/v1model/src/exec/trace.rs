//! Notes the steps of a traced packet.

use super::env::Env;
use super::run::Machine;
use crate::code::Program;
use crate::code::ops::{ActionEntry, Op, Value};
use crate::code::pipeline::Table;
use crate::code::source_map::{Label, SourceMap};
use crate::limbs::Limbs;
use crate::packet::Packet;
use crate::phv::{FieldLoc, limbs};
use crate::state::{Chosen, Entry};
use crate::trace::{
    NamedValue, SourceLine, TraceChange, TraceHeader, TraceStep, shown_in_header, shown_limbs, shown_match, shown_value,
};
use crate::types::{KeyInfo, KeyMatch};

/// `header.field`; metadata of the program itself as the program calls it.
fn field_name(program: &Program, header: usize, field: usize) -> String {
    let name = program.source.fields.get(header).and_then(|fields| fields.get(field)).map_or("?", |name| name);
    match program.layout.headers.get(header).map(|header| &header.name[..]) {
        // The struct's name is the compiler's, not the program's.
        Some("scalars") => name.split_once('.').map_or(name, |(_, name)| name).to_owned(),
        Some(header) => format!("{header}.{name}"),
        None => name.to_owned(),
    }
}

fn value_of(phv: &[u64], loc: &FieldLoc, metadata: bool) -> String {
    let bits = loc.bits(phv);
    let shown = if metadata { shown_limbs } else { shown_in_header };
    phv.get(loc.data()..loc.data() + limbs(bits)).map_or_else(String::new, |data| shown(data, bits))
}

/// Fields and validities that differ. Fields of a header that is not valid do not count.
fn changes(program: &Program, before: &[u64], after: &[u64]) -> Vec<TraceChange> {
    let mut all = Vec::new();
    if before.len() != after.len() {
        return all;
    }
    for (index, header) in program.layout.headers.iter().enumerate() {
        let slots = header.base as usize..(header.base + header.slots) as usize;
        if before.get(slots.clone()) == after.get(slots) {
            continue;
        }
        let (was, is) = (program.layout.is_valid(before, index as u32), program.layout.is_valid(after, index as u32));
        if was != is {
            let word = |valid: bool| if valid { "valid" } else { "invalid" }.to_owned();
            all.push(TraceChange { field: header.name.clone(), from: word(was), to: word(is) });
        }
        for (position, field) in header.fields.iter().enumerate() {
            let value = |phv: &[u64]| value_of(phv, &field.loc, header.metadata);
            let (from, to) = (value(before), value(after));
            if is && from != to {
                all.push(TraceChange { field: field_name(program, index, position), from, to });
            }
        }
    }
    all
}

fn headers_taken(program: &Program, before: &[u64], after: &[u64]) -> Vec<usize> {
    let valid = |phv: &[u64], index: usize| program.layout.is_valid(phv, index as u32);
    (0..program.layout.headers.len()).filter(|index| valid(after, *index) && !valid(before, *index)).collect()
}

impl Machine<'_> {
    pub(crate) fn note(&mut self, packet: &Packet, step: TraceStep) {
        self.memory.note(packet.traced, self.now_us, step);
    }

    fn before(&self) -> &[u64] {
        self.memory.tracer.as_ref().map_or(&[], |tracer| tracer.before())
    }

    fn is_brief(&self) -> bool {
        self.memory.tracer.as_ref().is_none_or(|tracer| tracer.is_brief())
    }

    /// After a parser state.
    #[cold]
    pub(crate) fn note_state(&mut self, state: u32, next: Result<u32, u32>, packet: &Packet) {
        let program = self.program;
        let SourceMap { states, errors, .. } = &program.source;
        let name = |state: u32| states.get(state as usize).cloned();
        let before = self.before();
        let taken = headers_taken(program, before, &packet.phv);
        let mut others = changes(program, before, &packet.phv);
        let extracted = taken.iter().map(|index| {
            let header = &program.layout.headers[*index];
            others.retain(|change| {
                change.field != header.name && !change.field.starts_with(&format!("{}.", header.name))
            });
            let fields = header.fields.iter().enumerate().map(|(position, field)| NamedValue {
                name: program.source.fields[*index].get(position).cloned().unwrap_or_default(),
                value: value_of(&packet.phv, &field.loc, false),
            });
            TraceHeader { header: header.name.clone(), fields: fields.collect() }
        });
        let extracted = extracted.collect();
        let step = TraceStep::ParserState {
            state: name(state).unwrap_or_default(),
            extracted,
            changes: others,
            next: next.ok().map(|next| name(next).unwrap_or_else(|| "accept".to_owned())),
            error: next.err().map(|error| errors.get(&error).map_or_else(|| format!("error {error}"), Clone::clone)),
        };
        self.note(packet, step);
    }

    /// After the checksums have been verified.
    #[cold]
    pub(crate) fn note_checksums(&mut self, packet: &Packet) {
        if self.program.checksums.iter().any(|checksum| checksum.verify) {
            self.note(packet, TraceStep::ChecksumsVerified { ok: !packet.checksum_error });
        }
    }

    /// After a condition of a pipeline.
    #[cold]
    pub(crate) fn note_condition(&mut self, steps: &[Label], at: u32, result: bool, packet: &Packet) {
        if !self.is_brief() {
            let source = steps.get(at as usize).and_then(|label| label.source.clone());
            self.note(packet, TraceStep::Condition { result, source });
        }
    }

    /// A direct call of an action; calls for tables that the compiler has made up are not shown.
    #[cold]
    pub(crate) fn note_call(&mut self, steps: &[Label], at: u32, action: u32, packet: &Packet) {
        let Some(label) = steps.get(at as usize).filter(|label| !label.name.starts_with("tbl_")) else { return };
        let (table, source) = (label.name.clone(), label.source.clone());
        let entry = ActionEntry { action, data: Limbs::from(Vec::new()), next: 0 };
        self.note_table(table, Vec::new(), None, None, Some(&entry), source, packet);
    }

    /// Before the action of a table is run.
    #[cold]
    pub(crate) fn note_apply(
        &mut self,
        index: u32,
        hit: Option<&Entry>,
        chosen: Option<&Chosen>,
        call: Option<&ActionEntry>,
        packet: &Packet,
    ) {
        let program = self.program;
        let (info, table): (_, &Table) = (&program.tables[index as usize], &program.table_code[index as usize]);
        if info.name.starts_with("tbl_") && info.keys.is_empty() {
            return;
        }
        let key = info.keys.iter().zip(&table.keys).map(|(info, field)| {
            let absent = field.valid.is_some_and(|slot| packet.phv.get(slot as usize) == Some(&0));
            let value = if absent {
                "0 (invalid header)".to_owned()
            } else {
                value_of(&packet.phv, &field.loc, field.valid.is_none())
            };
            NamedValue { name: info.name.clone(), value }
        });
        let via = chosen.and_then(|chosen| match chosen {
            Chosen::Call(_) => None,
            Chosen::Member(member) => Some(format!("member {member}")),
            Chosen::Group(group) => Some(format!("group {group}")),
            Chosen::OneShot(_) => Some("one-shot group".to_owned()),
        });
        let source = program.source.tables.get(index as usize).cloned().flatten();
        self.note_table(info.name.clone(), key.collect(), hit.map(|hit| (index, hit)), via, call, source, packet);
    }

    #[allow(clippy::too_many_arguments)]
    fn note_table(
        &mut self,
        table: String,
        key: Vec<NamedValue>,
        hit: Option<(u32, &Entry)>,
        via: Option<String>,
        call: Option<&ActionEntry>,
        source: Option<SourceLine>,
        packet: &Packet,
    ) {
        let program = self.program;
        let entry = hit.map(|(index, entry)| {
            let written = entry.written(program, index as usize);
            let keys = program.tables[index as usize].keys.iter().zip(&written.key);
            let named = |(info, key): (&KeyInfo, &KeyMatch)| NamedValue {
                name: info.name.clone(),
                value: shown_match(key, info.width),
            };
            keys.map(named).collect()
        });
        let priority = hit.filter(|(index, _)| program.tables[*index as usize].has_priority);
        let action = call.and_then(|call| program.actions.get(call.action as usize).map(|info| (call, info)));
        let data = action.iter().flat_map(|(call, info)| {
            let places = &program.action_code[call.action as usize].params;
            info.params.iter().zip(places).map(|(info, (limb, width))| {
                let start = *limb as usize;
                let limbs = call.data.get(start..start + limbs(*width)).unwrap_or(&[]);
                NamedValue { name: info.name.clone(), value: shown_limbs(limbs, *width) }
            })
        });
        let step = TraceStep::Table {
            table,
            key,
            hit: hit.is_some(),
            entry: entry.unwrap_or_default(),
            priority: priority.map(|(index, entry)| entry.written(program, index as usize).priority),
            via,
            action: action.map(|(_, info)| info.name.clone()),
            data: data.collect(),
            source,
        };
        self.note(packet, step);
    }

    /// [`action`](Self::action) with a note of every statement.
    #[cold]
    pub(crate) fn traced_action(&mut self, index: u32, data: &[u64], packet: &mut Packet) {
        let program = self.program;
        let action = &program.action_code[index as usize];
        let labels = program.source.actions.get(index as usize).map_or(&[][..], |labels| labels);
        let brief = self.is_brief();
        let mut position = 0;
        while let Some(op) = action.ops.get(position) {
            let label = labels.get(position);
            let source = label.and_then(|label| label.source.clone());
            position += 1;
            match op {
                Op::Jump(target) => {
                    if !self.jump(&mut position, *target, packet) {
                        return;
                    }
                    continue;
                }
                Op::JumpIfZero(condition, target) => {
                    let env = self.env(packet, data);
                    let result = condition.eval(&env);
                    if !brief && source.is_some() {
                        self.note(packet, TraceStep::Condition { result, source });
                    }
                    if !result && !self.jump(&mut position, *target, packet) {
                        return;
                    }
                    continue;
                }
                _ => {}
            }
            let effect = self.effect(op, data, packet);
            self.memory.keep_before(packet);
            self.ops(std::slice::from_ref(op), data, packet);
            if !brief || effect.is_some() {
                let step = TraceStep::Statement {
                    op: label.map(|label| label.name.clone()).unwrap_or_default(),
                    effect,
                    changes: changes(program, self.before(), &packet.phv),
                    source,
                };
                self.note(packet, step);
            }
            if packet.killed {
                return;
            }
        }
    }

    fn env<'b>(&'b self, packet: &'b Packet, data: &'b [u64]) -> Env<'b> {
        Env { phv: &packet.phv, data, layout: &self.program.layout, registers: &self.memory.registers }
    }

    /// The effect that an operation will have besides changed fields.
    fn effect(&self, op: &Op, data: &[u64], packet: &Packet) -> Option<String> {
        let program = self.program;
        let env = &self.env(packet, data);
        let cell = |array: u32, index: u64| {
            let info = &program.registers[array as usize];
            let value = self.memory.registers[array as usize].cell(index);
            (format!("register {}[{index}]", info.name), shown_limbs(value, info.width), value.is_empty(), info.width)
        };
        Some(match op {
            Op::RegisterRead { array, index, .. } => match cell(*array, index.eval(env)) {
                (name, _, true, _) => format!("{name} does not exist"),
                (name, value, ..) => format!("{name} is {value}"),
            },
            Op::RegisterWrite { array, index, value } => match cell(*array, index.eval(env)) {
                (name, _, true, _) => format!("{name} does not exist"),
                (name, old, _, width) => format!("{name}: {old} → {}", new_value(value, width, env)),
            },
            Op::Count { counter, index } => {
                format!("counter {}[{}] counts it", program.counters[*counter as usize].name, index.eval(env))
            }
            Op::Meter { meter, index, .. } => {
                format!("meter {}[{}] colours it", program.meters[*meter as usize].name, index.eval(env))
            }
            Op::MarkToDrop { .. } => "marked to be dropped".to_owned(),
            Op::Digest(_) => "a digest for the controller".to_owned(),
            Op::Clone { session, .. } => format!("a clone for session {}", session.eval(env) & 0x7fff),
            Op::Resubmit(_) => "to be resubmitted".to_owned(),
            Op::Recirculate(_) => "to be recirculated".to_owned(),
            Op::Truncate(length) => format!("cut to {} bytes", length.eval(env)),
            Op::Log(log) => {
                let mut text = String::new();
                for (index, piece) in log.pieces.iter().enumerate() {
                    text.push_str(piece);
                    if let Some(value) = log.values.get(index) {
                        text.push_str(&value.eval(env).to_string());
                    }
                }
                format!("log: {text}")
            }
            Op::Assert(assertion) if !assertion.condition.eval(env) => assertion.text.clone(),
            Op::Exit => "exit".to_owned(),
            _ => return None,
        })
    }

    /// After checksums have been updated and before the frame is written.
    #[cold]
    pub(crate) fn note_deparser(&mut self, packet: &Packet) {
        let program = self.program;
        let order = program.deparser.order.iter().filter(|header| program.layout.is_valid(&packet.phv, **header));
        let step = TraceStep::Deparsed {
            headers: order.map(|header| program.layout.headers[*header as usize].name.clone()).collect(),
            checksums: changes(program, self.before(), &packet.phv),
            payload_bytes: packet.payload().len(),
        };
        self.note(packet, step);
    }
}

fn new_value(value: &Value, width: u32, env: &Env) -> String {
    let number = match value {
        Value::Word(number) => u128::from(number.eval(env)),
        Value::Double(number) => number.eval(env),
        Value::Big(_) => return "…".to_owned(),
    };
    let number = if width < 128 { number & ((1 << width) - 1) } else { number };
    let bytes = number.to_be_bytes();
    shown_value(bytes.get(16 - width.div_ceil(8).min(16) as usize..).unwrap_or(&[]), width)
}
