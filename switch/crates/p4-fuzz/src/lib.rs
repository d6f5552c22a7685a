//! Differential fuzzing of what programs mean, as Gauntlet does it: random well-typed programs ([`generate`]) are compiled and run
//! in the switch with random packets; what comes out must be what the reference interpreter says of the typed program
//! ([`compare`]). The command is `fuzz_p4_semantics`.

pub mod compare;
mod control_plane;
pub mod generate;
pub mod layout;
mod reduce;
mod sources;
