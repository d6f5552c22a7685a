//! The whole program.

use crate::control::{Action, Calculation, Checksum, Counter, Meter, Pipeline, Register, Table};
use crate::control_plane::ControlPlane;
use crate::ops::Stmt;
use crate::parser::{Parser, ValueSet};
use crate::storage::{FieldRef, HeaderId, Storage};
use num_bigint::BigInt;

/// An enumeration and the values the compiler gave its members.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Name.
    pub name: String,
    /// Member and value.
    pub members: Vec<(String, u64)>,
}

/// An instance of an extern that only some other target knows.
#[derive(Clone, Debug)]
pub struct ForeignExtern {
    /// Control-plane name.
    pub name: String,
    /// Name of the extern type.
    pub kind: String,
    /// Known constructor arguments: name and number.
    pub args: Vec<(String, BigInt)>,
}

/// A v1model program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Path of the main source file.
    pub file: String,
    /// All storage.
    pub storage: Storage,
    /// Errors and their codes.
    pub errors: Vec<(String, u32)>,
    /// Enumerations.
    pub enums: Vec<Enumeration>,
    /// The parser.
    pub parser: Parser,
    /// Its value sets.
    pub value_sets: Vec<ValueSet>,
    /// All actions of both pipelines.
    pub actions: Vec<Action>,
    /// All tables of both pipelines.
    pub tables: Vec<Table>,
    /// The ingress pipeline.
    pub ingress: Pipeline,
    /// The egress pipeline.
    pub egress: Pipeline,
    /// Headers in the order in which they are written.
    pub deparser: Vec<HeaderId>,
    /// Operations of the deparser before it writes.
    pub deparser_ops: Vec<Stmt>,
    /// Counter arrays.
    pub counters: Vec<Counter>,
    /// Meter arrays.
    pub meters: Vec<Meter>,
    /// Register arrays.
    pub registers: Vec<Register>,
    /// Calculations.
    pub calculations: Vec<Calculation>,
    /// Checksums.
    pub checksums: Vec<Checksum>,
    /// Field lists for clone, resubmit and recirculate: name and fields.
    pub field_lists: Vec<(String, Vec<FieldRef>)>,
    /// Field lists of digests: name and fields.
    pub learn_lists: Vec<(String, Vec<FieldRef>)>,
    /// Instances of externs that only some other target knows.
    pub externs: Vec<ForeignExtern>,
    /// The control plane's view.
    pub control_plane: ControlPlane,
}
