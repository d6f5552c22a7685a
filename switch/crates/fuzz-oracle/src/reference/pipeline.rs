//! The v1model architecture: parser, checks, ingress, egress, checksums, deparser, and the ways between them.

use std::collections::VecDeque;

use crate::reference::call::Passed;
use crate::reference::control_plane::Replica;
use crate::reference::memory::{Memory, Passage};
use crate::reference::packet::{Reader, Writer};
use crate::reference::place::Place;
use crate::reference::{Interrupt, Machine, Result, Stop, Value, unsupported};
use p4_types::typed::{
    Control, ExprKind, InstanceId, InstanceOf, Object, Parameter, Parser, Program, StructType, Type,
};

/// The port that means "drop".
const DROP_PORT: u128 = 511;

/// Values of `standard_metadata.instance_type` (BMv2's `simple_switch.md`).
mod instance_type {
    pub const NORMAL: u128 = 0;
    pub const INGRESS_CLONE: u128 = 1;
    pub const EGRESS_CLONE: u128 = 2;
    pub const RECIRCULATED: u128 = 4;
    pub const REPLICATED: u128 = 5;
    pub const RESUBMITTED: u128 = 6;
}

/// A packet that leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// By this port.
    pub port: u16,
    /// With these bytes.
    pub data: Vec<u8>,
}

/// Runs a packet through a program, and gives the packets that leave, in order.
///
/// # Errors
/// Where there is no result, and why.
pub fn run(program: &Program, port: u16, frame: &[u8]) -> std::result::Result<Vec<Sent>, Stop> {
    run_with(program, &mut Memory::default(), port, frame)
}

/// The same, with the state that a control plane has set up and other packets have left behind.
///
/// # Errors
/// Where there is no result, and why; the memory is then as it was before.
pub fn run_with(
    program: &Program,
    memory: &mut Memory,
    port: u16,
    frame: &[u8],
) -> std::result::Result<Vec<Sent>, Stop> {
    let mut machine = Machine::new(program, memory.clone());
    match machine.packet(port, frame) {
        Ok(()) => {
            *memory = machine.memory;
            Ok(machine.passage.sent)
        }
        Err(Interrupt::Stop(stop)) => Err(stop),
        Err(Interrupt::Exit | Interrupt::Reject(_)) => Err(Stop::Unsupported("exit or reject out of place".to_owned())),
    }
}

/// A packet as it comes to ingress.
struct Arriving {
    frame: Vec<u8>,
    user: Value,
    port: u128,
    instance_type: u128,
}

/// A packet on its way to egress.
#[derive(Clone)]
struct Waiting {
    /// Headers, the user's metadata, the standard metadata.
    state: [Value; 3],
    payload: Vec<u8>,
    port: u16,
    /// Bytes that it had when it came to ingress.
    length: usize,
}

impl Machine<'_> {
    /// Runs a packet from a port, and all copies that come of it, in the order in which they are enqueued.
    fn packet(&mut self, port: u16, frame: &[u8]) -> Result<()> {
        let stages = self.stages()?;
        let user = Value::zero(self.program, &stages.metadata().ty);
        let port = u128::from(port);
        let first = Arriving { frame: frame.to_vec(), user, port, instance_type: instance_type::NORMAL };
        let mut queue = VecDeque::new();
        self.ingress(&stages, first, &mut queue)?;
        while let Some(waiting) = queue.pop_front() {
            if let Some(again) = self.egress(&stages, waiting, &mut queue)? {
                self.ingress(&stages, again, &mut queue)?;
            }
        }
        Ok(())
    }

    /// Runs the parser. Gives the headers and metadata that it leaves, and the bytes that it has not read.
    fn parsed(&mut self, stages: &Stages<'_>, packet: &Arriving) -> Result<([Value; 3], Vec<u8>)> {
        let [headers, metadata, standard] = [stages.headers(), stages.metadata(), stages.standard()];
        self.set(headers.var, Value::uninitialized(self.program, &headers.ty));
        self.set(metadata.var, packet.user.clone());
        self.set(standard.var, Value::zero(self.program, &standard.ty));
        self.set_standard(standard, "ingress_port", Value::Bits(packet.port))?;
        self.set_standard(standard, "instance_type", Value::Bits(packet.instance_type))?;
        self.set_standard(standard, "packet_length", Value::Bits(packet.frame.len() as u128))?;
        self.reader = Reader::new(packet.frame.clone());
        let error = self.parse(stages.parser)?;
        let none = self.error("NoError")?;
        self.set_standard(standard, "parser_error", Value::Symbol(error.unwrap_or(none)))?;
        let state = [headers, metadata, standard].map(|param| self.get(param.var).clone());
        match self.reader.rest() {
            Some(payload) => Ok((state, payload)),
            None => unsupported("a payload that is no whole bytes"),
        }
    }

    /// Parser, checksums and ingress, again for a packet that is resubmitted; then where it goes.
    fn ingress(&mut self, stages: &Stages<'_>, mut packet: Arriving, queue: &mut VecDeque<Waiting>) -> Result<()> {
        let [verify, ingress, ..] = stages.controls;
        let [metadata, standard] = [stages.metadata(), stages.standard()];
        loop {
            self.step()?;
            let length = packet.frame.len();
            self.passage = Passage { length, sent: std::mem::take(&mut self.passage.sent), ..Passage::default() };
            let (mut state, payload) = self.parsed(stages, &packet)?;
            self.control(verify, &mut state)?;
            let error = Value::Bits(u128::from(self.passage.checksum_error));
            self.change(standard, &mut state[2], "checksum_error", error)?;
            self.control(ingress, &mut state)?;
            let (recirculation, digest) = (self.passage.recirculation.take(), self.passage.digest.take());
            if let Some((session, list)) = self.passage.clone.take() {
                // As it came in: it is parsed once more.
                let (user, zero) = (Value::zero(self.program, &metadata.ty), Value::zero(self.program, &standard.ty));
                let original = Arriving { frame: packet.frame.clone(), user, instance_type: 0, port: packet.port };
                let ([headers, ..], payload) = self.parsed(stages, &original)?;
                let user = self.preserved(list, &state[1], &metadata.ty);
                let clone = Waiting { state: [headers, user, zero], payload, port: 0, length };
                self.cloned(standard, &clone, session, instance_type::INGRESS_CLONE, queue)?;
            }
            self.memory.digests.extend(digest);
            if let Some(list) = recirculation {
                let user = self.preserved(Some(list), &state[1], &metadata.ty);
                // BMv2 clears where it came in.
                packet = Arriving { user, instance_type: instance_type::RESUBMITTED, port: 0, ..packet };
                continue;
            }
            let group = self.standard(&state[2], standard, "mcast_grp")?.bits()?;
            let spec = self.standard(&state[2], standard, "egress_spec")?.bits()?;
            let mut waiting = Waiting { state, payload, port: 0, length };
            if group != 0 {
                let group = u16::try_from(group).ok().and_then(|group| self.memory.control_plane.groups.get(&group));
                let replicas = group.cloned().unwrap_or_default();
                return self.replicated(standard, &waiting, &replicas, instance_type::REPLICATED, queue);
            }
            if spec != DROP_PORT {
                waiting.port = u16::try_from(spec).or_else(|_| unsupported("this port"))?;
                let normal = Value::Bits(instance_type::NORMAL);
                self.change(standard, &mut waiting.state[2], "instance_type", normal)?;
                queue.push_back(waiting);
            }
            return Ok(());
        }
    }

    /// A packet for each replica of a clone session, if there is one.
    fn cloned(
        &mut self,
        standard: &Parameter,
        clone: &Waiting,
        session: u32,
        instance_type: u128,
        queue: &mut VecDeque<Waiting>,
    ) -> Result<()> {
        let replicas = self.memory.control_plane.sessions.get(&session).cloned().unwrap_or_default();
        self.replicated(standard, clone, &replicas, instance_type, queue)
    }

    fn replicated(
        &mut self,
        standard: &Parameter,
        packet: &Waiting,
        replicas: &[Replica],
        instance_type: u128,
        queue: &mut VecDeque<Waiting>,
    ) -> Result<()> {
        for replica in replicas {
            let mut copy = packet.clone();
            copy.port = replica.port;
            self.change(standard, &mut copy.state[2], "instance_type", Value::Bits(instance_type))?;
            self.change(standard, &mut copy.state[2], "egress_rid", Value::Bits(u128::from(replica.rid)))?;
            queue.push_back(copy);
        }
        Ok(())
    }

    /// Egress, checksums and deparser; the packet that is recirculated, if it is.
    fn egress(
        &mut self,
        stages: &Stages<'_>,
        packet: Waiting,
        queue: &mut VecDeque<Waiting>,
    ) -> Result<Option<Arriving>> {
        self.step()?;
        let [_, _, egress, update, deparser] = stages.controls;
        let [metadata, standard] = [stages.metadata(), stages.standard()];
        let Waiting { mut state, payload, port, length } = packet;
        self.passage = Passage { length, sent: std::mem::take(&mut self.passage.sent), ..Passage::default() };
        self.change(standard, &mut state[2], "egress_port", Value::Bits(u128::from(port)))?;
        // It has done what it was for; egress writes it only to drop.
        self.change(standard, &mut state[2], "egress_spec", Value::Undefined)?;
        self.control(egress, &mut state)?;
        if let Some((session, list)) = self.passage.clone.take() {
            let user = self.preserved(list, &state[1], &metadata.ty);
            let state = [state[0].clone(), user, Value::zero(self.program, &standard.ty)];
            let clone = Waiting { state, payload: payload.clone(), port: 0, length };
            self.cloned(standard, &clone, session, instance_type::EGRESS_CLONE, queue)?;
        }
        if self.standard(&state[2], standard, "egress_spec")? == Value::Bits(DROP_PORT) {
            return Ok(None);
        }
        let recirculation = self.passage.recirculation.take();
        self.control(update, &mut state)?;
        self.writer = Writer::default();
        self.control(deparser, &mut [Value::Undefined, state[0].clone()])?;
        let Some(mut data) = self.writer.bytes() else { return unsupported("headers that are no whole bytes") };
        data.extend_from_slice(&payload);
        let Some(list) = recirculation else {
            self.passage.sent.push(Sent { port, data });
            return Ok(None);
        };
        let user = self.preserved(Some(list), &state[1], &metadata.ty);
        Ok(Some(Arriving { frame: data, user, port: 0, instance_type: instance_type::RECIRCULATED }))
    }

    /// Sets a field of a value of standard metadata.
    fn change(&self, standard: &Parameter, value: &mut Value, name: &str, to: Value) -> Result<()> {
        let index = self.standard_field(standard, name)?;
        if let Value::Struct(parts) = value {
            parts[index] = to;
        }
        Ok(())
    }

    /// Runs a control of the architecture: `state` goes to its parameters, and back from those it may write.
    fn control(&mut self, control: &Control, state: &mut [Value]) -> Result<()> {
        let passed = state.iter().map(|value| Passed::In(value.clone())).collect();
        match self.run(&control.params, passed, &control.locals, &control.body) {
            Ok(_) | Err(Interrupt::Exit) => {}
            Err(other) => return Err(other),
        }
        for (value, param) in state.iter_mut().zip(&control.params) {
            *value = self.get(param.var).clone();
        }
        Ok(())
    }

    /// `mark_to_drop(standard_metadata)`
    pub(super) fn mark_to_drop(&mut self, metadata: &Place) -> Result<()> {
        let Some(Type::Struct(id)) = self.program.structs.iter().position(is_standard).map(struct_type) else {
            return unsupported("a program without v1model.p4");
        };
        for (name, value) in [("egress_spec", DROP_PORT), ("mcast_grp", 0)] {
            let index = self.program[id].field_index(name);
            if let (Some(index), Some(Value::Struct(parts))) = (index, self.target(metadata)?) {
                parts[index] = Value::Bits(value);
            }
        }
        Ok(())
    }

    fn standard_field(&self, param: &Parameter, name: &str) -> Result<usize> {
        let index = match &param.ty {
            Type::Struct(id) => self.program[*id].field_index(name),
            _ => None,
        };
        index.map_or_else(|| unsupported("standard metadata without this field"), Ok)
    }

    fn standard(&self, value: &Value, param: &Parameter, name: &str) -> Result<Value> {
        Ok(value.part(self.standard_field(param, name)?)?.clone())
    }

    fn set_standard(&mut self, param: &Parameter, name: &str, value: Value) -> Result<()> {
        let mut all = self.get(param.var).clone();
        self.change(param, &mut all, name, value)?;
        self.set(param.var, all);
        Ok(())
    }
}

fn is_standard(ty: &StructType) -> bool {
    &*ty.name == "standard_metadata_t"
}

fn struct_type(index: usize) -> Type {
    Type::Struct(p4_types::typed::StructId::from_index(index))
}

/// The parser and the controls of `main`.
struct Stages<'a> {
    parser: &'a Parser,
    controls: [&'a Control; 5],
}

impl<'a> Stages<'a> {
    fn headers(&self) -> &'a Parameter {
        &self.parser.params[1]
    }

    fn metadata(&self) -> &'a Parameter {
        &self.parser.params[2]
    }

    fn standard(&self) -> &'a Parameter {
        &self.parser.params[3]
    }
}

impl<'a> Machine<'a> {
    fn stages(&self) -> Result<Stages<'a>> {
        let program = self.program;
        let Some(main) = program.main else { return unsupported("a program without main") };
        let objects: Vec<InstanceId> = program[main]
            .args
            .iter()
            .filter_map(|arg| match arg.value.as_ref().map(|value| &value.kind) {
                Some(ExprKind::Object(Object::Instance(id))) => Some(*id),
                _ => None,
            })
            .collect();
        let [parser, controls @ ..] = objects.as_slice() else { return unsupported("this main") };
        let InstanceOf::Parser(parser) = program[*parser].of else { return unsupported("this main") };
        let control = |id: &InstanceId| match program[*id].of {
            InstanceOf::Control(control) => Some(&program[control]),
            _ => None,
        };
        let controls: Option<Vec<&Control>> = controls.iter().map(control).collect();
        match controls.and_then(|controls| controls.try_into().ok()) {
            Some(controls) => Ok(Stages { parser: &program[parser], controls }),
            None => unsupported("this main"),
        }
    }
}
