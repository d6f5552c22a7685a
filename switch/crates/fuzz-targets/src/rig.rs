//! A switch whose queues are empty at once, filled with arbitrary entries.

use std::collections::VecDeque;
use std::sync::Arc;

use v1model::{
    ActionCall, ActionSpec, CloneSession, KeyMatch, MatchKind, MeterConfig, MulticastGroup, Packet, Place, Program,
    QueueInfo, Replica, Switch, SwitchConfig, TableEntry, TableKind, TrafficManager, ValueSetMember,
};

use crate::random::Random;

/// Packets that one frame may become before the rest is thrown away (a program may recirculate and clone for ever).
const MOST_PACKETS: usize = 64;

#[derive(Default)]
struct Queue(VecDeque<Box<Packet>>);

impl TrafficManager for Queue {
    fn enqueue(&mut self, _: u16, _: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        if self.0.len() >= MOST_PACKETS {
            return Err(packet);
        }
        self.0.push_back(packet);
        Ok(())
    }
}

/// A switch with a program.
pub struct Rig {
    switch: Switch,
    program: Arc<Program>,
    now_ns: u64,
}

impl Rig {
    /// A switch that runs the program.
    #[must_use]
    pub fn new(program: impl Into<Arc<Program>>) -> Self {
        let program = program.into();
        let mut switch = Switch::new(SwitchConfig { cpu_port: Some(510), ..SwitchConfig::default() });
        switch.load(Arc::clone(&program));
        Self { switch, program, now_ns: 0 }
    }

    /// Sends a frame in, and everything it becomes on; gives what comes out, with the ports.
    pub fn send(&mut self, frame: &[u8], port: u16) -> Vec<(u16, Vec<u8>)> {
        let mut out = Vec::new();
        let mut queue = Queue::default();
        self.now_ns += 1_000;
        self.switch.receive(frame, port, self.now_ns, &mut queue);
        for _ in 0..MOST_PACKETS {
            let Some(packet) = queue.0.pop_front() else { break };
            let info = QueueInfo { enq_time_ns: self.now_ns, ..QueueInfo::default() };
            if let Some(frame) = self.switch.egress(packet, &info, self.now_ns, &mut queue) {
                out.push((frame.port, frame.data.to_vec()));
                self.switch.recycle_frame(frame.data);
            }
        }
        queue.0.into_iter().for_each(|packet| self.switch.recycle(packet));
        self.switch.take_digests();
        out
    }

    /// Puts in arbitrary entries, groups and settings; the switch may refuse some of them.
    pub fn fill(&mut self, random: &mut Random) {
        let program = Arc::clone(&self.program);
        for profile in program.action_profiles() {
            let actions = profile.tables.first().and_then(|t| program.tables().get(t.0 as usize)).map(|t| &t.actions);
            for id in 1..4 {
                let Some(action) = actions.and_then(|actions| random.pick(actions)) else { break };
                let member = v1model::ProfileMember { id, call: call(&program, *action, random) };
                let _ = self.switch.member_insert(profile.id, member);
            }
            let members = (1..4).map(|member| v1model::GroupMember { member, weight: 1, watch_port: None }).collect();
            let _ = self.switch.group_insert(profile.id, v1model::ProfileGroup { id: 1, max_size: 0, members });
        }
        for table in program.tables() {
            for _ in 0..4 {
                let key = table.keys.iter().map(|key| key_match(key.kind, key.width, random)).collect();
                let action = match table.kind {
                    TableKind::Direct => {
                        let Some(action) = random.pick(&table.actions) else { break };
                        ActionSpec::Call(call(&program, *action, random))
                    }
                    TableKind::Profile(_) => ActionSpec::Member(1 + random.below(3) as u32),
                    TableKind::Selector(_) => ActionSpec::Group(1),
                };
                let priority = 1 + random.below(10) as i32;
                let entry = TableEntry { key, priority, action, idle_timeout_ns: 0, metadata: Vec::new() };
                let _ = self.switch.table_insert(table.id, entry, self.now_ns);
            }
        }
        for meter in program.meters() {
            let config =
                MeterConfig { cir: 1_000, cburst: 100, pir: 2_000, pburst: 200, eburst: random.below(2) as u64 };
            let _ = self.switch.meter_write(meter.id, random.below(meter.size), Some(config), 0);
        }
        for set in program.value_sets() {
            let bytes: u32 = set.fields.iter().map(|width| width.div_ceil(8)).sum();
            let member = ValueSetMember { value: random.bytes(bytes as usize), mask: None, ranges: Vec::new() };
            let _ = self.switch.value_set_write(set.id, vec![member]);
        }
        let replicas = vec![Replica { port: 1, rid: 1 }, Replica { port: 510, rid: 2 }];
        let backups = vec![vec![Replica { port: 3, rid: 1 }]];
        for id in [1, 2, 100] {
            let group =
                MulticastGroup { id, replicas: replicas.clone(), backups: backups.clone(), metadata: Vec::new() };
            let _ = self.switch.multicast_insert(group);
            let session = CloneSession {
                id: u32::from(id),
                replicas: replicas.clone(),
                backups: backups.clone(),
                class_of_service: 0,
                max_length: random.below(100) as u32,
            };
            let _ = self.switch.clone_session_insert(session);
        }
    }
}

fn call(program: &Program, action: v1model::ActionId, random: &mut Random) -> ActionCall {
    let params = program.actions().get(action.0 as usize).map(|info| info.params.as_slice()).unwrap_or_default();
    let params = params.iter().map(|param| number(param.width, random)).collect();
    ActionCall { action, params }
}

/// A number of at most so many bits, mostly a small one.
fn number(width: u32, random: &mut Random) -> Vec<u8> {
    let mut bytes = if random.one_in(2) {
        let mut small = vec![0; width.div_ceil(8) as usize];
        if let Some(last) = small.last_mut() {
            *last = random.below(8) as u8;
        }
        small
    } else {
        random.bytes(width.div_ceil(8) as usize)
    };
    if let (Some(first), rest @ 1..) = (bytes.first_mut(), width % 8) {
        *first &= (1u8 << rest) - 1;
    }
    bytes
}

fn key_match(kind: MatchKind, width: u32, random: &mut Random) -> KeyMatch {
    let value = number(width, random);
    match kind {
        MatchKind::Exact => KeyMatch::Exact(value),
        MatchKind::Lpm => KeyMatch::Lpm { value, prefix_len: random.below(width as usize + 1) as u32 },
        MatchKind::Ternary => KeyMatch::Ternary { value, mask: number(width, random) },
        MatchKind::Range => {
            let other = number(width, random);
            KeyMatch::Range { low: value.clone().min(other.clone()), high: value.max(other) }
        }
        MatchKind::Optional => KeyMatch::Optional((!random.one_in(3)).then_some(value)),
        MatchKind::Valid => KeyMatch::Valid(random.one_in(2)),
    }
}
