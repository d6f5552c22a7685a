//! Calls: inlining, and the variables that a body reads, writes and binds.

pub mod bindings;
pub mod call;
pub mod effects;
pub mod reads;
