//! Parsers: states, transitions and value sets.

pub mod graph;
pub mod parser;
pub mod value_sets;
