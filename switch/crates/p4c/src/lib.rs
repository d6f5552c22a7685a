//! The compiler's command lines: p4c and p4c-bm2-ss.
