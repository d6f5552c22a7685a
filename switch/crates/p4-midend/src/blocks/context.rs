//! Instances of parsers and controls.

use crate::storage::place::{ObjectRef, Value};
use p4_types::typed::{ActionId, ControlId, InstanceId, Object, ParserId, TableId, VarId};
use std::collections::HashMap;

/// The declaration of which a context is an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// The program itself.
    Program,
    /// A control.
    Control(ControlId),
    /// A parser.
    Parser(ParserId),
}

/// Something declared in a context that the control plane may see, in source order.
#[derive(Clone, Copy, Debug)]
pub enum Declared {
    /// A table.
    Table(TableId),
    /// An action.
    Action(ActionId),
    /// A parser or control within.
    Context(usize),
}

/// An instance of a parser or control.
#[derive(Clone, Debug)]
pub struct Context {
    /// The declaration of which it is an instance.
    pub kind: ContextKind,
    /// The beginning of all names in it (`MyIngress.sub.`).
    pub prefix: String,
    /// Its constructor parameters.
    pub values: Vec<(VarId, Value)>,
    /// Its constructor parameters of object types.
    pub objects: Vec<(VarId, ObjectRef)>,
    /// The instances within.
    pub instances: HashMap<InstanceId, ObjectRef>,
    /// The declarations that the control plane may see.
    pub declared: Vec<Declared>,
    /// How often objects are applied in its body.
    pub applications: HashMap<Object, u32>,
}

impl Context {
    /// The context of the whole program.
    pub fn program() -> Self {
        Self {
            kind: ContextKind::Program,
            prefix: String::new(),
            values: vec![],
            objects: vec![],
            instances: HashMap::new(),
            declared: vec![],
            applications: HashMap::new(),
        }
    }
}
