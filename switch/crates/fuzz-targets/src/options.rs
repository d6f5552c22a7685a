//! The options of every command of rounds.

use std::path::PathBuf;
use std::time::Duration;

use crate::Limits;

/// How long, from which random numbers, and where a find goes.
#[derive(Debug, clap::Args)]
pub struct RoundOptions {
    /// For so long.
    #[arg(long, default_value_t = 15)]
    pub seconds: u64,
    /// Other random numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The first round: to repeat a find.
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// Rounds at most.
    #[arg(long, default_value_t = u64::MAX)]
    pub rounds: u64,
    /// Where a find is written.
    #[arg(long)]
    pub out: PathBuf,
}

impl RoundOptions {
    /// The rounds and the time.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { rounds: self.first..self.first.saturating_add(self.rounds), time: Duration::from_secs(self.seconds) }
    }
}
