//! The v1model architecture: parser, checks, ingress, egress, checksums, deparser.

use crate::call::Passed;
use crate::place::Place;
use crate::{Interrupt, Machine, Registers, Result, Stop, Value, unsupported};
use p4_types::typed::{
    Control, ExprKind, InstanceId, InstanceOf, Object, Parameter, Parser, Program, StructType, Type,
};

/// The port that means "drop".
const DROP_PORT: u128 = 511;

/// What becomes of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It leaves.
    Sent {
        /// By this port.
        port: u16,
        /// With these bytes.
        data: Vec<u8>,
    },
    /// It does not.
    Dropped,
}

/// Runs a packet through a program.
///
/// # Errors
/// Where there is no result, and why.
pub fn run(program: &Program, port: u16, frame: &[u8]) -> std::result::Result<Outcome, Stop> {
    run_with(program, &mut Registers::default(), port, frame)
}

/// The same after other packets, of which the registers hold something.
///
/// # Errors
/// Where there is no result, and why; the registers may hold anything then.
pub fn run_with(
    program: &Program,
    registers: &mut Registers,
    port: u16,
    frame: &[u8],
) -> std::result::Result<Outcome, Stop> {
    let mut machine = Machine::new(program, frame);
    machine.registers = std::mem::take(registers);
    let result = machine.pipeline(port, frame);
    *registers = machine.registers;
    result.map_err(|interrupt| match interrupt {
        Interrupt::Stop(stop) => stop,
        Interrupt::Exit | Interrupt::Reject(_) => Stop::Unsupported("exit or reject out of place".to_owned()),
    })
}

impl Machine<'_> {
    fn pipeline(&mut self, port: u16, frame: &[u8]) -> Result<Outcome> {
        let stages = self.stages()?;
        let [headers, metadata, standard] = [1, 2, 3].map(|index: usize| &stages.parser.params[index]);
        self.set(headers.var, Value::uninitialized(self.program, &headers.ty));
        self.set(metadata.var, Value::zero(self.program, &metadata.ty));
        self.set(standard.var, Value::zero(self.program, &standard.ty));
        self.set_standard(standard, "ingress_port", Value::Bits(u128::from(port)))?;
        self.set_standard(standard, "packet_length", Value::Bits(frame.len() as u128))?;
        let error = self.parse(stages.parser)?;
        let none = self.error("NoError")?;
        self.set_standard(standard, "parser_error", Value::Symbol(error.unwrap_or(none)))?;
        let mut state = [headers, metadata, standard].map(|param| self.get(param.var).clone());
        let [verify, ingress, egress, update, deparser] = stages.controls;
        let Some(payload) = self.reader.rest() else { return unsupported("a payload that is no whole bytes") };

        self.control(verify, &mut state)?;
        self.set(standard.var, state[2].clone());
        self.set_standard(standard, "checksum_error", Value::Bits(u128::from(self.checksum_error)))?;
        state[2] = self.get(standard.var).clone();
        self.control(ingress, &mut state)?;
        let spec = self.standard(&state[2], standard, "egress_spec")?.bits()?;
        if self.standard(&state[2], standard, "mcast_grp")?.bits()? != 0 {
            return unsupported("multicast");
        }
        if spec == DROP_PORT {
            return Ok(Outcome::Dropped);
        }
        self.set(standard.var, state[2].clone());
        self.set_standard(standard, "egress_port", Value::Bits(spec))?;
        // It has done what it was for; egress writes it only to drop.
        self.set_standard(standard, "egress_spec", Value::Undefined)?;
        state[2] = self.get(standard.var).clone();
        self.control(egress, &mut state)?;
        if self.standard(&state[2], standard, "egress_spec")? == Value::Bits(DROP_PORT) {
            return Ok(Outcome::Dropped);
        }
        self.control(update, &mut state)?;
        self.control(deparser, &mut [Value::Undefined, state[0].clone()])?;
        let Some(mut data) = self.writer.bytes() else { return unsupported("headers that are no whole bytes") };
        data.extend_from_slice(payload);
        let port = u16::try_from(spec).or_else(|_| unsupported("this port"))?;
        Ok(Outcome::Sent { port, data })
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
    pub(crate) fn mark_to_drop(&mut self, metadata: &Place) -> Result<()> {
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
        let index = self.standard_field(param, name)?;
        if let Value::Struct(parts) = &mut self.variables[param.var.index()] {
            parts[index] = value;
        }
        Ok(())
    }
}

fn is_standard(ty: &StructType) -> bool {
    &*ty.name == "standard_metadata_t"
}

fn struct_type(index: usize) -> Type {
    Type::Struct(p4_types::typed::StructId::from_index(index))
}

/// What `main` is made of.
struct Stages<'a> {
    parser: &'a Parser,
    controls: [&'a Control; 5],
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
