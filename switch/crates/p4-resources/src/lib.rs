//! The cost of a program on a switch, as a first look: an estimate that knows no target.
//!
//! It is computed on the intermediate representation that the mid-end makes. There every call is inlined, every structure is
//! flat and every control is a graph. So a packet's paths, and the fields that one table leaves to another, can be
//! followed without scopes, calls or types. Each part still knows its place in the source.

mod chain;
mod flow;
mod indexes;
mod parser;
mod places;
mod postdominators;
mod registers;
mod tables;
mod text;

pub use chain::{Chain, Dependency, Member};
pub use parser::{Header, Parser, State};
pub use registers::{Register, Registers};
pub use tables::{Key, MatchTotal, Table};

use p4_ir::control::Pipeline;
use p4_ir::{Program, Source};
use serde::Serialize;

/// The version of the JSON form; another number means that keys have changed their names or meaning.
pub const FORMAT: u32 = 1;

/// The estimate. Its names are those of the JSON form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// [`FORMAT`].
    pub format: u32,
    /// True: no target was asked.
    pub is_estimate: bool,
    /// Path of the main source file.
    pub program: String,
    /// The tables of both pipelines that the program declares and applies.
    pub tables: Vec<Table>,
    /// Sums over the tables of each match kind.
    pub by_match: Vec<MatchTotal>,
    /// Register arrays, and how often a packet accesses them.
    pub registers: Registers,
    /// The parser.
    pub parser: Parser,
    /// The longest chain of dependent tables of ingress and of egress.
    pub chains: Vec<Chain>,
}

/// Estimates the cost of a program.
pub fn estimate(program: &Program) -> Estimate {
    let tables = tables::tables(program);
    Estimate {
        format: FORMAT,
        is_estimate: true,
        program: program.file.clone(),
        by_match: tables::totals(&tables),
        tables,
        registers: registers::registers(program),
        parser: parser::parser(program),
        chains: pipelines(program).map(|(name, pipeline)| chain::longest(program, name, pipeline)).into(),
    }
}

/// The pipelines in the order in which a packet passes them.
fn pipelines(program: &Program) -> [(&'static str, &Pipeline); 2] {
    [("ingress", &program.ingress), ("egress", &program.egress)]
}

/// A place in the source as `file:line`; empty for parts that the compiler made.
fn place(source: &Source) -> String {
    source.as_ref().map_or_else(String::new, |source| format!("{}:{}", source.file, source.line))
}
