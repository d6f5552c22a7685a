//! Ports whose interface is slower than what it gets: a queueing discipline of the kernel holds frames, and the socket has no room for more.
//!
//! BMv2 waits in such a case, and its egress queues fill. Here only the port's queue stops, until the socket has room: programs see it grow
//! (`enq_qdepth`), and other ports go on.

use crate::core::Core;
use crate::port::{Direction, End};

/// Which ports those are.
#[derive(Debug, Default)]
pub(crate) struct Blocked {
    pub(crate) ports: Vec<usize>,
    /// Whether that has changed since the loop last looked.
    pub(crate) is_news: bool,
}

impl Core {
    /// The queues of ports that are blocked from now on keep what they have; those before `known` are held already.
    #[cold]
    pub(crate) fn hold_blocked(&mut self, known: usize) {
        self.blocked_mut().is_news = true;
        let new: Vec<usize> = self.blocked().ports.iter().skip(known).copied().collect();
        for index in new {
            if let Some(port) = self.ports.get_mut(index) {
                port.egress.hold(true, 0);
            }
            self.reschedule(index, Direction::Egress);
        }
    }

    /// The socket of a blocked port has room.
    pub(crate) fn unblock(&mut self, index: usize, now_ns: u64) {
        let Some(port) = self.ports.get_mut(index) else { return };
        if let End::Device(device) = &mut port.end {
            port.device_drops += device.retry();
            if device.is_blocked() {
                return;
            }
        }
        self.let_go(index, now_ns);
    }

    /// A port's queue is held no longer, whatever its interface does.
    pub(crate) fn let_go(&mut self, index: usize, now_ns: u64) {
        let blocked = self.blocked_mut();
        let before = blocked.ports.len();
        blocked.ports.retain(|port| *port != index);
        if blocked.ports.len() == before {
            return;
        }
        blocked.is_news = true;
        if let Some(port) = self.ports.get_mut(index) {
            port.egress.hold(false, now_ns);
        }
        self.reschedule(index, Direction::Egress);
    }
}
