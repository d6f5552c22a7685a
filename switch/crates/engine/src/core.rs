//! What the forwarding thread owns, and the processing of events in model time.

use std::sync::Arc;

use links::{Dequeued, Event};
use ports::clock;
use tokio::sync::mpsc;
use v1model::{Packet, QueueInfo, Switch, TrafficManager};

use crate::added_port::DeviceChange;
use crate::agenda::{Agenda, NEVER};
use crate::blocked::Blocked;
use crate::config::AddedPorts;
use crate::flow::{FlowKey, flow_of};
use crate::frames::{Recording, Way};
use crate::handle::{ControlCtx, EngineError, SwitchEvent};
use crate::port::{Content, Direction, End, Port, Queued, link_number, link_of};
use crate::queue_settings::QueueSettings;
use crate::slack::{Slack, slack_of};
use crate::unsent::Unsent;

/// A switch and those who listen to it.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) name: Arc<str>,
    pub(crate) device_id: u64,
    pub(crate) switch: Switch,
    pub(crate) cpu_port: Option<u16>,
    /// Index into the engine's ports for each port number; the port to nowhere for those that are not configured.
    pub(crate) ports: PortMap,
    pub(crate) packet_in: Vec<mpsc::Sender<Vec<u8>>>,
    pub(crate) packet_in_lost: u64,
    pub(crate) events: Vec<mpsc::Sender<SwitchEvent>>,
    /// Who gets the trace of chosen packets.
    pub(crate) trace: Option<std::sync::mpsc::SyncSender<Vec<v1model::TraceEvent>>>,
    /// Model time the switch has seen last: it never sees it go backwards.
    pub(crate) now_ns: u64,
    /// What the commands of `simple_switch_CLI` remember.
    pub(crate) cli: ::runtime_cli::Session,
    /// What ports are like that come while it runs, if they may.
    pub(crate) added_ports: Option<AddedPorts>,
    /// What its commands have set for queues.
    pub(crate) queues: QueueSettings,
}

/// Port numbers to indexes.
#[derive(Debug)]
pub(crate) struct PortMap {
    pub(crate) by_number: Vec<Option<usize>>,
    pub(crate) nowhere: usize,
}

impl PortMap {
    pub(crate) fn index(&self, number: u16) -> usize {
        self.by_number.get(usize::from(number)).copied().flatten().unwrap_or(self.nowhere)
    }

    pub(crate) fn enter(&mut self, number: u16, index: usize) {
        let number = usize::from(number);
        if self.by_number.len() <= number {
            self.by_number.resize(number + 1, None);
        }
        self.by_number[number] = Some(index);
    }
}

/// Everything the forwarding thread owns.
pub(crate) struct Core {
    pub(crate) nodes: Vec<Node>,
    pub(crate) ports: Vec<Port>,
    pub(crate) recording: Recording,
    agenda: Agenda,
    /// Latest time each link's next event may be processed at: model time plus slack.
    deadlines: Vec<u64>,
    slack: Vec<Slack>,
    buffers: Vec<Vec<u8>>,
    unsent: Unsent,
    /// Ports whose interface takes nothing at the moment.
    blocked: Blocked,
    running: bool,
    device_changes: Vec<DeviceChange>,
}

/// Buffers kept for reuse.
const MAX_BUFFERS: usize = 4096;

impl Core {
    pub(crate) fn new(nodes: Vec<Node>, ports: Vec<Port>, recording: Recording) -> Self {
        let links = ports.len() * 2;
        let slack = slack_of(&ports, nodes.len());
        Self {
            nodes,
            ports,
            recording,
            agenda: Agenda::new(links),
            deadlines: vec![NEVER; links],
            slack,
            buffers: Vec::new(),
            unsent: Unsent::default(),
            blocked: Blocked::default(),
            running: true,
            device_changes: Vec::new(),
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
        self.deadlines.iter().copied().min().unwrap_or(NEVER)
    }

    /// Takes what has come in at a port's device: from outside for the ingress link, from a switch that is a process of its
    /// own for the egress link. Returns false if the device is gone.
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
        self.hand_out_digests();
        self.hand_out_traces();
        is_all
    }

    fn events(&mut self, until_ns: u64, budget: usize) -> bool {
        for _ in 0..budget {
            let Some((at_ns, link)) = self.agenda.due(until_ns) else { return true };
            let (port, direction) = link_of(link);
            match direction {
                Direction::Egress => self.egress_event(port, at_ns, until_ns),
                Direction::Ingress => self.ingress_event(port, at_ns, until_ns),
            }
            self.reschedule(port, direction);
            if self.unsent.is_full() {
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
                        self.unsent.note(index, at_ns);
                    } else {
                        port.egress_lateness.record(clock::monotonic_ns().saturating_sub(at_ns));
                    }
                    self.recycle(index, frame);
                }
                End::Peer(peer) => {
                    let slack = self.slack.get(index).map_or(0, |slack| slack.egress_deliver_ns);
                    port.egress_lateness.record(real_ns.saturating_sub(at_ns.saturating_add(slack)));
                    let peer = *peer;
                    self.ingress(peer, &frame, at_ns);
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
                let slack = self.slack.get(index).map_or(0, |slack| slack.ingress_deliver_ns);
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
                self.unsent.note_to_switch(index);
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
            agenda: &mut self.agenda,
            deadlines: &mut self.deadlines,
            slack: &self.slack,
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
            agenda: &mut self.agenda,
            deadlines: &mut self.deadlines,
            slack: &self.slack,
            now_ns: node.now_ns,
            flow,
        };
        node.switch.egress(packet, info, node.now_ns, &mut queues).map(|frame| frame.data)
    }

    fn send_unsent(&mut self) {
        let known = self.blocked.ports.len();
        self.unsent.send(&mut self.ports, &mut self.blocked.ports);
        if self.blocked.ports.len() > known {
            self.hold_blocked(known);
        }
    }

    pub(crate) fn reschedule(&mut self, index: usize, direction: Direction) {
        if let Some(port) = self.ports.get(index) {
            schedule(port, index, direction, &mut self.agenda, &mut self.deadlines, &self.slack);
        }
    }

    /// After a link's description has changed.
    pub(crate) fn links_changed(&mut self) {
        self.slack = slack_of(&self.ports, self.nodes.len());
        for index in 0..self.ports.len() {
            self.reschedule(index, Direction::Egress);
            self.reschedule(index, Direction::Ingress);
        }
    }

    /// After a port has come or gone.
    pub(crate) fn ports_changed(&mut self, change: DeviceChange) {
        while self.deadlines.len() < 2 * self.ports.len() {
            self.deadlines.push(NEVER);
            self.agenda.add_link();
        }
        self.links_changed();
        self.look_at_devices();
        self.device_changes.push(change);
    }

    pub(crate) fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    pub(crate) fn blocked_mut(&mut self) -> &mut Blocked {
        &mut self.blocked
    }

    /// What the loop has not followed yet.
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

    fn hand_out_digests(&mut self) {
        for node in &mut self.nodes {
            if node.switch.has_digests() {
                for digest in node.switch.take_digests() {
                    node.tell(&SwitchEvent::Digest(digest));
                }
            }
        }
    }

    /// Tells the switches which of their ports are up (the device and both directions of the link), for watch ports and
    /// backup replicas.
    pub(crate) fn look_at_devices(&mut self) {
        for port in &self.ports {
            let is_up = match &port.end {
                End::Device(device) => device.is_up(),
                End::Peer(_) => true,
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
            if !node.events.is_empty() {
                node.now_ns = node.now_ns.max(now_ns);
                for entry in node.switch.take_idle_timeouts(node.now_ns) {
                    node.tell(&SwitchEvent::IdleTimeout(entry));
                }
            }
        }
    }
}

impl Node {
    fn packet_in(&mut self, frame: Vec<u8>) {
        let Self { packet_in, packet_in_lost, name, .. } = self;
        let mut frame = Some(frame);
        let last = packet_in.len().saturating_sub(1);
        let mut index = 0;
        packet_in.retain(|subscriber| {
            // The last one gets the frame itself, the others copies.
            let copy = if index == last { frame.take() } else { frame.clone() };
            index += 1;
            match subscriber.try_send(copy.unwrap_or_default()) {
                Ok(()) => true,
                Err(mpsc::error::TrySendError::Closed(_)) => false,
                Err(mpsc::error::TrySendError::Full(_)) => {
                    *packet_in_lost += 1;
                    if *packet_in_lost == 1 {
                        tracing::warn!(switch = %name, "the controller does not keep up: packet-ins are lost");
                    }
                    true
                }
            }
        });
    }

    fn tell(&mut self, event: &SwitchEvent) {
        // Digest lists and idle notifications are sent again by the switch's user; a full channel loses them.
        self.events.retain(|subscriber| {
            !matches!(subscriber.try_send(event.clone()), Err(mpsc::error::TrySendError::Closed(_)))
        });
    }
}

/// The queues as a switch sees them while it processes one packet.
struct Queues<'a> {
    ports: &'a mut [Port],
    map: &'a PortMap,
    agenda: &'a mut Agenda,
    deadlines: &'a mut [u64],
    slack: &'a [Slack],
    now_ns: u64,
    flow: Option<FlowKey>,
}

impl TrafficManager for Queues<'_> {
    fn enqueue(&mut self, egress_port: u16, priority: u8, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        let index = self.map.index(egress_port);
        let Some(port) = self.ports.get_mut(index) else { return Err(packet) };
        let bytes = packet.length();
        let queued = Queued { flow: self.flow, content: Content::Packet(packet) };
        if let Err(rejected) = port.egress.enqueue(self.now_ns, priority, bytes, queued) {
            if let Some(flow) = rejected.flow {
                port.flows.dropped(flow);
            }
            if let Content::Packet(packet) = rejected.content {
                return Err(packet);
            }
        }
        schedule(port, index, Direction::Egress, self.agenda, self.deadlines, self.slack);
        Ok(())
    }
}

/// Enters a link's next event into the agenda, and until when it may be put off.
fn schedule(
    port: &Port,
    index: usize,
    direction: Direction,
    agenda: &mut Agenda,
    deadlines: &mut [u64],
    slack: &[Slack],
) {
    let slack = slack.get(index).copied().unwrap_or_default();
    let ((dequeue, deliver), dequeue_slack, deliver_slack) = match direction {
        Direction::Egress => (port.egress.next_times_ns(), slack.egress_dequeue_ns, slack.egress_deliver_ns),
        Direction::Ingress => (port.ingress.next_times_ns(), slack.ingress_dequeue_ns, slack.ingress_deliver_ns),
    };
    let (dequeue, deliver) = (dequeue.unwrap_or(NEVER), deliver.unwrap_or(NEVER));
    let link = link_number(index, direction);
    agenda.set(link, dequeue.min(deliver));
    if let Some(deadline) = deadlines.get_mut(link) {
        *deadline = dequeue.saturating_add(dequeue_slack).min(deliver.saturating_add(deliver_slack));
    }
}

pub(crate) fn length_of(frame: &[u8]) -> u32 {
    u32::try_from(frame.len()).unwrap_or(u32::MAX)
}

const CATCH_UP_BUDGET: usize = 100_000;

#[cfg(test)]
mod tests;
