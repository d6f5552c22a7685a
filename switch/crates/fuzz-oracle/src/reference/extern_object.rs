//! Extern objects: registers, counters and meters.

use crate::reference::control_plane::Path;
use crate::reference::{Machine, Result, Stop, Value, unsupported};
use p4_types::typed::{Argument, Call, InstanceId, InstanceOf, Type};

impl Machine<'_> {
    /// A call of a method of a declared object.
    pub(super) fn extern_method(&mut self, id: InstanceId, method: usize, call: &Call) -> Result<Option<Value>> {
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
            ("counter", "count", [Argument { value: Some(index), .. }]) => {
                let index = self.index(index)?;
                let (name, length) = (self.name_of(id.index()), self.passage.length);
                self.memory.counters.entry(name).or_default().entry(index).or_default().add(length);
            }
            ("direct_counter", "count", []) => {
                let length = self.passage.length;
                // BMv2 counts nothing for default actions.
                if let Some((table, entry)) = self.passage.entry.clone() {
                    self.memory.direct_counters.entry(table).or_default().entry(entry).or_default().add(length);
                }
            }
            // Without rates everything is green.
            ("meter", "execute_meter", [Argument { value: Some(index), .. }, Argument { value: Some(target), .. }]) => {
                self.index(index)?;
                let target = self.place(target)?;
                self.store(&target, Value::Bits(0))?;
            }
            ("direct_meter", "read", [Argument { value: Some(target), .. }]) => {
                let target = self.place(target)?;
                self.store(&target, Value::Bits(0))?;
            }
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
        let name = self.name_of(id.index());
        Ok(self.memory.registers.entry(name).or_insert_with(|| vec![zero; size]))
    }

    /// The number of an object behind those of the instances around it.
    pub(super) fn name_of(&self, object: usize) -> Path {
        self.path.iter().map(|id| id.index()).chain([object]).collect()
    }
}
