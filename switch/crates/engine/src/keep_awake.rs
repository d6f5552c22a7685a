//! Keeping the processors of a virtual machine from going to sleep.
//!
//! A virtual processor with nothing to do is taken off the real one. When a timer or a packet wants it back, it waits until the
//! hypervisor's scheduler has room for it: up to many milliseconds, for links and hosts alike. A processor that always has something
//! to do keeps its place.

use std::{fs, io, process};

use crate::processors::on_each_processor;

/// Weight of a session's processes against those of other sessions, where the kernel groups processes by session: the least.
const SESSION_NICE: &str = "19";

/// Starts a thread on each processor of this process that computes nothing, whenever nobody else wants that processor
/// (SCHED_IDLE). The threads run until the process ends.
///
/// # Errors
///
/// The system's refusal, if a thread cannot be started, bound to its processor or given that priority.
pub fn keep_awake() -> io::Result<()> {
    yield_to_other_sessions();
    on_each_processor("awake", yield_to_everybody, |_| {
        || {
            // No spin-loop hint: hypervisors take it for an offer to give the processor away.
            #[allow(clippy::empty_loop, reason = "computing nothing is its purpose")]
            while std::hint::black_box(true) {}
        }
    })
}

/// With the scheduler's autogroups, priorities count within a session only, and SCHED_IDLE in a session of its own takes as much as
/// any other session. So the session is made the last one, if it is this process's own.
fn yield_to_other_sessions() {
    // SAFETY: takes no pointers.
    let session = unsafe { libc::getsid(0) };
    if u32::try_from(session).is_ok_and(|session| session == process::id()) {
        // Where there are no autogroups, there is no such file, and nothing to be done.
        let _ = fs::write("/proc/self/autogroup", SESSION_NICE);
    }
}

fn yield_to_everybody() -> io::Result<()> {
    // SAFETY: all-zero is a valid sched_param.
    let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the structure lives through the call; 0 is the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &parameters) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
