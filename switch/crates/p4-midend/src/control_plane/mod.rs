//! The objects that the control plane sees (P4Info).

pub mod collection;
pub mod externs;
pub mod names;
pub mod types;
pub mod visible;
