//! What the compiler and the switch are held against: random well-typed programs ([`generate`]), laid out in one or several
//! files ([`layout`], [`sources`]), and a reference interpreter that runs a typed program by the language specification
//! ([`reference`]). `fuzz_p4_semantics` compares the two (crate `fuzz-targets`).

pub mod generate;
pub mod layout;
pub mod random;
pub mod reference;
pub mod sources;
