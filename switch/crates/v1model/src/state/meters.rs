//! Meters: two rates, three colours, with BMv2's arithmetic; or one rate with an excess burst (RFC 2697).
//!
//! Tokens are counted from one origin: the tokens earned by now are `floor(µs since the origin × rate a µs)`, so
//! roundings do not add up. With two rates the peak bucket is asked first: too few tokens there mean red. Then the
//! committed one is asked: too few there mean yellow.

use crate::types::{CounterValue, MeterColor, MeterConfig, MeterCounts, MeterKind};

/// One meter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    config: Option<MeterConfig>,
    /// With a single rate: the excess bucket, which only gets what the committed one has no room for.
    peak: Bucket,
    committed: Bucket,
    /// By colour.
    counts: MeterCounts,
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

    /// Tokens earned since the last call.
    fn gain(&mut self, now_us: u64) -> u64 {
        let earned = (now_us as f64 * self.rate) as u64;
        let gained = earned.saturating_sub(self.earned);
        self.earned = earned;
        gained
    }

    /// Puts tokens in; returns those that there is no room for.
    fn fill(&mut self, tokens: u64) -> u64 {
        let all = self.tokens.saturating_add(tokens);
        self.tokens = all.min(self.burst);
        all - self.tokens
    }

    /// Takes `units` out if there are so many.
    fn take(&mut self, units: u64) -> bool {
        if self.tokens < units {
            return false;
        }
        self.tokens -= units;
        true
    }

    /// Earns tokens, then takes `units` out if there are so many.
    fn earn_and_take(&mut self, now_us: u64, units: u64) -> bool {
        let gained = self.gain(now_us);
        self.fill(gained);
        self.take(units)
    }
}

impl Meter {
    pub fn config(&self) -> Option<MeterConfig> {
        self.config
    }

    pub fn counts(&self) -> MeterCounts {
        self.counts
    }

    pub fn set_counts(&mut self, counts: MeterCounts) {
        self.counts = counts;
    }

    /// Sets the rates and fills the buckets; `None`: everything is green.
    pub fn configure(&mut self, config: Option<MeterConfig>) {
        self.config = config;
        if let Some(config) = config {
            self.committed = Bucket::new(config.cir, config.cburst);
            self.peak =
                if config.eburst > 0 { Bucket::new(0, config.eburst) } else { Bucket::new(config.pir, config.pburst) };
        }
    }

    /// Colours and counts a packet.
    pub fn execute(&mut self, now_us: u64, kind: MeterKind, bytes: u32) -> MeterColor {
        let units = match kind {
            MeterKind::Bytes => u64::from(bytes),
            MeterKind::Packets => 1,
        };
        let color = match self.config {
            None => MeterColor::Green,
            Some(config) if config.eburst > 0 => self.single_rate(now_us, units),
            Some(_) => self.two_rates(now_us, units),
        };
        let count: &mut CounterValue = &mut self.counts[color as usize];
        count.add(bytes);
        color
    }

    fn two_rates(&mut self, now_us: u64, units: u64) -> MeterColor {
        if !self.peak.earn_and_take(now_us, units) {
            MeterColor::Red
        } else if !self.committed.earn_and_take(now_us, units) {
            MeterColor::Yellow
        } else {
            MeterColor::Green
        }
    }

    fn single_rate(&mut self, now_us: u64, units: u64) -> MeterColor {
        let gained = self.committed.gain(now_us);
        let excess = self.committed.fill(gained);
        self.peak.fill(excess);
        if self.committed.take(units) {
            MeterColor::Green
        } else if self.peak.take(units) {
            MeterColor::Yellow
        } else {
            MeterColor::Red
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A meter for packets of one unit.
    fn colours(config: MeterConfig, times_us: &[u64]) -> (Vec<MeterColor>, MeterCounts) {
        let mut meter = Meter::default();
        meter.configure(Some(config));
        let colours = times_us.iter().map(|at| meter.execute(*at, MeterKind::Packets, 100)).collect();
        (colours, meter.counts())
    }

    #[test]
    fn one_rate_keeps_what_the_committed_burst_has_no_room_for() {
        use MeterColor::{Green, Red, Yellow};
        let config = MeterConfig { cir: 1, cburst: 1, pir: 1, pburst: 1, eburst: 2 };
        // Full buckets: one green, two yellow. After 1 s one green; after 3 s more the excess bucket has two again.
        let (seen, counts) =
            colours(config, &[0, 0, 0, 0, 1_000_000, 1_000_000, 4_000_000, 4_000_000, 4_000_000, 4_000_000]);
        assert_eq!(seen, [Green, Yellow, Yellow, Red, Green, Red, Green, Yellow, Yellow, Red]);
        assert_eq!(counts.map(|c| (c.packets, c.bytes)), [(3, 300), (4, 400), (3, 300)]);
    }

    #[test]
    fn without_excess_burst_both_kinds_agree() {
        use MeterColor::{Green, Red};
        let config = MeterConfig { cir: 1, cburst: 2, pir: 1, pburst: 2, eburst: 0 };
        let (seen, _) = colours(config, &[0, 0, 0, 1_000_000, 1_000_000]);
        assert_eq!(seen, [Green, Green, Red, Green, Red]);
    }
}
