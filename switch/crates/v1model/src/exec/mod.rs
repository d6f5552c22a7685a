//! The lowered program and how it runs.

pub(crate) mod big;
pub(crate) mod calculation;
pub(crate) mod cond;
pub(crate) mod deparser;
pub(crate) mod num;
pub(crate) mod ops;
pub(crate) mod parser;
pub(crate) mod pipeline;
pub(crate) mod refs;
pub(crate) mod run;
pub(crate) mod word;
