//! Which processors there are for this process, and running on one of them alone.

use std::io;

/// Numbers of the processors that this process may use.
pub(crate) fn own_processors() -> io::Result<Vec<usize>> {
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
pub(crate) fn bind_to(processor: usize) -> io::Result<()> {
    // SAFETY: all-zero is a valid, empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the number comes from such a set; the set lives through the call; 0 is the calling thread.
    let result = unsafe {
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
