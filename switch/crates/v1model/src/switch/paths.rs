//! The ways of a packet through simple_switch: ingress, clones, resubmission, replication, egress, recirculation.

use std::sync::Arc;

use super::Switch;
use crate::code::Program;
use crate::exec::pipeline::Tables;
use crate::exec::run::Machine;
use crate::packet::{Packet, Requests, STEPS};
use crate::phv::{FieldLoc, append_bytes, limbs, store_u128};
use crate::trace::{TraceStep, note};
use crate::traffic::{Frame, Place, QueueInfo, TrafficManager};
use crate::types::{Digest, Replica};

/// `standard_metadata.instance_type`.
mod instance {
    pub const NORMAL: u64 = 0;
    pub const INGRESS_CLONE: u64 = 1;
    pub const EGRESS_CLONE: u64 = 2;
    pub const RECIRC: u64 = 4;
    pub const REPLICATION: u64 = 5;
    pub const RESUBMIT: u64 = 6;
}

/// How often a packet may be resubmitted in a row.
const MAX_RESUBMITS: u32 = 1_000;

fn set(phv: &mut [u64], field: Option<FieldLoc>, value: u64) {
    if let Some(loc) = &field {
        store_u128(phv, loc, u128::from(value));
    }
}

fn get(phv: &[u64], field: Option<FieldLoc>) -> u64 {
    field.map_or(0, |loc| crate::exec::env::load_field(phv, &loc))
}

impl Switch {
    fn now_us(&self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(self.config.epoch_ns) / 1_000
    }

    fn note(&mut self, packet: &Packet, now_ns: u64, step: TraceStep) {
        let now_us = self.now_us(now_ns);
        self.memory.note(packet.traced, now_us, step);
    }

    fn note_drop(&mut self, packet: &Packet, now_ns: u64, reason: &str) {
        if packet.traced != 0 {
            self.note(packet, now_ns, note::dropped(reason));
        }
    }

    fn take_packet(&mut self) -> Box<Packet> {
        let mut packet = self.packets.pop().unwrap_or_default();
        packet.generation = self.generation;
        packet
    }

    pub(super) fn receive_frame(&mut self, frame: &[u8], port: u16, now_ns: u64, tm: &mut dyn TrafficManager) {
        let Some(program) = self.program.take() else {
            return;
        };
        let mut packet = self.take_packet();
        let length = u32::try_from(frame.len()).unwrap_or(u32::MAX);
        packet.reset(program.layout.slots as usize, frame);
        packet.ingress_port = port;
        packet.ingress_length = length;
        packet.length = length;
        if let Some(tracer) = &mut self.memory.tracer {
            packet.traced = tracer.choose(port, frame);
            if packet.traced != 0 {
                self.note(&packet, now_ns, note::received(port, frame));
            }
        }
        let metadata = &program.metadata;
        let phv = &mut packet.phv;
        set(phv, metadata.ingress_port, u64::from(port));
        set(phv, metadata.packet_length, u64::from(length));
        set(phv, metadata.ingress_global_timestamp, self.now_us(now_ns));
        self.ingress(&program, packet, now_ns, tm);
        self.program = Some(program);
    }

    /// Parser, ingress, and the steps after it.
    fn ingress(&mut self, program: &Arc<Program>, mut packet: Box<Packet>, now_ns: u64, tm: &mut dyn TrafficManager) {
        let metadata = &program.metadata;
        for _ in 0..MAX_RESUBMITS {
            let length = packet.length;
            let mut machine = Machine {
                program,
                memory: &mut self.memory,
                now_us: now_ns.saturating_sub(self.config.epoch_ns) / 1_000,
                drop_port: self.config.drop_port,
            };
            machine.parse(&mut packet);
            machine.verify_checksums(&mut packet);
            let (error, checksum) = (packet.parser_error, packet.checksum_error);
            set(&mut packet.phv, metadata.parser_error, u64::from(error));
            set(&mut packet.phv, metadata.checksum_error, u64::from(checksum));
            if packet.traced != 0 {
                machine.note_checksums(&packet);
                machine.note(&packet, TraceStep::Ingress);
            }
            let mut tables = Tables { tables: &mut self.tables, profiles: &self.profiles, now_ns };
            machine.pipeline(&program.ingress, &program.source.ingress, &mut tables, &mut packet);
            packet.exit = false;
            if packet.killed {
                self.memory.stats.ingress_drops += 1;
                self.note_drop(&packet, now_ns, "in ingress: a failed assertion");
                return self.recycle(packet);
            }
            if let Some((session, list)) = packet.wants.clone.take() {
                self.ingress_clone(program, &packet, (session, list), length, now_ns, tm);
            }
            let digest = std::mem::take(&mut packet.wants.digest);
            if digest > 0 {
                self.digest(program, &packet, digest, now_ns);
            }
            let resubmit = packet.wants.resubmit;
            if resubmit == 0 {
                return self.send_on(program, packet, now_ns, tm);
            }
            if packet.traced != 0 {
                self.note(&packet, now_ns, TraceStep::Again { kind: "resubmit".to_owned() });
            }
            self.restart(program, &mut packet, resubmit, instance::RESUBMIT);
            packet.parsed = 0;
            packet.length = length;
            set(&mut packet.phv, metadata.packet_length, u64::from(length));
        }
        self.memory.stats.resubmit_limit_drops += 1;
        self.note_drop(&packet, now_ns, "in ingress: resubmitted too often");
        self.recycle(packet);
    }

    /// Multicast, drop or unicast.
    fn send_on(&mut self, program: &Arc<Program>, mut packet: Box<Packet>, now_ns: u64, tm: &mut dyn TrafficManager) {
        let metadata = &program.metadata;
        let group = get(&packet.phv, metadata.mcast_grp);
        if group != 0 {
            set(&mut packet.phv, metadata.instance_type, instance::REPLICATION);
            let replication = std::mem::take(&mut self.replication);
            let group_id = group as u32;
            let group = u16::try_from(group).ok().and_then(|g| replication.groups.get(&g));
            let replicas = group.map_or(&[][..], |g| &g.replicas);
            if packet.traced != 0 {
                self.note(&packet, now_ns, note::copied("multicast group", group_id, replicas));
            }
            self.replicate(program, packet, replicas, group.map_or(&[], |g| &g.backups), now_ns, tm);
            self.replication = replication;
            return;
        }
        let port = get(&packet.phv, metadata.egress_spec);
        if port == u64::from(self.config.drop_port) {
            self.memory.stats.ingress_drops += 1;
            self.note_drop(&packet, now_ns, "at the end of ingress: egress_spec is the drop port");
            return self.recycle(packet);
        }
        set(&mut packet.phv, metadata.instance_type, instance::NORMAL);
        self.enqueue(program, packet, port as u16, now_ns, tm);
    }

    fn enqueue(
        &mut self,
        program: &Program,
        mut packet: Box<Packet>,
        port: u16,
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) {
        packet.egress_port = port;
        let wanted = &program.metadata.traffic_manager;
        let place = Place {
            queue: get(&packet.phv, wanted.queue.or(program.metadata.priority)).min(u64::from(u16::MAX)) as u16,
            rank: get(&packet.phv, wanted.rank),
        };
        if wanted.queue.is_none() && place.queue >= u16::from(self.config.priority_queues) {
            return self.drop_priority(packet, place.queue, now_ns);
        }
        if packet.traced != 0 {
            let rank = wanted.rank.map(|_| place.rank);
            self.note(&packet, now_ns, TraceStep::Enqueued { port, priority: place.queue, rank });
        }
        if let Err(packet) = tm.enqueue(port, place, packet) {
            self.memory.stats.queue_rejects += 1;
            self.note_drop(&packet, now_ns, "at the queue: it is full, or there is no such port");
            self.recycle(packet);
        }
    }

    /// The port has no queue for it.
    #[cold]
    fn drop_priority(&mut self, packet: Box<Packet>, priority: u16, now_ns: u64) {
        self.memory.stats.queue_rejects += 1;
        if !std::mem::replace(&mut self.told_priority, true) {
            let queues = self.config.priority_queues;
            tracing::error!(
                "priority {priority} is out of range, the packet is dropped, as all that follow: --priority-queues is {queues}"
            );
        }
        self.note_drop(&packet, now_ns, &format!("at the queue: priority {priority} is out of range"));
        self.recycle(packet);
    }

    /// Enqueues a copy for each replica (or the first of its backups whose port is up); the last one is the packet itself.
    fn replicate(
        &mut self,
        program: &Arc<Program>,
        mut packet: Box<Packet>,
        replicas: &[Replica],
        backups: &[Vec<Replica>],
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) {
        let Some((last, others)) = replicas.split_last() else {
            return self.recycle(packet);
        };
        for (index, replica) in others.iter().enumerate() {
            let Some(replica) = self.replica(replica, backups.get(index)) else { continue };
            let mut copy = self.take_packet();
            copy.copy_from(&packet);
            set(&mut copy.phv, program.metadata.egress_rid, u64::from(replica.rid));
            self.enqueue(program, copy, replica.port, now_ns, tm);
        }
        let Some(last) = self.replica(last, backups.get(others.len())) else { return self.recycle(packet) };
        packet.truncated = usize::MAX;
        packet.wants = Requests::default();
        set(&mut packet.phv, program.metadata.egress_rid, u64::from(last.rid));
        self.enqueue(program, packet, last.port, now_ns, tm);
    }

    /// The replica, or the first of its backups whose port is up. Without backups the port's state does not matter: its
    /// queue sees to that.
    fn replica(&self, replica: &Replica, backups: Option<&Vec<Replica>>) -> Option<Replica> {
        match backups {
            Some(backups) if !backups.is_empty() => {
                let all = std::iter::once(replica).chain(backups);
                all.copied().find(|replica| !self.ports_down.contains(&replica.port))
            }
            _ => Some(*replica),
        }
    }

    /// A copy of the packet as it came to ingress, for egress.
    fn ingress_clone(
        &mut self,
        program: &Arc<Program>,
        packet: &Packet,
        (session, list): (u32, u32),
        length: u32,
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) {
        if !self.replication.sessions.contains_key(&session) {
            return;
        }
        let mut copy = self.take_packet();
        copy.reset(program.layout.slots as usize, packet.buffer.get(..packet.frame_len()).unwrap_or(&[]));
        copy.ingress_port = packet.ingress_port;
        copy.ingress_length = packet.ingress_length;
        copy.length = length;
        set(&mut copy.phv, program.metadata.ingress_port, u64::from(packet.ingress_port));
        let mut machine = Machine { program, memory: &mut self.memory, now_us: 0, drop_port: self.config.drop_port };
        machine.parse(&mut copy);
        copy.exit = false;
        copy.killed = false;
        copy.wants = Requests::default();
        copy.traced = packet.traced;
        self.send_clone(program, packet, copy, (session, list), instance::INGRESS_CLONE, now_ns, tm);
    }

    /// Gives a clone its metadata and enqueues it for each of the session's replicas.
    #[allow(clippy::too_many_arguments)]
    fn send_clone(
        &mut self,
        program: &Arc<Program>,
        original: &Packet,
        mut copy: Box<Packet>,
        (session, list): (u32, u32),
        instance_type: u64,
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) {
        copy.phv[..program.layout.metadata_slots as usize].fill(0);
        for field in program.field_lists.get(&list).into_iter().flatten() {
            let range = field.slot as usize..(field.slot + field.slots()) as usize;
            copy.phv[range.clone()].copy_from_slice(&original.phv[range]);
        }
        set(&mut copy.phv, program.metadata.instance_type, instance_type);
        let replication = std::mem::take(&mut self.replication);
        match replication.sessions.get(&session) {
            None => self.recycle(copy),
            Some(session) => {
                set(&mut copy.phv, program.metadata.priority, u64::from(session.class_of_service));
                let limit = match session.max_length {
                    0 => usize::MAX,
                    length => length as usize,
                };
                if copy.traced != 0 {
                    self.note(&copy, now_ns, note::copied("clone session", session.id, &session.replicas));
                }
                let tm = &mut Truncating { inner: tm, limit };
                self.replicate(program, copy, &session.replicas, &session.backups, now_ns, tm);
            }
        }
        self.replication = replication;
    }

    fn digest(&mut self, program: &Program, packet: &Packet, list: u32, now_ns: u64) {
        let Some(list) = program.learn_lists.get(&list) else {
            return;
        };
        let fields = list.fields.iter().map(|(header, loc)| {
            let bits = loc.bits(&packet.phv);
            let mut bytes = Vec::with_capacity(bits.div_ceil(8) as usize);
            append_bytes(&packet.phv[loc.data()..loc.data() + limbs(bits)], bits, &mut bytes);
            let metadata = program.layout.headers[*header as usize].metadata;
            (bytes, metadata || program.layout.is_valid(&packet.phv, *header))
        });
        if packet.traced != 0 {
            self.memory.note(packet.traced, self.now_us(now_ns), TraceStep::Digest { name: list.name.to_string() });
        }
        let digest = Digest { name: list.name.clone(), fields: fields.collect(), time_ns: now_ns };
        self.memory.push_digest(digest);
    }

    /// Makes the packet new for ingress: no headers, no metadata but the fields of the list.
    fn restart(&mut self, program: &Program, packet: &mut Packet, list: u32, instance_type: u64) {
        let list: &[FieldLoc] = program.field_lists.get(&list).map_or(&[], |l| l);
        self.preserved.clear();
        for field in list {
            self.preserved.extend_from_slice(&packet.phv[field.slot as usize..(field.slot + field.slots()) as usize]);
        }
        packet.phv.fill(0);
        let mut from = 0;
        for field in list {
            let count = field.slots() as usize;
            packet.phv[field.slot as usize..field.slot as usize + count]
                .copy_from_slice(&self.preserved[from..from + count]);
            from += count;
        }
        packet.truncated = usize::MAX;
        packet.wants = Requests::default();
        set(&mut packet.phv, program.metadata.instance_type, instance_type);
    }

    pub(super) fn egress_packet(
        &mut self,
        mut packet: Box<Packet>,
        queue: &QueueInfo,
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) -> Option<Frame> {
        if packet.generation != self.generation {
            self.recycle(packet);
            return None;
        }
        let program = self.program.take()?;
        let frame = self.egress_inner(&program, &mut packet, queue, now_ns, tm);
        match frame {
            Some(frame) if packet.wants.recirculate != 0 => {
                let list = packet.wants.recirculate;
                self.restart(&program, &mut packet, list, instance::RECIRC);
                let length = u32::try_from(frame.data.len()).unwrap_or(u32::MAX);
                packet.steps = STEPS;
                packet.set_frame(&frame.data);
                packet.ingress_length = length;
                packet.length = length;
                packet.exit = false;
                set(&mut packet.phv, program.metadata.packet_length, u64::from(length));
                self.recycle_frame(frame.data);
                if packet.traced != 0 {
                    self.note(&packet, now_ns, TraceStep::Again { kind: "recirculate".to_owned() });
                }
                self.ingress(&program, packet, now_ns, tm);
                self.program = Some(program);
                None
            }
            frame => {
                self.memory.stats.egress_drops += u64::from(frame.is_none());
                match &frame {
                    None => self.note_drop(&packet, now_ns, "in egress"),
                    Some(frame) if packet.traced != 0 => {
                        self.note(&packet, now_ns, note::sent(frame.port, &frame.data));
                    }
                    Some(_) => {}
                }
                self.recycle(packet);
                self.program = Some(program);
                frame
            }
        }
    }

    /// Egress and deparser; nothing if the packet is dropped.
    fn egress_inner(
        &mut self,
        program: &Arc<Program>,
        packet: &mut Packet,
        queue: &QueueInfo,
        now_ns: u64,
        tm: &mut dyn TrafficManager,
    ) -> Option<Frame> {
        let metadata = &program.metadata;
        let now_us = self.now_us(now_ns);
        let (port, length) = (packet.egress_port, packet.length);
        let phv = &mut packet.phv;
        set(phv, metadata.egress_global_timestamp, now_us);
        set(phv, metadata.enq_timestamp, self.now_us(queue.enq_time_ns));
        set(phv, metadata.enq_qdepth, u64::from(queue.enq_qdepth));
        set(phv, metadata.deq_timedelta, queue.deq_timedelta_ns / 1_000);
        set(phv, metadata.deq_qdepth, u64::from(queue.deq_qdepth));
        let qid = get(phv, metadata.priority);
        set(phv, metadata.qid, qid);
        let about_queues = &metadata.traffic_manager;
        set(phv, about_queues.enqueue_ns, queue.enq_time_ns);
        set(phv, about_queues.dequeue_ns, queue.enq_time_ns.wrapping_add(queue.deq_timedelta_ns));
        set(phv, about_queues.sojourn_ns, queue.deq_timedelta_ns);
        set(phv, about_queues.queue_bytes, queue.queue_bytes);
        set(phv, about_queues.port_packets, queue.port_packets);
        set(phv, about_queues.port_bytes, queue.port_bytes);
        set(phv, metadata.egress_port, u64::from(port));
        // Anything but the drop port: the program drops by writing that.
        set(phv, metadata.egress_spec, u64::from(self.config.drop_port) + 1);
        set(phv, metadata.packet_length, u64::from(length));
        let mut machine = Machine { program, memory: &mut self.memory, now_us, drop_port: self.config.drop_port };
        if packet.traced != 0 {
            machine.note(packet, note::egress(port, queue));
        }
        let mut tables = Tables { tables: &mut self.tables, profiles: &self.profiles, now_ns };
        machine.pipeline(&program.egress, &program.source.egress, &mut tables, packet);
        if packet.killed {
            return None;
        }
        if let Some((session, list)) = packet.wants.clone.take()
            && self.replication.sessions.contains_key(&session)
        {
            let mut copy = self.take_packet();
            copy.copy_from(packet);
            self.send_clone(program, packet, copy, (session, list), instance::EGRESS_CLONE, now_ns, tm);
        }
        if get(&packet.phv, metadata.egress_spec) == u64::from(self.config.drop_port) {
            return None;
        }
        let mut data = self.buffers.pop().unwrap_or_default();
        let mut machine = Machine { program, memory: &mut self.memory, now_us, drop_port: self.config.drop_port };
        machine.deparse(packet, &mut data);
        Some(Frame { port, data })
    }
}

/// Cuts the copies of a clone session that asks for it.
struct Truncating<'a> {
    inner: &'a mut dyn TrafficManager,
    limit: usize,
}

impl TrafficManager for Truncating<'_> {
    fn enqueue(&mut self, egress_port: u16, place: Place, mut packet: Box<Packet>) -> Result<(), Box<Packet>> {
        packet.truncated = packet.truncated.min(self.limit);
        self.inner.enqueue(egress_port, place, packet)
    }
}
