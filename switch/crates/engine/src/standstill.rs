//! Noticing when a processor stands still.
//!
//! A hypervisor takes a virtual processor away for some milliseconds, and everything on it stops: links, hosts, the kernel's own
//! timers. A thread on each processor that wakes up every millisecond, before everybody else, sees how long.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ports::clock;

use crate::processors::on_each_processor;
use crate::realtime;

const INTERVAL_NS: u64 = 1_000_000;

/// A time in which a processor ran nothing of this machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// When the thread should have run (`CLOCK_MONOTONIC`).
    pub since_ns: u64,
    /// How much later it did.
    pub lasted_ns: u64,
    /// Which processor.
    pub processor: usize,
}

/// Watches all processors of this process from now on, and sends every standstill of `at_least` or longer. Ends when `is_over`
/// says so, or the receiver has gone: then each processor is looked at once more, and the channel closes.
///
/// # Errors
///
/// The system's refusal, if a thread cannot be started, bound to its processor or given its priority.
pub fn watch_processors(at_least: Duration, is_over: &Arc<AtomicBool>) -> io::Result<mpsc::Receiver<Standstill>> {
    let (found, standstills) = mpsc::channel();
    on_each_processor("watch", become_first, |processor| {
        let (found, is_over) = (found.clone(), Arc::clone(is_over));
        move || watch(processor, at_least, &is_over, &found)
    })?;
    Ok(standstills)
}

/// Before the forwarding thread, whose work is no standstill.
fn become_first() -> io::Result<()> {
    realtime::become_realtime_at(realtime::PRIORITY + 1)
}

fn watch(processor: usize, at_least: Duration, is_over: &AtomicBool, found: &mpsc::Sender<Standstill>) {
    let mut due_ns = clock::monotonic_ns() + INTERVAL_NS;
    let mut is_last = false;
    while !is_last {
        is_last = is_over.load(Ordering::Relaxed);
        thread::sleep(Duration::from_nanos(due_ns.saturating_sub(clock::monotonic_ns())));
        let now_ns = clock::monotonic_ns();
        let lasted_ns = now_ns.saturating_sub(due_ns);
        if u128::from(lasted_ns) >= at_least.as_nanos()
            && found.send(Standstill { since_ns: due_ns, lasted_ns, processor }).is_err()
        {
            return;
        }
        due_ns = now_ns + INTERVAL_NS;
    }
}
