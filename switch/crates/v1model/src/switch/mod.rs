//! The switch: packets in, packets out.

mod paths;

use std::collections::HashSet;
use std::sync::Arc;

use crate::code::Program;
use crate::packet::Packet;
use crate::state::{Chosen, Memory, ProfileState, Replication, TableState, index_for, insert_entry};
use crate::traffic::{Frame, QueueInfo, TrafficManager};
use crate::types::SwitchStats;

/// The settings of a switch, which it gets once.
#[derive(Debug, Clone)]
pub struct SwitchConfig {
    /// Frames sent to this port go to the controller; frames received on it are packet-outs. `None`: no such port.
    pub cpu_port: Option<u16>,
    /// The port that means "drop" (BMv2's `--drop-port`).
    pub drop_port: u16,
    /// `now_ns` at which the switch's timestamps (µs) are zero.
    pub epoch_ns: u64,
    /// Seed of `random()`.
    pub seed: u64,
    /// Queues of each port, 1 to 8: a packet of a priority that has none is dropped, as BMv2 does.
    pub priority_queues: u8,
}

impl Default for SwitchConfig {
    fn default() -> Self {
        Self { cpu_port: None, drop_port: 511, epoch_ns: 0, seed: 0, priority_queues: 8 }
    }
}

/// Packets and frame buffers kept for reuse.
const POOL: usize = 4_096;

/// One v1model switch. No I/O, no threads, no clock: the same calls always have the same results.
#[derive(Debug)]
pub struct Switch {
    pub(crate) config: SwitchConfig,
    pub(crate) program: Option<Arc<Program>>,
    /// Counts loads: packets of an earlier program are recognised by it.
    generation: u64,
    pub(crate) memory: Memory,
    pub(crate) tables: Vec<TableState>,
    pub(crate) profiles: Vec<ProfileState>,
    /// Ports that watch ports must not choose; outlives programs.
    pub(crate) ports_down: HashSet<u16>,
    pub(crate) replication: Replication,
    /// Boxed, because that is how the traffic manager gets and returns them.
    #[allow(clippy::vec_box)]
    packets: Vec<Box<Packet>>,
    buffers: Vec<Vec<u8>>,
    /// Metadata that is carried over to a resubmitted or recirculated packet.
    preserved: Vec<u64>,
    /// Whether a packet of a priority without queue has been told.
    told_priority: bool,
}

impl Switch {
    /// A switch without a program: it drops everything until [`load`](Self::load).
    #[must_use]
    pub fn new(config: SwitchConfig) -> Self {
        Self {
            config,
            program: None,
            generation: 0,
            memory: Memory::default(),
            tables: Vec::new(),
            profiles: Vec::new(),
            ports_down: HashSet::new(),
            replication: Replication::default(),
            packets: Vec::new(),
            buffers: Vec::new(),
            preserved: Vec::new(),
            told_priority: false,
        }
    }

    /// Puts a program in. All state of the former one goes: tables, counters, registers, multicast groups, clone
    /// sessions, statistics. Packets of the former program that are still queued are dropped when they come to
    /// [`egress`](Self::egress).
    pub fn load(&mut self, program: Arc<Program>) {
        self.generation += 1;
        let tracer = self.memory.tracer.take();
        self.memory = Memory { tracer, ..Memory::new(&program, self.config.seed) };
        self.replication = Replication::default();
        let profile = || ProfileState { ports_down: self.ports_down.clone(), ..ProfileState::default() };
        self.profiles = program.action_profiles.iter().map(|_| profile()).collect();
        self.tables = program.tables.iter().map(|info| TableState::new(index_for(&program, info.id))).collect();
        for (info, state) in program.tables.iter().zip(&mut self.tables) {
            state.default = program.table_code[info.id.index()].default.clone().map(Chosen::Call);
            for entry in &program.initial_entries[info.id.index()] {
                // These were inserted once when the program was read, so they are known to be right.
                let _ = insert_entry(&program, info.id, state, entry.clone(), 0, info.const_entries);
            }
        }
        self.program = Some(program);
    }

    /// The loaded program.
    #[must_use]
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    /// The settings that the switch got when it was made.
    #[must_use]
    pub fn config(&self) -> &SwitchConfig {
        &self.config
    }

    /// Counts since the program was loaded.
    #[must_use]
    pub fn stats(&self) -> SwitchStats {
        self.memory.stats
    }

    /// A frame (Ethernet, without FCS) has come in by `ingress_port`: parses it, runs ingress, replicates, and enqueues
    /// every copy with `tm`. A P4Runtime packet-out is a frame received on the CPU port.
    pub fn receive(&mut self, frame: &[u8], ingress_port: u16, now_ns: u64, tm: &mut dyn TrafficManager) {
        self.memory.stats.received += 1;
        self.receive_frame(frame, ingress_port, now_ns, tm);
    }

    /// A queue has released a packet: runs egress and the deparser. `None` if the program dropped it or sent it elsewhere
    /// (recirculation enqueues it again with `tm`, egress clones too).
    pub fn egress(
        &mut self,
        packet: Box<Packet>,
        queue: &QueueInfo,
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) -> Option<Frame> {
        let frame = self.egress_packet(packet, queue, now_ns, tm);
        self.memory.stats.sent += u64::from(frame.is_some());
        frame
    }

    /// Takes back the memory of a packet that a queue has thrown away.
    pub fn recycle(&mut self, packet: Box<Packet>) {
        if self.packets.len() < POOL {
            self.packets.push(packet);
        }
    }

    /// Takes back the buffer of a frame that has been sent.
    pub fn recycle_frame(&mut self, data: Vec<u8>) {
        if self.buffers.len() < POOL {
            self.buffers.push(data);
        }
    }
}
