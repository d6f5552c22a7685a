//! Stands in for `v1model` until its API is there; goes away then.

/// One switch.
#[derive(Debug)]
pub struct Switch;
/// One digest message.
#[derive(Debug, Clone)]
pub struct Digest;
/// One expired table entry.
#[derive(Debug, Clone)]
pub struct IdleTimeout;
