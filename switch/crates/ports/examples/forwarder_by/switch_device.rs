//! The switch's own input, by a ring or by `recvmmsg`, and output, by `sendmmsg`.

use std::io;
use std::os::fd::RawFd;

use ports::Device;

use crate::Interface;

/// The switch's device.
pub struct SwitchDevice(Device);

impl SwitchDevice {
    /// Opens it as a switch does.
    pub fn open(interface: &str, ring_bytes: Option<usize>) -> io::Result<Self> {
        Device::interface(interface, false, ring_bytes).map(Self).map_err(io::Error::other)
    }
}

impl Interface for SwitchDevice {
    fn fd(&self) -> RawFd {
        self.0.fd()
    }

    fn receive(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        self.0.receive(|frame, _| sink(frame))?;
        Ok(())
    }

    fn send(&mut self, frame: &[u8]) {
        // A full buffer drops, as in a switch.
        let _ = self.0.send(frame);
    }

    fn flush(&mut self) {
        let _ = self.0.flush();
    }
}
