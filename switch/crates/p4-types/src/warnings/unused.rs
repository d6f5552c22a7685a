//! Tables, actions, instances and value sets that nothing uses.

use super::annotations::{is_silenced, may_be_unused};
use super::report;
use crate::typed::{Annotation, InstanceId, InstanceOrigin, Local, Program, Span, TopLevel, Type};
use p4_syntax::{Diagnostics, Kind};

/// Warns about declarations that nothing names.
pub(super) fn check(program: &Program, diagnostics: &mut Diagnostics) {
    let mut check = Check { program, diagnostics };
    for control in program.controls.iter().filter(|control| !is_silenced(&control.annotations, Kind::Unused)) {
        check.locals(&control.locals);
    }
    for parser in program.parsers.iter().filter(|parser| !is_silenced(&parser.annotations, Kind::Unused)) {
        check.locals(&parser.locals);
    }
    check.top_level();
}

struct Check<'a> {
    program: &'a Program,
    diagnostics: &'a mut Diagnostics,
}

impl Check<'_> {
    fn locals(&mut self, locals: &[Local]) {
        for local in locals {
            self.local(local);
        }
    }

    fn local(&mut self, local: &Local) {
        let program = self.program;
        let mentions = &program.mentions;
        match local {
            Local::Variable(..) => {}
            Local::Instance(id) => self.instance(*id),
            Local::Action(id) if !mentions.actions.contains(id) => {
                let action = &program[*id];
                let message = format!("action '{}' is in no table and never called", action.name);
                self.unused(&action.annotations, action.span, message);
            }
            Local::Table(id) if !mentions.tables.contains(id) => {
                let table = &program[*id];
                self.unused(&table.annotations, table.span, format!("table '{}' is never applied", table.name));
            }
            Local::ValueSet(id) if !mentions.value_sets.contains(id) => {
                let set = &program[*id];
                self.unused(&set.annotations, set.span, format!("'{}' is never used", set.name));
            }
            Local::Action(_) | Local::Table(_) | Local::ValueSet(_) => {}
        }
    }

    fn instance(&mut self, id: InstanceId) {
        let instance = &self.program[id];
        // An object with methods of the program's own is called from outside.
        let may_act = !instance.methods.is_empty() || matches!(instance.ty, Type::Package(..));
        if instance.origin == InstanceOrigin::Declared && !may_act && !self.program.mentions.instances.contains(&id) {
            self.unused(&instance.annotations, instance.span, format!("'{}' is never used", instance.name));
        }
        self.locals(&instance.locals);
    }

    /// Actions and instances of the top level. Those of other files than that of `main` may be there for other
    /// programs.
    fn top_level(&mut self) {
        let Some(main) = self.program.main else { return };
        let file = self.program[main].span.file;
        for declaration in &self.program.top_level {
            match declaration {
                TopLevel::Action(id) if self.program[*id].span.file == file => self.local(&Local::Action(*id)),
                TopLevel::Instance(id) if self.program[*id].span.file == file => self.instance(*id),
                _ => {}
            }
        }
    }

    fn unused(&mut self, annotations: &[Annotation], span: Span, message: String) {
        if !may_be_unused(annotations) {
            report(self.diagnostics, Kind::Unused, span, message);
        }
    }
}
