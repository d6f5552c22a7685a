//! Loading a program: BMv2 JSON is checked and lowered.

mod actions;
mod ast;
mod builder;
mod entries;
mod expr;
mod externs;
mod headers;
mod lower;
mod parsers;
mod pipelines;
mod primitives;
mod range;
mod source;
mod tables;

#[cfg(test)]
mod tests;

use bmv2_json::{Node, ProgramError, parse};

use crate::code::Program;

/// Stack of the thread that reads a program: expressions are walked recursively, and their depth is limited.
const LOADER_STACK: usize = 64 << 20;

impl Program {
    /// Reads BMv2 JSON (as p4c or this repository's compiler writes it), checks it and lowers it.
    ///
    /// # Errors
    /// Not JSON, not BMv2 JSON of major version 2, a reference to something that is not there, an operation or hash
    /// algorithm that this switch does not have.
    pub fn from_json(json: &str) -> Result<Self, ProgramError> {
        let failed = |message: String| ProgramError { place: "JSON".to_owned(), message };
        std::thread::scope(|scope| {
            let loader = std::thread::Builder::new().stack_size(LOADER_STACK).spawn_scoped(scope, || {
                let value = parse(json)?;
                let program = builder::build(&Node::root(&value));
                drop(value);
                program.map(|program| Program { json: json.to_owned(), ..program })
            });
            let loader = loader.map_err(|e| failed(format!("cannot start a thread to read it: {e}")))?;
            loader.join().unwrap_or_else(|_| Err(failed("reading it failed; please report this".to_owned())))
        })
    }
}
