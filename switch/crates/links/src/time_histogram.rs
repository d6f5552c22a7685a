//! How long something took, for many packets: lateness against the model, and waiting in queues.

use std::mem;

use serde::Serialize;

/// Histogram of times, from 1 µs to some minutes. Buckets are 1/16 of a power of two wide (at most 6 % error). The sum, the
/// maximum and the count above 1 ms are exact.
#[derive(Debug, Clone, Default)]
pub struct TimeHistogram {
    /// None before the first packet: most queues never see one.
    buckets: Vec<u64>,
    packets: u64,
    over_1ms: u64,
    sum_ns: u128,
    max_ns: u64,
}

/// How late packets were against the model, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct LatenessSummary {
    /// Packets counted.
    pub packets: u64,
    /// Packets more than 1 ms late.
    pub late_1ms: u64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// Largest.
    pub max_us: f64,
}

/// How long packets waited, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct WaitSummary {
    /// Packets counted.
    pub packets: u64,
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// Longest.
    pub max_us: f64,
}

/// Nanoseconds a unit of the histogram.
const UNIT_NS: u64 = 250;
const SUB_BITS: u32 = 4;
const SUBS: u64 = 1 << SUB_BITS;
const BUCKETS: usize = 32 * SUBS as usize;

impl TimeHistogram {
    /// Counts one packet.
    pub fn record(&mut self, took_ns: u64) {
        if self.buckets.is_empty() {
            self.buckets.resize(BUCKETS, 0);
        }
        self.packets += 1;
        self.over_1ms += u64::from(took_ns > 1_000_000);
        self.sum_ns += u128::from(took_ns);
        self.max_ns = self.max_ns.max(took_ns);
        if let Some(count) = self.buckets.get_mut(bucket_of(took_ns / UNIT_NS)) {
            *count += 1;
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Self { buckets: mem::take(&mut self.buckets), ..Self::default() };
        self.buckets.fill(0);
    }

    /// Adds another histogram to this one.
    pub fn merge(&mut self, other: &Self) {
        self.buckets.resize(self.buckets.len().max(other.buckets.len()), 0);
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.packets += other.packets;
        self.over_1ms += other.over_1ms;
        self.sum_ns += other.sum_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The distribution so far, of lateness.
    pub fn lateness(&self) -> LatenessSummary {
        LatenessSummary {
            packets: self.packets,
            late_1ms: self.over_1ms,
            p50_us: self.quantile_us(50),
            p99_us: self.quantile_us(99),
            max_us: self.max_ns as f64 / 1e3,
        }
    }

    /// The distribution so far, of waiting.
    pub fn waits(&self) -> WaitSummary {
        WaitSummary {
            packets: self.packets,
            mean_us: if self.packets == 0 { 0.0 } else { self.sum_ns as f64 / self.packets as f64 / 1e3 },
            p50_us: self.quantile_us(50),
            p99_us: self.quantile_us(99),
            max_us: self.max_ns as f64 / 1e3,
        }
    }

    fn quantile_us(&self, percent: u64) -> f64 {
        let wanted = (self.packets * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                // The middle of the bucket, but never above the largest value seen.
                let (low, width) = bucket_range(index);
                let middle = (low * 2 + width) * UNIT_NS / 2;
                return middle.min(self.max_ns) as f64 / 1e3;
            }
        }
        0.0
    }
}

/// Log-linear: values below 16 have their own bucket, then 16 buckets for each power of two.
fn bucket_of(value: u64) -> usize {
    if value < SUBS {
        return value as usize;
    }
    let shift = value.ilog2() - SUB_BITS;
    let index = u64::from(shift + 1) * SUBS + ((value >> shift) - SUBS);
    (index as usize).min(BUCKETS - 1)
}

fn bucket_range(index: usize) -> (u64, u64) {
    let index = index as u64;
    if index < SUBS {
        return (index, 1);
    }
    let shift = index / SUBS - 1;
    ((SUBS + index % SUBS) << shift, 1 << shift)
}
