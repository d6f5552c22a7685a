//! Random well-typed programs ([`generate`]), laid out in one or several files ([`layout`], [`sources`]), and a
//! reference interpreter. It runs a typed program by the language specification ([`reference`]). `fuzz_p4_semantics`
//! (crate `fuzz-targets`) compares the compiler and the switch with it.

pub mod generate;
pub mod layout;
pub mod random;
pub mod reference;
pub mod sources;
