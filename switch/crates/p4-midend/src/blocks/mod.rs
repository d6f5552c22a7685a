//! The blocks of the architecture, and the instances within them.

pub mod checksum;
pub mod context;
pub mod deparser;
pub mod instance;
