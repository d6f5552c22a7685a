//! The objects that the forwarding thread owns, and the processing of events in model time. The files below handle the
//! requests of control planes: they see its fields, nobody else does.

pub(crate) mod added_ports;
pub(crate) mod bmv2_control;
pub(crate) mod link_changes;
mod node;
pub(crate) mod program_state;
mod queues;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod trace;
mod windows;

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use links::{Dequeued, Event};
use ports::clock;
use tokio::sync::mpsc;
use v1model::{Packet, Place, QueueInfo, Switch, TrafficManager};

use crate::blocked_ports::BlockedPorts;
use crate::control_plane::{ControlCtx, EngineError, SwitchEvent};
use crate::flow::{FlowKey, flow_of};
use crate::frame_recording::Recording;
use crate::frame_way::Way;
use crate::pending_sends::PendingSends;
use crate::port::{Content, Direction, End, Port, Queued};
use crate::schedule::Schedule;
pub(crate) use node::{Node, PortMap};
use windows::Windows;

/// A change of a port's device, which the loop has to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceChange {
    /// The port of this index has a device.
    Came(usize),
    /// It has one no more.
    Went(usize),
}

/// Everything the forwarding thread owns.
pub(crate) struct Core {
    nodes: Vec<Node>,
    ports: Vec<Port>,
    recording: Recording,
    schedule: Schedule,
    buffers: Vec<Vec<u8>>,
    pending_sends: PendingSends,
    /// Ports whose interface takes nothing at the moment.
    blocked: BlockedPorts,
    running: bool,
    device_changes: Vec<DeviceChange>,
    /// Channels to the callers that wait for a sample out of turn.
    sample_wanted: Vec<SyncSender<()>>,
    windows: Windows,
}

/// Buffers kept for reuse.
const MAX_BUFFERS: usize = 4096;

impl Core {
    pub(crate) fn new(nodes: Vec<Node>, ports: Vec<Port>, recording: Recording) -> Self {
        let schedule = Schedule::new(&ports, nodes.len());
        let windows = Windows::of(&ports);
        Self {
            nodes,
            ports,
            recording,
            schedule,
            buffers: Vec::new(),
            pending_sends: PendingSends::default(),
            blocked: BlockedPorts::default(),
            running: true,
            device_changes: Vec::new(),
            sample_wanted: Vec::new(),
            windows,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running
    }

    pub(crate) fn stop(&mut self) {
        self.running = false;
    }

    /// When something has to be processed at the latest.
    pub(crate) fn deadline_ns(&self) -> u64 {
        self.schedule.deadline_ns()
    }

    /// Takes the frames that have come in at a port's device. Those from outside go to the ingress link, those from a
    /// switch that is a process of its own go to the egress link. Returns false if the device is gone.
    pub(crate) fn receive(&mut self, index: usize, direction: Direction) -> bool {
        let Some(port) = self.ports.get_mut(index) else { return true };
        let alive = match direction {
            Direction::Ingress => port.receive_from_outside(&mut self.buffers, &mut self.recording),
            Direction::Egress => port.receive_from_switch(&mut self.buffers, &mut self.recording),
        };
        if !alive {
            self.let_go(index, clock::monotonic_ns());
        }
        self.reschedule(index, direction);
        alive
    }

    /// Counts frames that were sent to a port's device, or to its switch, and not taken.
    pub(crate) fn count_refused(&mut self, index: usize, frames: u64) {
        if let Some(port) = self.ports.get_mut(index) {
            port.device_drops += frames;
        }
    }

    /// Processes the events up to `until_ns` in the order of their times, at most `budget` of them. Says whether that
    /// was all.
    pub(crate) fn advance(&mut self, until_ns: u64, budget: usize) -> bool {
        let is_all = self.events(until_ns, budget);
        self.send_unsent();
        for node in &mut self.nodes {
            node.hand_out_digests();
        }
        for node in &mut self.nodes {
            node.hand_out_traces();
        }
        is_all
    }

    fn events(&mut self, until_ns: u64, budget: usize) -> bool {
        for _ in 0..budget {
            let Some((at_ns, port, direction)) = self.schedule.due(until_ns) else { return true };
            match direction {
                Direction::Egress => self.egress_event(port, at_ns, until_ns),
                Direction::Ingress => self.ingress_event(port, at_ns, until_ns),
            }
            self.reschedule(port, direction);
            if self.pending_sends.is_full() {
                self.send_unsent();
            }
        }
        false
    }

    /// Catches up with the present, before something looks at or changes the state.
    pub(crate) fn catch_up(&mut self, now_ns: u64) {
        // A program that recirculates for ever would never let go.
        self.advance(now_ns, CATCH_UP_BUDGET);
    }

    fn egress_event(&mut self, index: usize, at_ns: u64, real_ns: u64) {
        let Some(port) = self.ports.get_mut(index) else { return };
        match port.egress.advance(at_ns) {
            None => {}
            Some(Event::Dequeued(dequeued)) => self.egress(index, dequeued),
            Some(Event::Delivered { frame, at_ns }) => match &mut port.end {
                End::Device(device) => {
                    if let Some(capture) = &mut port.capture {
                        capture.record(Way::Out, &frame, clock::monotonic_ns());
                    }
                    self.recording.note(port.recorded.neighbour, Way::In, &frame, at_ns);
                    port.device_drops += device.send(&frame);
                    if device.keeps_frames() {
                        self.pending_sends.note(index, at_ns);
                    } else {
                        port.egress_lateness.record(clock::monotonic_ns().saturating_sub(at_ns));
                    }
                    self.recycle(index, frame);
                }
                End::Peer(peer) => {
                    let slack = self.schedule.slack(index).egress_deliver_ns;
                    port.egress_lateness.record(real_ns.saturating_sub(at_ns.saturating_add(slack)));
                    let peer = *peer;
                    self.ingress(peer, &frame, at_ns);
                    self.recycle(index, frame);
                }
                End::Crossing(crossing) => {
                    port.device_drops += u64::from(!crossing.send(&frame, at_ns));
                    self.recycle(index, frame);
                }
                End::Cpu => {
                    let node = port.node;
                    self.recording.note(port.recorded.switch, Way::Out, &frame, at_ns);
                    self.nodes[node].packet_in(frame);
                }
                End::Nowhere => self.recycle(index, frame),
            },
        }
    }

    fn ingress_event(&mut self, index: usize, at_ns: u64, real_ns: u64) {
        let Some(port) = self.ports.get_mut(index) else { return };
        match port.ingress.advance(at_ns) {
            None => {}
            Some(Event::Dequeued(Dequeued { item, .. })) => {
                if let Err(lost) = port.ingress.transmit(item) {
                    self.keep(lost);
                }
            }
            Some(Event::Delivered { frame, at_ns }) => {
                let slack = self.schedule.slack(index).ingress_deliver_ns;
                port.ingress_lateness.record(real_ns.saturating_sub(at_ns.saturating_add(slack)));
                self.ingress(index, &frame, at_ns);
                self.keep(frame);
            }
        }
    }

    /// A frame arrives at a switch.
    fn ingress(&mut self, index: usize, frame: &[u8], at_ns: u64) {
        let Some(port) = self.ports.get_mut(index) else { return };
        self.recording.note(port.recorded.switch, Way::In, frame, at_ns);
        if let Some(device) = &mut port.switch_side {
            port.device_drops += device.send(frame);
            if device.keeps_frames() {
                self.pending_sends.note_to_switch(index);
            }
            return;
        }
        let (node, number) = (port.node, port.number);
        self.switch_receive(node, number, frame, at_ns);
    }

    fn switch_receive(&mut self, node: usize, number: u16, frame: &[u8], at_ns: u64) {
        let Some(node) = self.nodes.get_mut(node) else { return };
        node.now_ns = node.now_ns.max(at_ns);
        let mut queues = Queues {
            ports: &mut self.ports,
            map: &node.ports,
            schedule: &mut self.schedule,
            now_ns: node.now_ns,
            flow: flow_of(frame),
        };
        node.switch.receive(frame, number, node.now_ns, &mut queues);
    }

    /// A queue has released a packet: egress processing, then the transmitter.
    fn egress(&mut self, index: usize, dequeued: Dequeued<Queued>) {
        let info = QueueInfo {
            enq_time_ns: dequeued.enqueued_ns,
            enq_qdepth: dequeued.enqueue_depth,
            deq_timedelta_ns: dequeued.dequeued_ns - dequeued.enqueued_ns,
            deq_qdepth: dequeued.dequeue_depth,
            queue_bytes: dequeued.queue_bytes,
            port_packets: dequeued.port_packets,
            port_bytes: dequeued.port_bytes,
        };
        let Queued { content, flow } = dequeued.item;
        let frame = match content {
            Content::Frame(frame) => Some(frame),
            Content::Packet(packet) => self.switch_egress(index, packet, flow, &info, dequeued.dequeued_ns),
        };
        if let (Some(frame), Some(port)) = (frame, self.ports.get_mut(index)) {
            if port.is_reported() {
                self.recording.note(port.recorded.switch, Way::Out, &frame, dequeued.dequeued_ns);
            }
            if let Err(lost) = port.transmit(frame) {
                self.recycle(index, lost);
            }
        }
    }

    /// A frame that went through a port's egress link is no longer needed.
    fn recycle(&mut self, index: usize, frame: Vec<u8>) {
        match self.ports.get(index) {
            Some(port) if port.switch_side.is_none() => self.nodes[port.node].switch.recycle_frame(frame),
            _ => self.keep(frame),
        }
    }

    fn switch_egress(
        &mut self,
        index: usize,
        packet: Box<Packet>,
        flow: Option<FlowKey>,
        info: &QueueInfo,
        dequeued_ns: u64,
    ) -> Option<Vec<u8>> {
        let node = self.nodes.get_mut(self.ports.get(index)?.node)?;
        node.now_ns = node.now_ns.max(dequeued_ns);
        let mut queues = Queues {
            ports: &mut self.ports,
            map: &node.ports,
            schedule: &mut self.schedule,
            now_ns: node.now_ns,
            flow,
        };
        node.switch.egress(packet, info, node.now_ns, &mut queues).map(|frame| frame.data)
    }

    fn send_unsent(&mut self) {
        let known = self.blocked.ports().len();
        self.pending_sends.send(&mut self.ports, &mut self.blocked);
        if self.blocked.ports().len() > known {
            self.blocked.hold(known, &mut self.ports, &mut self.schedule);
        }
    }

    pub(crate) fn reschedule(&mut self, index: usize, direction: Direction) {
        if let Some(port) = self.ports.get(index) {
            self.schedule.enter(port, index, direction);
        }
    }

    /// After a link's description has changed.
    pub(crate) fn links_changed(&mut self) {
        self.schedule.links_changed(&self.ports, self.nodes.len());
    }

    /// After a port has come or gone.
    pub(crate) fn ports_changed(&mut self, change: DeviceChange) {
        self.links_changed();
        self.look_at_devices();
        self.device_changes.push(change);
    }

    /// Ports whose interface takes nothing at the moment.
    pub(crate) fn blocked(&self) -> &[usize] {
        self.blocked.ports()
    }

    /// The same, if that has changed since this was last asked.
    pub(crate) fn take_blocked_change(&mut self) -> Option<&[usize]> {
        self.blocked.take_change()
    }

    /// The socket of a blocked port has room.
    pub(crate) fn unblock(&mut self, index: usize, now_ns: u64) {
        self.blocked.unblock(index, now_ns, &mut self.ports, &mut self.schedule);
    }

    fn let_go(&mut self, index: usize, now_ns: u64) {
        self.blocked.let_go(index, now_ns, &mut self.ports, &mut self.schedule);
    }

    /// All ports.
    pub(crate) fn ports_mut(&mut self) -> &mut [Port] {
        &mut self.ports
    }

    /// The ports that samples are taken of, with their switches' names.
    pub(crate) fn sampled_ports(&mut self) -> impl Iterator<Item = (&Arc<str>, &mut Port)> {
        let nodes = &self.nodes;
        let ports = self.ports.iter_mut().filter(|port| port.is_reported());
        ports.filter_map(|port| Some((&nodes.get(port.node)?.name, port)))
    }

    /// Where frames are recorded.
    pub(crate) fn recording_mut(&mut self) -> &mut Recording {
        &mut self.recording
    }

    /// Requests a sample now; the caller is told by `written` when it is in the files.
    pub(crate) fn want_sample(&mut self, written: SyncSender<()>) {
        self.sample_wanted.push(written);
    }

    /// Takes the channels to the callers that wait for a sample out of turn.
    pub(crate) fn take_sample_wanted(&mut self) -> Vec<SyncSender<()>> {
        std::mem::take(&mut self.sample_wanted)
    }

    /// Takes the changes that the loop has not followed yet.
    pub(crate) fn take_device_changes(&mut self) -> Vec<DeviceChange> {
        std::mem::take(&mut self.device_changes)
    }

    fn keep(&mut self, buffer: Vec<u8>) {
        if self.buffers.len() < MAX_BUFFERS {
            self.buffers.push(buffer);
        }
    }

    fn node_index(&self, device_id: u64) -> Option<usize> {
        self.nodes.iter().position(|node| node.device_id == device_id)
    }

    pub(crate) fn packet_out(&mut self, device_id: u64, frame: &[u8], now_ns: u64) {
        let Some(node) = self.node_index(device_id) else { return };
        if let Some(cpu_port) = self.nodes[node].cpu_port {
            let port = self.nodes[node].ports.index(cpu_port);
            let interface = self.ports.get(port).and_then(|port| port.recorded.switch);
            self.recording.note(interface, Way::In, frame, now_ns);
            self.switch_receive(node, cpu_port, frame, now_ns);
        }
    }

    pub(crate) fn subscribe_packet_in(&mut self, device_id: u64, sender: mpsc::Sender<Vec<u8>>) {
        if let Some(node) = self.node_index(device_id) {
            self.nodes[node].packet_in.push(sender);
        }
    }

    pub(crate) fn subscribe_events(&mut self, device_id: u64, sender: mpsc::Sender<SwitchEvent>) {
        if let Some(node) = self.node_index(device_id) {
            self.nodes[node].events.push(sender);
        }
    }

    pub(crate) fn with_switch<R>(
        &mut self,
        device_id: u64,
        now_ns: u64,
        f: impl FnOnce(&mut Switch, &ControlCtx) -> R,
    ) -> Result<R, EngineError> {
        let index = self.node_index(device_id).ok_or(EngineError::UnknownDevice(device_id))?;
        let node = &mut self.nodes[index];
        node.now_ns = node.now_ns.max(now_ns);
        Ok(f(&mut node.switch, &ControlCtx { now_ns: node.now_ns }))
    }

    /// Tells the switches which of their ports are up (the device and both directions of the link), for watch ports and
    /// backup replicas.
    pub(crate) fn look_at_devices(&mut self) {
        for port in &self.ports {
            let is_up = match &port.end {
                End::Device(device) => device.is_up(),
                End::Peer(_) | End::Crossing(_) => true,
                End::Cpu | End::Nowhere => continue,
            };
            let is_up = is_up && self.is_link_up(port);
            if let Some(node) = self.nodes.get_mut(port.node) {
                node.switch.set_port_up(port.number, is_up);
            }
        }
    }

    fn is_link_up(&self, port: &Port) -> bool {
        let back = match &port.end {
            End::Peer(peer) => self.ports.get(*peer).is_none_or(|peer| peer.egress.config().up),
            _ => port.ingress.config().up,
        };
        back && port.egress.config().up
    }

    /// To be called about once a second.
    pub(crate) fn look_for_idle_entries(&mut self, now_ns: u64) {
        for node in &mut self.nodes {
            node.tell_idle_entries(now_ns);
        }
    }
}

/// The queues as a switch sees them while it processes one packet.
struct Queues<'a> {
    ports: &'a mut [Port],
    map: &'a PortMap,
    schedule: &'a mut Schedule,
    now_ns: u64,
    flow: Option<FlowKey>,
}

impl TrafficManager for Queues<'_> {
    fn enqueue(&mut self, egress_port: u16, place: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        let index = self.map.index(egress_port);
        let Some(port) = self.ports.get_mut(index) else { return Err(packet) };
        let bytes = packet.length();
        let queued = Queued { flow: self.flow, content: Content::Packet(packet) };
        let place = links::Place { queue: place.queue, rank: place.rank };
        if let Err(rejected) = port.egress.enqueue(self.now_ns, place, bytes, queued) {
            if let Some(flow) = rejected.flow {
                port.flows.dropped(flow);
            }
            if let Content::Packet(packet) = rejected.content {
                return Err(packet);
            }
        }
        self.schedule.enter(port, index, Direction::Egress);
        Ok(())
    }
}

const CATCH_UP_BUDGET: usize = 100_000;

#[cfg(test)]
mod tests;
