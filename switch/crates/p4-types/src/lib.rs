//! Name resolution and type checking of P4_16 programs.
