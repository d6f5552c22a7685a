//! The commands: each reads its words and carries them out.

pub mod p4switch;
pub mod simple_switch;
pub mod simple_switch_cli;
pub mod simple_switch_grpc;
