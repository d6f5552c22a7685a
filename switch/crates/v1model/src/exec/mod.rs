//! Running the lowered program.

mod big;
mod calculation;
mod cond;
mod deparser;
pub(crate) mod env;
mod num;
mod parser;
pub(crate) mod pipeline;
mod refs;
pub(crate) mod run;
mod trace;
