//! The objects of a program's controls, as the control plane names them and as the reference does.

use fuzz_oracle::reference::Path;
use p4_types::typed::{ControlId, ExprKind, InstanceId, InstanceOf, Local, Object, Program, TableId};

/// An object.
pub(super) struct Named<Id> {
    /// For the control plane.
    pub name: String,
    /// The control's name, or the instance's, that it is in.
    pub within: String,
    /// For the reference.
    pub path: Path,
    pub id: Id,
}

/// The objects of the controls of `main`, and of the controls that these instantiate.
#[derive(Default)]
pub(super) struct Objects {
    pub tables: Vec<Named<TableId>>,
    /// Extern objects, with the names of their types.
    pub externs: Vec<(Named<InstanceId>, String)>,
}

impl Objects {
    pub fn of(program: &Program) -> Self {
        let mut objects = Self::default();
        let arguments = program.main.map_or(&[][..], |main| &program[main].args);
        for argument in arguments {
            if let Some(ExprKind::Object(Object::Instance(id))) = argument.value.as_ref().map(|value| &value.kind)
                && let InstanceOf::Control(control) = program[*id].of
            {
                objects.add(program, control, &program[control].name, &[]);
            }
        }
        objects
    }

    fn add(&mut self, program: &Program, control: ControlId, within: &str, around: &[usize]) {
        let path = |object: usize| around.iter().copied().chain([object]).collect::<Path>();
        for local in &program[control].locals {
            match local {
                Local::Table(id) => {
                    let name = format!("{within}.{}", program[*id].name);
                    self.tables.push(Named { name, within: within.to_owned(), path: path(id.index()), id: *id });
                }
                Local::Instance(id) => {
                    let name = format!("{within}.{}", program[*id].name);
                    match &program[*id].of {
                        InstanceOf::Control(control) => self.add(program, *control, &name, &path(id.index())),
                        InstanceOf::Extern { id: kind, .. } => {
                            let kind = program[*kind].name.to_string();
                            let named = Named { name, within: within.to_owned(), path: path(id.index()), id: *id };
                            self.externs.push((named, kind));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}
