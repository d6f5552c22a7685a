//! The switch with queues that hold nothing, or packets until they are asked to leave.

use std::collections::{BTreeMap, VecDeque};
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

/// A packet that waits in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// By which it is asked to leave.
    pub number: u64,
    /// The port whose queue it is.
    pub port: u16,
    /// Where it waits.
    pub place: Place,
}

/// A switch whose queues are empty at once, except for packets that [`Simulator::arrive`] lets wait.
#[derive(Debug)]
pub struct Simulator {
    /// The switch, for the control plane.
    pub switch: Switch,
    program: Arc<Program>,
    queue: Queue,
    held: BTreeMap<u64, (u64, Box<Packet>)>,
    arrived: u64,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<(u16, Place, Box<Packet>)>,
    taken: usize,
}

impl TrafficManager for Queue {
    fn enqueue(&mut self, egress_port: u16, place: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        self.taken += 1;
        if self.taken > MAX_PACKETS {
            return Err(packet);
        }
        self.waiting.push_back((egress_port, place, packet));
        Ok(())
    }
}

impl Simulator {
    /// A switch that runs a program.
    #[must_use]
    pub fn new(program: Arc<Program>, config: SwitchConfig) -> Self {
        let mut switch = Switch::new(config);
        switch.load(Arc::clone(&program));
        Self { switch, program, queue: Queue::default(), held: BTreeMap::new(), arrived: 0 }
    }

    /// Back to the state after loading.
    pub fn reset(&mut self) {
        self.held.clear();
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
        self.empty_queue(info, leaves_ns, &mut out);
    }

    /// Sends a frame in as far as the queues; returns the packets that wait there from now on.
    pub fn arrive(&mut self, port: u16, frame: &[u8], now_ns: u64) -> Vec<Held> {
        self.queue.taken = 0;
        self.switch.receive(frame, port, now_ns, &mut self.queue);
        let mut held = Vec::new();
        while let Some((port, place, packet)) = self.queue.waiting.pop_front() {
            held.push(Held { number: self.arrived, port, place });
            self.held.insert(self.arrived, (now_ns, packet));
            self.arrived += 1;
        }
        held
    }

    /// Takes a packet out that waits, which finds `queue` then except for times; returns the frames that come out, or nothing if there is
    /// no such packet. Copies of its egress leave with it.
    pub fn leave(&mut self, number: u64, now_ns: u64, queue: QueueInfo) -> Option<Vec<Sent>> {
        let (enq_time_ns, packet) = self.held.remove(&number)?;
        self.queue.taken = 0;
        self.queue.waiting.push_back((0, Place::default(), packet));
        let info = QueueInfo { enq_time_ns, deq_timedelta_ns: now_ns.saturating_sub(enq_time_ns), ..queue };
        let mut sent = Vec::new();
        self.empty_queue(info, now_ns, &mut |port, data: &[u8]| sent.push(Sent { port, data: data.to_vec() }));
        Some(sent)
    }

    /// Lets all that waits pass egress, also what that adds.
    fn empty_queue(&mut self, info: QueueInfo, now_ns: u64, out: &mut impl FnMut(u16, &[u8])) {
        while let Some((_, _, packet)) = self.queue.waiting.pop_front() {
            if let Some(frame) = self.switch.egress(packet, &info, now_ns, &mut self.queue) {
                out(frame.port, &frame.data);
                self.switch.recycle_frame(frame.data);
            }
        }
    }
}
