//! TAP devices: the switch's end of a host's interface.

use std::ffi::{CStr, CString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

use crate::{Netns, PortError};

/// An attached TAP device. The device itself exists before and after; dropping this only lets go of it.
#[derive(Debug)]
pub struct Tap {
    file: File,
}

impl Tap {
    /// Attaches to the TAP device `device` in `netns`.
    pub fn open(device: &str, netns: &Netns) -> Result<Self, PortError> {
        let name = interface_name(device)?;
        netns.run(|| {
            // TUNSETIFF would quietly create a missing device, which nobody would then remove.
            // SAFETY: `name` is a NUL-terminated string that lives through the call.
            if unsafe { libc::if_nametoindex(name.as_ptr()) } == 0 {
                return Err(PortError::NoInterface { interface: device.into(), namespace: netns.to_string() });
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
                .open("/dev/net/tun")
                .map_err(|source| PortError::System {
                    interface: device.into(),
                    what: "cannot open /dev/net/tun",
                    source,
                })?;
            let mut request = request_for(&name);
            request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
            // SAFETY: TUNSETIFF reads and writes one ifreq, which lives through the call.
            if unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request) } != 0 {
                let source = io::Error::last_os_error();
                return Err(match source.raw_os_error() {
                    Some(libc::EBUSY) => PortError::Busy(device.into()),
                    Some(libc::EINVAL) => PortError::NotTap(device.into()),
                    _ => {
                        PortError::System { interface: device.into(), what: "cannot attach to the TAP device", source }
                    }
                });
            }
            Ok(Self { file })
        })
    }

    pub(crate) fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// From now on a read waits for a frame: a ring does not wait for descriptors that would not.
    pub(crate) fn block(&self) -> io::Result<()> {
        // SAFETY: no pointers. The flags are those of `open`.
        if unsafe { libc::fcntl(self.fd(), libc::F_SETFL, libc::O_RDWR) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Whether the interface is up, wherever it has been moved: the kernel says that frames can be written only then.
    pub(crate) fn is_up(&self) -> bool {
        let mut entry = libc::pollfd { fd: self.fd(), events: libc::POLLOUT, revents: 0 };
        // SAFETY: one entry, which lives through the call; it does not wait.
        unsafe { libc::poll(&raw mut entry, 1, 0) >= 0 && entry.revents & libc::POLLOUT != 0 }
    }

    /// Reads one frame; `WouldBlock` if there is none.
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }

    /// Writes one frame.
    pub(crate) fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.file.write(frame).map(drop)
    }
}

/// A request about the interface of that name.
pub(crate) fn request_for(name: &CStr) -> libc::ifreq {
    // SAFETY: all-zero is a valid ifreq.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.to_bytes()) {
        *to = *from as libc::c_char;
    }
    request
}

/// Checks a name as the kernel does.
pub(crate) fn interface_name(name: &str) -> Result<CString, PortError> {
    let bad = || PortError::BadName(name.to_owned());
    let good_length = (1..libc::IFNAMSIZ).contains(&name.len());
    if !good_length || name.contains(|c: char| c == '/' || c.is_whitespace()) {
        return Err(bad());
    }
    CString::new(name).map_err(|_| bad())
}
