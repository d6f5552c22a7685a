//! Statements: assignments, decisions, loops, and statements that leave a body.

pub mod assignment;
pub mod exit;
pub mod loops;
pub mod overlap;
pub mod statement;
pub mod switch;
