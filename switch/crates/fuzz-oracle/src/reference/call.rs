//! Calls: copy in, run, copy out (P4_16 specification, "Calling convention: call by copy in/copy out").

use crate::reference::place::Place;
use crate::reference::statement::Flow;
use crate::reference::{Interrupt, Machine, Result, Value, unsupported};
use p4_types::typed::{Argument, Block, Call, Callee, Direction, Local, Object, Parameter, Type};

/// An argument as it was when it was its turn.
pub(super) enum Passed {
    /// Its value.
    In(Value),
    /// Where the result goes, and the value to begin with.
    Out(Option<Place>, Value),
}

impl Machine<'_> {
    /// Runs a call; the result if there is one.
    pub(super) fn call(&mut self, call: &Call) -> Result<Option<Value>> {
        let program = self.program;
        match &call.callee {
            Callee::Function(id) => self.invoke(&program[*id].params, &call.args, &program[*id].body),
            Callee::Action(id) => self.invoke(&program[*id].params, &call.args, &program[*id].body),
            Callee::Table(id) => {
                self.apply_table(*id)?;
                Ok(None)
            }
            Callee::IsValid(header) => Ok(Some(Value::Bool(self.evaluate(header)?.is_valid()?))),
            Callee::SetValid(header) => self.set_validity(header, true).map(|()| None),
            Callee::SetInvalid(header) => self.set_validity(header, false).map(|()| None),
            Callee::Apply(Object::Instance(id)) => self.apply_instance(*id, &call.args).map(|()| None),
            Callee::ExternFunction(id) => self.extern_function(&program[*id].name, &call.args),
            Callee::Method { object: Object::Parameter(object), method } => match &program[*object].ty {
                Type::Extern(id, _) => self.packet_method(&program[*id].methods[*method].name, call),
                _ => unsupported("this method"),
            },
            Callee::PushFront(stack, count) => self.move_stack(stack, *count as usize, true).map(|()| None),
            Callee::PopFront(stack, count) => self.move_stack(stack, *count as usize, false).map(|()| None),
            Callee::Method { object: Object::Instance(id), method } => self.extern_method(*id, *method, call),
            Callee::Apply(_) => unsupported("this call"),
        }
    }

    fn invoke(&mut self, params: &[Parameter], args: &[Argument], body: &Block) -> Result<Option<Value>> {
        let passed = self.pass(params, args)?;
        self.run(params, passed, &[], body)
    }

    /// Evaluates arguments from left to right: values are saved, l-values too, so that later arguments do not change them.
    pub(super) fn pass(&mut self, params: &[Parameter], args: &[Argument]) -> Result<Vec<Passed>> {
        let mut passed = vec![];
        for (param, arg) in params.iter().zip(args) {
            let nothing = Value::uninitialized(self.program, &param.ty);
            passed.push(match (arg.direction, &arg.value) {
                (Direction::Out, None) => Passed::Out(None, nothing),
                (Direction::Out, Some(value)) => Passed::Out(Some(self.place(value)?), nothing),
                (Direction::InOut, Some(value)) => {
                    let place = self.place(value)?;
                    let value = self.load(&place)?;
                    Passed::Out(Some(place), value)
                }
                // Packets are not values.
                _ if matches!(param.ty, Type::Extern(..)) => Passed::In(Value::Undefined),
                (_, Some(value)) => Passed::In(self.evaluate(value)?),
                (_, None) => return unsupported("an omitted argument"),
            });
        }
        Ok(passed)
    }

    /// Gives the parameters their values, runs the body and copies out from left to right, also after `return` and `exit`.
    pub(super) fn run(
        &mut self,
        params: &[Parameter],
        passed: Vec<Passed>,
        locals: &[Local],
        body: &Block,
    ) -> Result<Option<Value>> {
        self.run_between(params, passed, |machine| {
            machine.locals(locals)?;
            machine.block(body)
        })
    }

    /// As [`Self::run`], for any body. The specification does not say which values a parser that ends in `reject`
    /// leaves in its arguments, because the call never ends. Here they become undefined.
    pub(super) fn run_between(
        &mut self,
        params: &[Parameter],
        passed: Vec<Passed>,
        body: impl FnOnce(&mut Self) -> Result<Flow>,
    ) -> Result<Option<Value>> {
        let mut places = vec![];
        for (param, passed) in params.iter().zip(passed) {
            match passed {
                Passed::In(value) => self.set(param.var, value),
                Passed::Out(place, value) => {
                    self.set(param.var, value);
                    places.push((param.var, place));
                }
            }
        }
        let result = body(self);
        for (variable, place) in places {
            let value = match result {
                Ok(_) | Err(Interrupt::Exit) => self.get(variable).clone(),
                Err(Interrupt::Reject(_)) => Value::Undefined,
                Err(Interrupt::Stop(_)) => break,
            };
            if let Some(place) = place {
                self.store(&place, value)?;
            }
        }
        Ok(match result? {
            Flow::Return(value) => value,
            _ => None,
        })
    }

    /// The local declarations of a parser or control.
    pub(super) fn locals(&mut self, locals: &[Local]) -> Result<()> {
        for local in locals {
            if let Local::Variable(variable, value) = local {
                self.declare(*variable, value.as_ref())?;
            }
        }
        Ok(())
    }

    fn extern_function(&mut self, name: &str, args: &[Argument]) -> Result<Option<Value>> {
        match (name, args) {
            ("mark_to_drop", [Argument { value: Some(metadata), .. }]) => {
                let place = self.place(metadata)?;
                self.mark_to_drop(&place).map(|()| None)
            }
            ("verify", [Argument { value: Some(check), .. }, Argument { value: Some(error), .. }]) => {
                let (check, error) = (self.evaluate(check)?.truth()?, self.evaluate(error)?);
                match error {
                    _ if check => Ok(None),
                    Value::Symbol(error) => Err(Interrupt::Reject(error)),
                    _ => unsupported("this error"),
                }
            }
            ("digest", [_, Argument { value: Some(data), .. }]) => {
                let value = self.evaluate(data)?;
                self.passage.digest = Some(numbers(&value)?);
                Ok(None)
            }
            ("clone" | "clone_preserving_field_list", _) => self.ask_for_clone(args).map(|()| None),
            ("resubmit_preserving_field_list" | "recirculate_preserving_field_list", _) => {
                self.ask_for_recirculation(args).map(|()| None)
            }
            ("hash", _) => self.hash(args).map(|()| None),
            ("verify_checksum" | "update_checksum", _) => self.checksum(name, args).map(|()| None),
            _ => unsupported(name),
        }
    }
}

/// The numbers within a value, in order.
fn numbers(value: &Value) -> Result<Vec<u128>> {
    match value {
        Value::Struct(parts) | Value::Header { valid: true, fields: parts } => {
            Ok(parts.iter().map(numbers).collect::<Result<Vec<_>>>()?.concat())
        }
        Value::Bool(truth) => Ok(vec![u128::from(*truth)]),
        other => Ok(vec![other.bits()?]),
    }
}
