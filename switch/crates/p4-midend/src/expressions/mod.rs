//! Expressions: places and values, constants, sets of keys.

pub mod constant_folding;
pub mod expression;
pub mod key_set;
