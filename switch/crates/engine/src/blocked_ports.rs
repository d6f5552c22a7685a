//! Ports whose interface is slower than its traffic: a queueing discipline of the kernel holds frames, and the socket
//! has no room for more.
//!
//! BMv2 waits in such a case, and its egress queues fill. Here only the port's queue stops, until the socket has room: programs see it grow
//! (`enq_qdepth`), and other ports go on.

use crate::port::{Direction, End, Port};
use crate::schedule::Schedule;

/// The blocked ports.
#[derive(Debug, Default)]
pub(crate) struct BlockedPorts {
    ports: Vec<usize>,
    /// Whether that has changed since it was last asked.
    is_changed: bool,
}

impl BlockedPorts {
    /// Their indexes.
    pub(crate) fn ports(&self) -> &[usize] {
        &self.ports
    }

    /// Their indexes, if they have changed since this was last asked.
    pub(crate) fn take_change(&mut self) -> Option<&[usize]> {
        std::mem::take(&mut self.is_changed).then_some(&self.ports)
    }

    /// A port takes no more.
    pub(crate) fn add(&mut self, index: usize) {
        if !self.ports.contains(&index) {
            self.ports.push(index);
        }
    }

    /// The queues of ports that are blocked from now on keep what they have; those before `known` are held already.
    #[cold]
    pub(crate) fn hold(&mut self, known: usize, ports: &mut [Port], schedule: &mut Schedule) {
        self.is_changed = true;
        for index in self.ports.iter().skip(known) {
            if let Some(port) = ports.get_mut(*index) {
                port.egress.hold(true, 0);
                schedule.enter(port, *index, Direction::Egress);
            }
        }
    }

    /// The socket of a blocked port has room.
    pub(crate) fn unblock(&mut self, index: usize, now_ns: u64, ports: &mut [Port], schedule: &mut Schedule) {
        let Some(port) = ports.get_mut(index) else { return };
        if let End::Device(device) = &mut port.end {
            port.device_drops += device.retry();
            if device.is_blocked() {
                return;
            }
        }
        self.let_go(index, now_ns, ports, schedule);
    }

    /// A port's queue is held no longer, whatever its interface does.
    pub(crate) fn let_go(&mut self, index: usize, now_ns: u64, ports: &mut [Port], schedule: &mut Schedule) {
        let before = self.ports.len();
        self.ports.retain(|port| *port != index);
        if self.ports.len() == before {
            return;
        }
        self.is_changed = true;
        if let Some(port) = ports.get_mut(index) {
            port.egress.hold(false, now_ns);
            schedule.enter(port, index, Direction::Egress);
        }
    }
}
