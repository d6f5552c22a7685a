//! Lowering of typed P4_16 programs to the intermediate representation, and its passes.
