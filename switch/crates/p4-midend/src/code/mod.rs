//! Structured code: where it goes, how large it becomes, and the graph that it becomes.

pub mod emitter;
pub mod enclosing;
pub mod graph;
pub mod growth;
pub mod source_index;
pub mod structured;
