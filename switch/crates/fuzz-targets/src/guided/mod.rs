//! The targets of coverage-guided fuzzing, and their own ways to change an input.
//!
//! The programs in `libfuzzer/` call them (`make fuzz-guided`); `tests/corpora.rs` gives them every kept input. A target
//! panics for a find and does nothing otherwise.

pub mod compiler;
pub mod json_loader;
#[cfg(feature = "libfuzzer")]
pub mod libfuzzer_mutation;
pub mod p4runtime_messages;
pub mod packets;
pub mod parser;
pub mod preprocessor;
pub mod semantics;
mod source;
mod spelling;
mod tree;
pub mod type_checker;

pub use source::mutated as mutated_source;

/// A target: its name, here and in `corpora/`, and the function that takes an input.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 8] = [
    ("preprocessor", preprocessor::target),
    ("parser", parser::target),
    ("type_checker", type_checker::target),
    ("compiler", compiler::target),
    ("semantics", semantics::target),
    ("json_loader", json_loader::target),
    ("p4runtime_messages", p4runtime_messages::target),
    ("packets", packets::target),
];
