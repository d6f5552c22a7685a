//! System calls of a program that lives in the process of a user-mode kernel itself: it jumps there.
//!
//! Such a kernel runs one of its programs in its own process (`virtual_time/kernel/patches/0014`). Each system call of
//! that program is a signal, which takes as long as all else of the call; a jump does not
//! (`virtual_time/kernel/patches/0019`).

use std::io;

/// A system call that answers with an address. No Linux has one of this number.
const ASKS_FOR_CALL: libc::c_long = 0x1e0d;

/// The address in the kernel to jump to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelCall(usize);

impl KernelCall {
    /// `None`: this program has no such kernel.
    pub(crate) fn find() -> Option<Self> {
        if !cfg!(target_arch = "x86_64") || !crate::clock::is_virtual() {
            return None;
        }
        // SAFETY: it takes no arguments, and a kernel that does not know it answers with an error.
        let answer = unsafe { libc::syscall(ASKS_FOR_CALL) };
        usize::try_from(answer).ok().filter(|address| *address != 0).map(Self)
    }

    /// A system call.
    ///
    /// # Safety
    /// As for this system call with these arguments.
    #[cfg(target_arch = "x86_64")]
    pub(crate) unsafe fn call(self, number: libc::c_long, arguments: [usize; 6]) -> io::Result<usize> {
        let [first, second, third, fourth, fifth, sixth] = arguments;
        let result: isize;
        // SAFETY: the kernel keeps what a function keeps, and goes on at the address in rcx. If it wants the call to be
        // done again, it goes on at the instruction before, as after any system call.
        unsafe {
            std::arch::asm!(
                "lea rcx, [rip + 2f]",
                "jmp r11",
                "syscall",
                "2:",
                inlateout("rax") number => result,
                in("rdi") first,
                in("rsi") second,
                in("rdx") third,
                in("r10") fourth,
                in("r8") fifth,
                in("r9") sixth,
                in("r11") self.0,
                clobber_abi("sysv64"),
                options(nostack),
            );
        }
        if result < 0 { Err(io::Error::from_raw_os_error(-result as i32)) } else { Ok(result as usize) }
    }

    /// There is no such kernel for this processor.
    ///
    /// # Safety
    /// None is needed: it does nothing.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) unsafe fn call(self, _number: libc::c_long, _arguments: [usize; 6]) -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(libc::ENOSYS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_kernel_has_no_address_to_jump_to() {
        // SAFETY: as in `find`.
        assert_eq!(unsafe { libc::syscall(ASKS_FOR_CALL) }, -1);
        assert_eq!(io::Error::last_os_error().raw_os_error(), Some(libc::ENOSYS));
        assert!(KernelCall::find().is_none());
    }
}
