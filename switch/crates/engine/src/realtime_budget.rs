//! Resting a little and often, so that the kernel never makes the forwarding thread rest long.
//!
//! Linux lets real-time threads have 95 % of a second (`sched_rt_runtime_us` of `sched_rt_period_us`). A thread that
//! takes more stands still for the rest of it, 50 ms in a row. A thread that stays just below sleeps for some 60 µs
//! each millisecond instead: it forwards as much, and nothing waits long.

use std::fs;
use std::time::Duration;

use ports::clock;

use crate::realtime;

/// Between two looks at the thread's account.
const INTERVAL_NS: u64 = 1_000_000;
/// The share left to the kernel's own real-time threads, and to processor time that the account does not see.
const SPARE: f64 = 0.015;
const LIMITS: [&str; 2] = ["/proc/sys/kernel/sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_period_us"];

/// The calling thread's account of its processor time.
#[derive(Debug)]
pub(crate) struct RealtimeBudget {
    /// The part of the time it may take.
    share: f64,
    since_ns: u64,
    since_cpu_ns: u64,
}

impl RealtimeBudget {
    /// For a real-time thread, if the kernel limits those.
    pub(crate) fn new() -> Option<Self> {
        let [runtime, period] = LIMITS.map(|path| fs::read_to_string(path).ok()?.trim().parse::<f64>().ok());
        let share = share(runtime?, period?)?;
        Some(Self { share, since_ns: clock::monotonic_ns(), since_cpu_ns: realtime::thread_cpu_ns() })
    }

    /// Sleeps, when the thread has taken more than its share.
    pub(crate) fn sleep_if_due(&mut self, now_ns: u64) {
        let elapsed_ns = now_ns.saturating_sub(self.since_ns);
        if elapsed_ns < INTERVAL_NS {
            return;
        }
        let cpu_ns = realtime::thread_cpu_ns();
        let due_ns = rest_ns(elapsed_ns, cpu_ns.saturating_sub(self.since_cpu_ns), self.share);
        if due_ns > 0 {
            std::thread::sleep(Duration::from_nanos(due_ns));
        }
        self.since_cpu_ns = cpu_ns;
        self.since_ns = clock::monotonic_ns().min(now_ns + due_ns);
    }
}

/// The part of a thread's time it may take; none if there is no limit.
fn share(runtime_us: f64, period_us: f64) -> Option<f64> {
    let share = runtime_us / period_us;
    // -1 is "no limit". With less than half there is no keeping up anyhow, and the kernel decides.
    (0.5..1.0).contains(&share).then_some(share - SPARE)
}

/// How long a thread has to sleep that has used `cpu_ns` of `elapsed_ns`.
fn rest_ns(elapsed_ns: u64, cpu_ns: u64, share: f64) -> u64 {
    ((cpu_ns as f64 / share) as u64).saturating_sub(elapsed_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_takes_nearly_all_of_its_time_rests() {
        let share = share(950_000.0, 1_000_000.0).expect("a limit");
        assert_eq!(rest_ns(1_000_000, 900_000, share), 0);
        let rest = rest_ns(1_000_000, 1_000_000, share);
        assert!((60_000..80_000).contains(&rest), "{rest}");
        let taken = 1_000_000.0 / (1_000_000 + rest) as f64;
        assert!(taken < 0.95, "{taken}");
    }

    #[test]
    fn without_a_limit_nobody_rests() {
        assert_eq!(share(-1.0, 1_000_000.0), None);
        assert_eq!(share(1_000_000.0, 1_000_000.0), None);
    }
}
