//! Tables and their actions.

pub mod direct_meters;
pub mod limits;
pub mod properties;
pub mod state;
pub mod table;
