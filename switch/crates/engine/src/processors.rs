//! Threads that belong to one processor each.

use std::io;
use std::sync::mpsc;
use std::thread;

/// Starts a thread on each processor that this process may use, and nowhere else: it prepares itself, and does its work once
/// the system has granted that.
///
/// # Errors
///
/// The system's refusal, if a thread cannot be started, bound to its processor or prepared. Those before it go on.
pub(crate) fn on_each_processor<W>(
    name: &str,
    prepare: fn() -> io::Result<()>,
    mut work_on: impl FnMut(usize) -> W,
) -> io::Result<()>
where
    W: FnOnce() + Send + 'static,
{
    for processor in own_processors()? {
        let (tell, answer) = mpsc::channel();
        let work = work_on(processor);
        thread::Builder::new().name(format!("{name}-{processor}")).spawn(move || {
            let prepared = bind_to(processor).and_then(|()| prepare());
            let is_ready = prepared.is_ok();
            // The receiver waits for exactly this.
            let _ = tell.send(prepared);
            if is_ready {
                work();
            }
        })?;
        answer.recv().unwrap_or_else(|_| Err(io::Error::other("a thread has ended")))?;
    }
    Ok(())
}

/// Numbers of the processors that this process may use.
fn own_processors() -> io::Result<Vec<usize>> {
    // SAFETY: all-zero is a valid, empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set lives through the call and has the size given; 0 is the calling thread.
    if unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let numbers = 0..libc::CPU_SETSIZE as usize;
    // SAFETY: the numbers are below the size of the set.
    Ok(numbers.filter(|&number| unsafe { libc::CPU_ISSET(number, &set) }).collect())
}

/// Lets the calling thread run on this processor alone.
fn bind_to(processor: usize) -> io::Result<()> {
    // SAFETY: all-zero is a valid, empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the number comes from such a set; the set lives through the call; 0 is the calling thread.
    let result = unsafe {
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
