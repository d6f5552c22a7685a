//! How many words a command takes, and numbers among them.

use crate::failure::{Failure, usage};

pub(crate) fn at_least(args: &[&str], count: usize) -> Result<(), Failure> {
    if args.len() < count { Err(usage("Insufficient number of args")) } else { Ok(()) }
}

pub(crate) fn exactly<'a, const N: usize>(args: &[&'a str]) -> Result<[&'a str; N], Failure> {
    args.try_into().map_err(|_| usage(format!("Wrong number of args, expected {N} but got {}", args.len())))
}

/// A number; `what` is for the message.
pub(crate) fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, Failure> {
    text.parse().map_err(|_| usage(format!("Bad format for {what}, expected integer")))
}
