//! The common part of the fuzzers: rounds, each with random numbers of its own, limits, and finds.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No program takes so long to load, and no packet to run.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A fault that was found, and the round that found it.
#[derive(Debug)]
pub struct Find {
    /// The round.
    pub round: u64,
    /// The fault, in words.
    pub what: String,
    /// The input, as text.
    pub input: String,
}

/// How long to go on.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Rounds to run.
    pub rounds: Range<u64>,
    /// Stop after this time.
    pub time: Duration,
}

/// Runs rounds until one finds something or a limit is reached; returns the number of rounds.
///
/// # Errors
/// The first find. `input` describes the input of a round that panicked.
pub fn rounds(
    limits: &Limits,
    mut round: impl FnMut(u64) -> Result<(), String>,
    input: impl Fn(u64) -> String,
) -> Result<u64, Find> {
    let start = Instant::now();
    let mut count = 0;
    for number in limits.rounds.clone() {
        if start.elapsed() >= limits.time {
            break;
        }
        let began = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| round(number)));
        let what = match result {
            Err(_) => Some("a panic (its message is above)".to_owned()),
            Ok(Err(what)) => Some(what),
            Ok(Ok(())) if began.elapsed() > PATIENCE => Some(format!("it took {:?}", began.elapsed())),
            Ok(Ok(())) => None,
        };
        if let Some(what) = what {
            return Err(Find { round: number, what, input: input(number) });
        }
        count += 1;
    }
    Ok(count)
}
