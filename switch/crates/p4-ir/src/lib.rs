//! The small typed intermediate representation of the P4 compiler.
