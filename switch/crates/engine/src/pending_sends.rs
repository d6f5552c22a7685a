//! Frames that devices have been given and have not sent yet: they go out together, at the latest when the round ends.

use ports::clock;

use crate::blocked_ports::BlockedPorts;
use crate::port::{End, Port};

/// Frames that go out together at most: none waits for long.
const MOST: usize = 32;

/// The ports whose frames are to be sent.
#[derive(Debug, Default)]
pub(crate) struct PendingSends {
    /// Ports whose neighbours get a frame, with the frame's model time.
    outside: Vec<(usize, u64)>,
    /// Ports whose switch is a process of its own and gets a frame.
    to_switch: Vec<usize>,
}

impl PendingSends {
    /// The device of a port keeps a frame that was to go out at `at_ns`.
    pub(crate) fn note(&mut self, port: usize, at_ns: u64) {
        self.outside.push((port, at_ns));
    }

    /// The device on the switch's side of a port keeps a frame.
    pub(crate) fn note_to_switch(&mut self, port: usize) {
        self.to_switch.push(port);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.outside.len() + self.to_switch.len() >= MOST
    }

    /// Sends everything, and counts its lateness and the refused frames. Ports whose device takes no more are added to
    /// `blocked`.
    pub(crate) fn send(&mut self, ports: &mut [Port], blocked: &mut BlockedPorts) {
        for index in self.to_switch.drain(..) {
            if let Some(port) = ports.get_mut(index)
                && let Some(device) = &mut port.switch_side
            {
                port.device_drops += device.flush();
            }
        }
        if self.outside.is_empty() {
            return;
        }
        for (index, _) in &self.outside {
            if let Some(port) = ports.get_mut(*index)
                && let End::Device(device) = &mut port.end
            {
                port.device_drops += device.flush();
                if device.is_blocked() {
                    blocked.add(*index);
                }
            }
        }
        let now_ns = clock::monotonic_ns();
        for (index, at_ns) in self.outside.drain(..) {
            if let Some(port) = ports.get_mut(index) {
                port.egress_lateness.record(now_ns.saturating_sub(at_ns));
            }
        }
    }
}
