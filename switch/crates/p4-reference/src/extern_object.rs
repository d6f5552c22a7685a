//! Extern objects: registers and counters.

use std::collections::BTreeMap;

use crate::{Machine, Result, Stop, Value, unsupported};
use p4_types::typed::{Argument, Call, InstanceId, InstanceOf, Type};

/// What registers hold, from packet to packet. A control that is applied as two instances has its registers twice, so the
/// instances around one belong to its name.
#[derive(Clone, Debug, Default)]
pub struct Registers(BTreeMap<Vec<usize>, Vec<Value>>);

impl Registers {
    /// Has any been used?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Machine<'_> {
    /// A call of a method of a declared object.
    pub(crate) fn extern_method(&mut self, id: InstanceId, method: usize, call: &Call) -> Result<Option<Value>> {
        let program = self.program;
        let InstanceOf::Extern { id: kind, type_args, .. } = &program[id].of else {
            return unsupported("a method of something else than an extern");
        };
        let method = &*program[*kind].methods[method].name;
        match (&*program[*kind].name, method, call.args.as_slice()) {
            ("register", "read", [Argument { value: Some(target), .. }, Argument { value: Some(index), .. }]) => {
                let target = self.place(target)?;
                let index = self.index(index)?;
                let value = self.register(id, type_args)?.get(index).cloned();
                self.store(&target, value.ok_or(Stop::Undefined("a register that is not there"))?)?;
            }
            ("register", "write", [Argument { value: Some(index), .. }, Argument { value: Some(value), .. }]) => {
                let index = self.index(index)?;
                let value = self.evaluate(value)?;
                match self.register(id, type_args)?.get_mut(index) {
                    Some(element) => *element = value,
                    None => return Err(Stop::Undefined("a register that is not there").into()),
                }
            }
            // Nothing in a program reads them.
            ("counter", "count", [Argument { value: Some(index), .. }]) => drop(self.index(index)?),
            (object, method, _) => return unsupported(&format!("{object}.{method}")),
        }
        Ok(None)
    }

    /// The elements of a register in the instance that runs, at first zero.
    fn register(&mut self, id: InstanceId, type_args: &[Type]) -> Result<&mut Vec<Value>> {
        let [Argument { value: Some(size), .. }, ..] = self.program[id].args.as_slice() else {
            return unsupported("a register without a size");
        };
        let size = self.index(size)?;
        let zero = match type_args {
            [ty, ..] => Value::zero(self.program, ty),
            [] => return unsupported("a register of no type"),
        };
        let name = self.path.iter().chain([&id]).map(|id| id.index()).collect();
        Ok(self.registers.0.entry(name).or_insert_with(|| vec![zero; size]))
    }
}
