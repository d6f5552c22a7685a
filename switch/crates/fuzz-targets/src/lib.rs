//! Bounded fuzzing of the compiler and the switch, on stable Rust:
//! - mutated P4 source ([`p4_source`]; the command `fuzz_p4_source`);
//! - the meaning of random programs ([`semantics`]; the command `fuzz_p4_semantics`);
//! - damaged programs ([`json`]), arbitrary packets ([`packets`]), P4Runtime requests ([`grpc`]): the command `fuzz`.
//!
//! The targets of coverage-guided fuzzing are in [`guided`].
//!
//! Every round has random numbers of its own, made from the seed and the round's number, so a find is repeated with
//! `--seed S --first ROUND --rounds 1`. A find is a panic, a message that asks to report a fault, or a packet that
//! takes longer than [`PATIENCE`].

mod calls;
pub mod grpc;
pub mod guided;
pub mod json;
mod messages;
mod options;
pub mod p4_source;
pub mod packets;
mod raw_codec;
pub mod rig;
pub mod rounds;
pub mod semantics;

pub use fuzz_oracle::random;
pub use options::RoundOptions;
pub use rounds::{Find, Limits, PATIENCE, rounds};
