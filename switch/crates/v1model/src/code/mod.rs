//! The parts of the lowered program. `load` makes it from BMv2 JSON, and `exec` runs it.

pub(crate) mod calculation;
pub(crate) mod deparser;
pub(crate) mod expr;
pub(crate) mod ops;
pub(crate) mod parser;
pub(crate) mod pipeline;
mod program;
pub(crate) mod source_map;
pub(crate) mod word;
pub(crate) mod words;

pub use program::Program;
pub(crate) use program::{LearnList, StandardMetadata, TrafficManagerMetadata};
