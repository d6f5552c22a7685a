//! Requests to the operating system for punctual wake-ups and resident memory, and a thread's processor time.

use std::io;

/// SCHED_FIFO priority: above every ordinary thread, below the kernel's own.
pub(crate) const PRIORITY: libc::c_int = 10;

/// Gives the calling thread SCHED_FIFO. Other threads it starts do not inherit it.
pub(crate) fn become_realtime() -> io::Result<()> {
    become_realtime_at(PRIORITY)
}

/// The same with another priority than the forwarding thread's.
pub(crate) fn become_realtime_at(priority: libc::c_int) -> io::Result<()> {
    // SAFETY: all-zero is a valid sched_param.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: the structure lives through the call; 0 is the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &parameters) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Processor time the calling thread has used.
pub(crate) fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives through the call; the clock is there on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// Lets the calling thread's timeouts be exact to 1 ns instead of the usual 50 µs (SCHED_FIFO threads have that anyway).
pub(crate) fn exact_timeouts() {
    // SAFETY: takes no pointers; at worst it is refused, and then wake-ups are some 50 µs later.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

/// Keeps the process's memory where it is. A page that was dropped to make room, or by the kernel's proactive reclaim,
/// would have to be read again in the middle of forwarding. Pages are locked when they are first used, so nothing grows
/// by this.
pub(crate) fn keep_in_memory() -> io::Result<()> {
    // SAFETY: takes no pointers.
    let result = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE | libc::MCL_ONFAULT) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
