//! Bounded fuzzing of the compiler and the switch, on stable Rust: mutated P4 source ([`p4_source`], the command
//! `fuzz_p4_source`); damaged programs ([`json`]), arbitrary packets ([`packets`]) and P4Runtime requests ([`grpc`]), the
//! command `fuzz`.
//!
//! Every round has random numbers of its own, made from the seed and the round's number, so a find is repeated with
//! `--seed S --first ROUND --rounds 1`. What may not happen: a panic, a message that asks to report a fault, or a packet that
//! takes longer than [`PATIENCE`].

mod calls;
pub mod grpc;
pub mod guided;
pub mod json;
mod messages;
pub mod p4_source;
pub mod packets;
mod raw;
pub mod rig;

pub use fuzz_rounds::{Find, Limits, PATIENCE, random, rounds};
