//! Meters: two rates, three colours, with BMv2's arithmetic.
//!
//! Tokens are counted from one origin: what has been earned by now is `floor(µs since the origin × rate a µs)`, so
//! roundings do not add up. The peak bucket is asked first: too little there is red; then the committed one: yellow.

use crate::control::{MeterColor, MeterConfig};

/// One meter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    config: Option<MeterConfig>,
    peak: Bucket,
    committed: Bucket,
}

#[derive(Debug, Clone, Default)]
struct Bucket {
    /// Units a microsecond.
    rate: f64,
    burst: u64,
    tokens: u64,
    /// Tokens earned from the origin to the last packet.
    earned: u64,
}

impl Bucket {
    fn new(rate: u64, burst: u64) -> Self {
        Self { rate: rate as f64 / 1e6, burst, tokens: burst, earned: 0 }
    }

    /// Takes `units` out if there are so many.
    fn take(&mut self, now_us: u64, units: u64) -> bool {
        let earned = (now_us as f64 * self.rate) as u64;
        let gained = earned.saturating_sub(self.earned);
        self.earned = earned;
        self.tokens = self.tokens.saturating_add(gained).min(self.burst);
        if self.tokens < units {
            return false;
        }
        self.tokens -= units;
        true
    }
}

impl Meter {
    pub fn config(&self) -> Option<MeterConfig> {
        self.config
    }

    /// Sets the rates and fills the buckets; `None`: everything is green.
    pub fn configure(&mut self, config: Option<MeterConfig>) {
        self.config = config;
        if let Some(config) = config {
            self.peak = Bucket::new(config.pir, config.pburst);
            self.committed = Bucket::new(config.cir, config.cburst);
        }
    }

    /// Colours a packet of so many units (bytes, or 1).
    pub fn execute(&mut self, now_us: u64, units: u64) -> MeterColor {
        if self.config.is_none() {
            MeterColor::Green
        } else if !self.peak.take(now_us, units) {
            MeterColor::Red
        } else if !self.committed.take(now_us, units) {
            MeterColor::Yellow
        } else {
            MeterColor::Green
        }
    }
}
