//! Extern functions and methods.

pub mod packet;
pub mod unknown;
pub mod v1model;
