//! Runs a typed P4_16 program for v1model directly by the language specification, before any lowering.
//! `fuzz_p4_semantics` compares the compiler and the switch with this reference.
//!
//! It is written to be read beside the specification, not to be fast. Expressions are evaluated from left to right,
//! calls copy in and out, and every local is undefined until it is written. A value that the specification leaves
//! undefined is [`Value::Undefined`]. It may be copied, but where anything depends on it the run ends with
//! [`Stop::Undefined`], since then nothing can be compared. Numbers have 128 bits at most.
//!
//! The supported functions of v1model are `mark_to_drop`, `hash`, `verify_checksum`, `update_checksum`, digests,
//! cloning, resubmission and recirculation. The supported objects are registers, counters and meters (without rates),
//! direct ones too, action profiles and selectors. A control plane writes to [`Memory`].

mod arithmetic;
mod call;
mod checksum;
mod control_plane;
mod expression;
mod extern_object;
mod instance;
mod key_set;
mod memory;
mod operators;
mod packet;
mod parser;
mod pipeline;
mod place;
mod recirculation;
mod stack;
mod statement;
mod table;
mod union;
mod value;
mod written_entries;

pub use control_plane::{Action, Choice, ControlPlane, Entry, Match, Path, Profile, Replica};
pub use memory::{Count, Memory};
pub use pipeline::{Sent, run, run_with};
pub use value::Value;

use memory::Passage;
use p4_types::typed::{InstanceId, Program, VarId};
use packet::{Reader, Writer};

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The result depends on a value that the specification leaves undefined.
    Undefined(&'static str),
    /// Something that is not interpreted here.
    Unsupported(String),
}

/// A reason to end the evaluation of an expression or statement early.
#[derive(Clone, Debug)]
enum Interrupt {
    /// `exit`: ends the control of the architecture that runs.
    Exit,
    /// Parsing ends with this error (position in [`Program::errors`]).
    Reject(u32),
    /// No result.
    Stop(Stop),
}

impl From<Stop> for Interrupt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

type Result<T> = std::result::Result<T, Interrupt>;

fn unsupported<T>(what: &str) -> Result<T> {
    Err(Interrupt::Stop(Stop::Unsupported(what.to_owned())))
}

/// A program while a packet runs through it.
///
/// P4 has no recursion, so each variable exists once.
struct Machine<'a> {
    program: &'a Program,
    variables: Vec<Value>,
    /// The instances that are applied, one within the other.
    path: Vec<InstanceId>,
    memory: Memory,
    passage: Passage,
    /// The unread rest of the packet that is parsed.
    reader: Reader,
    /// The bits that have been emitted.
    writer: Writer,
    /// Statements and states left before the run is given up.
    steps: u32,
}

/// Statements and parser states of one packet and its copies.
const MOST_STEPS: u32 = 1_000_000;

impl<'a> Machine<'a> {
    fn new(program: &'a Program, memory: Memory) -> Self {
        let variables = vec![Value::Undefined; program.variables.len()];
        Self {
            program,
            variables,
            path: vec![],
            memory,
            passage: Passage::default(),
            reader: Reader::default(),
            writer: Writer::default(),
            steps: MOST_STEPS,
        }
    }

    fn set(&mut self, variable: VarId, value: Value) {
        self.variables[variable.index()] = value;
    }

    fn get(&self, variable: VarId) -> &Value {
        &self.variables[variable.index()]
    }

    /// One step more.
    fn step(&mut self) -> Result<()> {
        match self.steps.checked_sub(1) {
            Some(left) => self.steps = left,
            None => return unsupported("a run without end"),
        }
        Ok(())
    }
}
