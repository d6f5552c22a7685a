//! How many words a command takes, and numbers among them.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::failure::{Failure, usage};
use crate::integer::decimal;

pub(crate) fn at_least(args: &[&str], count: usize) -> Result<(), Failure> {
    if args.len() < count { Err(usage("Insufficient number of args")) } else { Ok(()) }
}

pub(crate) fn exactly<'a, const N: usize>(args: &[&'a str]) -> Result<[&'a str; N], Failure> {
    args.try_into().map_err(|_| usage(format!("Wrong number of args, expected {N} but got {}", args.len())))
}

/// A number in the range of its type; `what` is for the message.
pub(crate) fn number<T: TryFrom<BigInt> + num_traits::Bounded + std::fmt::Display>(
    text: &str,
    what: &str,
) -> Result<T, Failure> {
    let value = decimal(text).ok_or_else(|| usage(format!("Bad format for {what}, expected integer")))?;
    let range = || format!("{what} must be {} to {}, not {text}", T::min_value(), T::max_value());
    T::try_from(value).map_err(|_| usage(range()))
}

/// The number of something that there may be or not: an entry, a member, a cell.
pub(crate) struct Position {
    /// As BMv2's command shows it.
    pub(crate) shown: BigInt,
    /// The number; that of nothing if it is negative or too large.
    pub(crate) number: u64,
}

/// Such a number; `what` is for the message.
pub(crate) fn position(text: &str, what: &str) -> Result<Position, Failure> {
    let shown = decimal(text).ok_or_else(|| usage(format!("Bad format for {what}")))?;
    let number = if shown.is_negative() { u64::MAX } else { shown.to_u64().unwrap_or(u64::MAX) };
    Ok(Position { shown, number })
}

impl Position {
    /// The number as an id of P4Runtime.
    pub(crate) fn id(&self) -> u32 {
        u32::try_from(self.number).unwrap_or(u32::MAX)
    }
}
