//! The windows of time after which this kernel's switches and those of another one exchange frames (crossing.rs).

use super::Core;
use crate::agenda::NEVER;
use crate::port::{Direction, End, Port};
use crate::rounds;

/// The links to other kernels, and the end of the present window.
#[derive(Debug)]
pub(crate) struct Windows {
    /// Ports, by index.
    ports: Vec<usize>,
    /// The shortest delay of their links.
    length_ns: u64,
    end_ns: u64,
}

impl Windows {
    /// Of these ports; the first window ends at once.
    pub(super) fn of(ports: &[Port]) -> Self {
        let crossings = ports.iter().enumerate().filter_map(|(index, port)| match &port.end {
            End::Crossing(crossing) => Some((index, crossing.delay_ns())),
            _ => None,
        });
        let (ports, delays_ns): (Vec<_>, Vec<_>) = crossings.unzip();
        let length_ns = delays_ns.iter().copied().min().unwrap_or(NEVER);
        Self { end_ns: if ports.is_empty() { NEVER } else { 0 }, ports, length_ns }
    }
}

impl Core {
    /// When the present window ends.
    pub(crate) fn window_end_ns(&self) -> u64 {
        self.windows.end_ns
    }

    /// Ends the present window, if it is over: meets the other kernels, and takes their frames.
    pub(crate) fn end_window(&mut self, now_ns: u64) {
        if now_ns < self.windows.end_ns {
            return;
        }
        // The windows of all kernels end at the same times, whenever their switches were started.
        let end_ns = now_ns - now_ns % self.windows.length_ns;
        self.catch_up(end_ns.saturating_sub(1));
        self.each_crossing(|port, _| {
            if let End::Crossing(crossing) = &port.end {
                crossing.reach(end_ns)
            }
        });
        self.each_crossing(|port, buffers| {
            if let End::Crossing(crossing) = &port.end {
                crossing.wait(end_ns);
            }
            port.receive_from_other_kernel(end_ns, buffers);
        });
        for at in 0..self.windows.ports.len() {
            self.reschedule(self.windows.ports[at], Direction::Ingress);
        }
        self.windows.end_ns = rounds::next_ns(now_ns, self.windows.length_ns);
    }

    fn each_crossing(&mut self, mut f: impl FnMut(&mut Port, &mut Vec<Vec<u8>>)) {
        for index in &self.windows.ports {
            if let Some(port) = self.ports.get_mut(*index) {
                f(port, &mut self.buffers);
            }
        }
    }
}
