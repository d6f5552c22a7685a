//! The clock: the one place that reads it.

use std::cell::Cell;

thread_local! {
    static HELD_NS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// CLOCK_MONOTONIC in nanoseconds, the time base of all links and samples; the held time, if the calling thread holds
/// one.
#[must_use]
pub fn monotonic_ns() -> u64 {
    HELD_NS.get().unwrap_or_else(|| read(libc::CLOCK_MONOTONIC))
}

/// Reads the clock, and holds its time for the calling thread until [`let_go`]. This is for virtual time, where
/// computing takes no time, but looking again and again does in the end.
pub fn hold() {
    HELD_NS.set(Some(read(libc::CLOCK_MONOTONIC)));
}

/// The clock goes on for the calling thread.
pub fn let_go() {
    HELD_NS.set(None);
}

/// Whether computing takes no time: the testbed's virtual time (docs/timing.md).
#[must_use]
pub fn is_virtual() -> bool {
    std::env::var_os("NODECTL_TIME").is_some_and(|time| time == "virtual")
}

/// CLOCK_REALTIME in nanoseconds, for times that people read.
#[must_use]
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

pub(crate) fn to_ns(time: libc::timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec. It cannot fail for these clocks.
    unsafe { libc::clock_gettime(clock, &mut time) };
    to_ns(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_clock_stands_for_its_thread_alone() {
        hold();
        let held = monotonic_ns();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert_eq!(monotonic_ns(), held);
        assert!(std::thread::spawn(monotonic_ns).join().is_ok_and(|elsewhere| elsewhere > held));
        let_go();
        assert!(monotonic_ns() >= held + 2_000_000);
    }
}
