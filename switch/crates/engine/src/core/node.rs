//! A switch, its ports by their numbers, and its listeners.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};

use tokio::sync::mpsc;
use v1model::{Switch, TraceEvent};

use crate::config::AddedPorts;
use crate::control_plane::SwitchEvent;
use crate::queue_settings::QueueSettings;

/// A switch and its listeners.
#[derive(Debug)]
pub(crate) struct Node {
    pub(super) name: Arc<str>,
    pub(super) device_id: u64,
    pub(super) switch: Switch,
    pub(super) cpu_port: Option<u16>,
    /// Index into the engine's ports for each port number; the port to nowhere for those that are not configured.
    pub(super) ports: PortMap,
    pub(super) packet_in: Vec<mpsc::Sender<Vec<u8>>>,
    pub(super) packet_in_lost: u64,
    pub(super) events: Vec<mpsc::Sender<SwitchEvent>>,
    /// The channel for the trace of chosen packets.
    pub(super) trace: Option<SyncSender<Vec<TraceEvent>>>,
    /// Model time the switch has seen last: it never sees it go backwards.
    pub(super) now_ns: u64,
    /// The memory of its control plane by `simple_switch_CLI` and Thrift.
    pub(super) session: bmv2_runtime::Session,
    /// The settings of ports that come while it runs, if ports may come.
    pub(super) added_ports: Option<AddedPorts>,
    /// The settings of queues that its commands have made.
    pub(super) queues: QueueSettings,
}

/// Port numbers to indexes.
#[derive(Debug)]
pub(crate) struct PortMap {
    by_number: Vec<Option<usize>>,
    nowhere: usize,
}

impl PortMap {
    /// Of no port yet.
    pub(crate) fn new() -> Self {
        Self { by_number: Vec::new(), nowhere: 0 }
    }

    /// All other numbers lead to this port.
    pub(crate) fn set_nowhere(&mut self, index: usize) {
        self.nowhere = index;
    }

    /// The port of that number, or the one to nowhere.
    pub(super) fn index(&self, number: u16) -> usize {
        self.get(number).unwrap_or(self.nowhere)
    }

    /// The port of that number, if there is one.
    pub(super) fn get(&self, number: u16) -> Option<usize> {
        self.by_number.get(usize::from(number)).copied().flatten()
    }

    /// Takes a port away; gives its index, if there was one.
    pub(super) fn remove(&mut self, number: u16) -> Option<usize> {
        self.by_number.get_mut(usize::from(number)).and_then(Option::take)
    }

    pub(crate) fn enter(&mut self, number: u16, index: usize) {
        let number = usize::from(number);
        if self.by_number.len() <= number {
            self.by_number.resize(number + 1, None);
        }
        self.by_number[number] = Some(index);
    }
}

impl Node {
    /// A switch whose time begins at `now_ns`, with these ports.
    pub(crate) fn new(
        name: Arc<str>,
        device_id: u64,
        switch: Switch,
        cpu_port: Option<u16>,
        ports: PortMap,
        added_ports: Option<AddedPorts>,
        now_ns: u64,
    ) -> Self {
        Self {
            name,
            device_id,
            switch,
            cpu_port,
            ports,
            packet_in: Vec::new(),
            packet_in_lost: 0,
            events: Vec::new(),
            trace: None,
            now_ns,
            session: bmv2_runtime::Session::default(),
            added_ports,
            queues: QueueSettings::default(),
        }
    }

    /// The switch's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The index of a configured port.
    pub(crate) fn port(&self, number: u16) -> Option<usize> {
        self.ports.get(number)
    }

    /// Hands over the digests that the switch has filled.
    pub(super) fn hand_out_digests(&mut self) {
        if self.switch.has_digests() {
            for digest in self.switch.take_digests() {
                self.tell(&SwitchEvent::Digest(digest));
            }
        }
    }

    /// Tells of entries that have been idle for their time.
    pub(super) fn tell_idle_entries(&mut self, now_ns: u64) {
        if !self.events.is_empty() {
            self.now_ns = self.now_ns.max(now_ns);
            for entry in self.switch.take_idle_timeouts(self.now_ns) {
                self.tell(&SwitchEvent::IdleTimeout(entry));
            }
        }
    }

    /// Hands over the switch's notes on traced packets.
    pub(super) fn hand_out_traces(&mut self) {
        if self.trace.is_some() && self.switch.has_trace() {
            self.hand_out_trace();
        }
    }

    /// Gives a frame to all who have subscribed to packet-ins.
    pub(super) fn packet_in(&mut self, frame: Vec<u8>) {
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

    #[cold]
    fn hand_out_trace(&mut self) {
        let events = self.switch.take_trace();
        let sent = self.trace.as_ref().map(|sender: &SyncSender<_>| sender.try_send(events));
        if let Some(Err(TrySendError::Disconnected(_))) = sent {
            self.end_trace();
        }
    }

    pub(super) fn end_trace(&mut self) {
        self.switch.trace_off();
        self.trace = None;
    }
}
