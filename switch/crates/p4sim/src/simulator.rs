//! The switch with queues that hold nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use v1model::{Packet, Place, Program, QueueInfo, Switch, SwitchConfig, TrafficManager};

/// Packets one request may put into queues: a program that recirculates for ever ends here.
const MAX_PACKETS: usize = 10_000;

/// A frame that came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The port it left by.
    pub port: u16,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// A switch whose queues are empty at once.
#[derive(Debug)]
pub struct Simulator {
    /// The switch, for the control plane.
    pub switch: Switch,
    program: Arc<Program>,
    queue: Queue,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<(u16, Box<Packet>)>,
    taken: usize,
}

impl TrafficManager for Queue {
    fn enqueue(&mut self, egress_port: u16, _: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        self.taken += 1;
        if self.taken > MAX_PACKETS {
            return Err(packet);
        }
        self.waiting.push_back((egress_port, packet));
        Ok(())
    }
}

impl Simulator {
    /// A switch that runs a program.
    #[must_use]
    pub fn new(program: Arc<Program>, config: SwitchConfig) -> Self {
        let mut switch = Switch::new(config);
        switch.load(Arc::clone(&program));
        Self { switch, program, queue: Queue::default() }
    }

    /// Back to the state after loading.
    pub fn reset(&mut self) {
        self.switch.load(Arc::clone(&self.program));
    }

    /// Sends a frame in and returns the frames that come out, in order. Time stands still meanwhile, at `now_ns`.
    pub fn send(&mut self, port: u16, frame: &[u8], now_ns: u64) -> Vec<Sent> {
        let mut sent = Vec::new();
        self.send_each(port, frame, now_ns, |port, data| sent.push(Sent { port, data: data.to_vec() }));
        sent
    }

    /// [`send`](Self::send) without copying the frames.
    pub fn send_each(&mut self, port: u16, frame: &[u8], now_ns: u64, out: impl FnMut(u16, &[u8])) {
        self.send_through(port, frame, now_ns, QueueInfo::default(), out);
    }

    /// [`send_each`](Self::send_each) as if the packet had found `queue` on its way, and waited there. When it was enqueued is `now_ns`
    /// whatever `queue` says.
    pub fn send_through(
        &mut self,
        port: u16,
        frame: &[u8],
        now_ns: u64,
        queue: QueueInfo,
        mut out: impl FnMut(u16, &[u8]),
    ) {
        self.queue.taken = 0;
        self.switch.receive(frame, port, now_ns, &mut self.queue);
        let info = QueueInfo { enq_time_ns: now_ns, ..queue };
        let leaves_ns = now_ns.saturating_add(info.deq_timedelta_ns);
        while let Some((_, packet)) = self.queue.waiting.pop_front() {
            if let Some(frame) = self.switch.egress(packet, &info, leaves_ns, &mut self.queue) {
                out(frame.port, &frame.data);
                self.switch.recycle_frame(frame.data);
            }
        }
    }
}
