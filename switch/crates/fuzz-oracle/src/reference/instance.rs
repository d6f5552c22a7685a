//! Application of parsers and controls within others.

use crate::reference::statement::Flow;
use crate::reference::{Machine, Result, Value, unsupported};
use p4_types::typed::{Argument, InstanceId, InstanceOf, Parameter};

impl Machine<'_> {
    /// Applies an instance: its constructor parameters have their values for as long as it runs.
    pub(super) fn apply_instance(&mut self, id: InstanceId, args: &[Argument]) -> Result<()> {
        self.path.push(id);
        let result = self.apply(id, args);
        self.path.pop();
        result
    }

    fn apply(&mut self, id: InstanceId, args: &[Argument]) -> Result<()> {
        let program = self.program;
        let instance = &program[id];
        match instance.of {
            InstanceOf::Control(control) => {
                let control = &program[control];
                let passed = self.pass(&control.params, args)?;
                self.construct(&control.constructor_params, &instance.args)?;
                self.run(&control.params, passed, &control.locals, &control.body).map(drop)
            }
            InstanceOf::Parser(parser) => {
                let parser = &program[parser];
                let passed = self.pass(&parser.params, args)?;
                self.construct(&parser.constructor_params, &instance.args)?;
                let body = |machine: &mut Self| {
                    machine.locals(&parser.locals)?;
                    machine.states(parser)?;
                    Ok(Flow::Next)
                };
                self.run_between(&parser.params, passed, body).map(drop)
            }
            _ => unsupported("the application of something else than a parser or control"),
        }
    }

    /// Sets constructor parameters. Their values are known, but for constructor parameters around them, which are set.
    fn construct(&mut self, params: &[Parameter], args: &[Argument]) -> Result<()> {
        let mut values: Vec<Value> = vec![];
        for arg in args {
            match &arg.value {
                Some(value) => values.push(self.evaluate(value)?),
                None => return unsupported("an omitted argument of a constructor"),
            }
        }
        for (param, value) in params.iter().zip(values) {
            self.set(param.var, value);
        }
        Ok(())
    }
}
