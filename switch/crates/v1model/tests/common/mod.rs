//! A switch for tests: queues that are empty at once, the programs of `tests/programs` as BMv2 JSON.

#![allow(dead_code)]

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use v1model::{
    ActionCall, ActionSpec, KeyMatch, Packet, Place, Program, QueueInfo, Switch, SwitchConfig, TableEntry,
    TrafficManager,
};

pub static FORWARD: LazyLock<String> = LazyLock::new(|| compiled("forward.p4", include_str!("../programs/forward.p4")));
pub static FEATURES: LazyLock<String> =
    LazyLock::new(|| compiled("features.p4", include_str!("../programs/features.p4")));
pub static HEADERS: LazyLock<String> = LazyLock::new(|| compiled("headers.p4", include_str!("../programs/headers.p4")));

fn compiled(name: &str, text: &str) -> String {
    p4c_driver::compile::json(name, text).unwrap_or_else(|messages| panic!("{messages}"))
}

/// Keeps packets in order, with their ports and priorities.
#[derive(Default)]
pub struct Queue(pub VecDeque<(u16, u16, Box<Packet>)>);

impl TrafficManager for Queue {
    fn enqueue(&mut self, egress_port: u16, place: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        if self.0.len() >= 1_000 {
            return Err(packet);
        }
        self.0.push_back((egress_port, place.queue, packet));
        Ok(())
    }
}

pub struct Rig {
    pub switch: Switch,
    pub now_ns: u64,
}

impl Rig {
    pub fn new(json: &str) -> Self {
        let program = Program::from_json(json).expect("the program loads");
        let mut switch = Switch::new(SwitchConfig { cpu_port: Some(510), ..SwitchConfig::default() });
        switch.load(Arc::new(program));
        Self { switch, now_ns: 0 }
    }

    /// Sends a frame in; returns the frames that come out, in order.
    pub fn send(&mut self, port: u16, frame: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut queue = Queue::default();
        let mut out = Vec::new();
        self.switch.receive(frame, port, self.now_ns, &mut queue);
        for _ in 0..10_000 {
            let Some((_, _, packet)) = queue.0.pop_front() else {
                break;
            };
            let info = QueueInfo { enq_time_ns: self.now_ns, ..QueueInfo::default() };
            if let Some(frame) = self.switch.egress(packet, &info, self.now_ns, &mut queue) {
                out.push((frame.port, frame.data.clone()));
                self.switch.recycle_frame(frame.data);
            }
        }
        out
    }

    pub fn call(&self, table: &str, action: &str, params: &[&[u8]]) -> ActionCall {
        let table = self.switch.table_id(table).expect("the table is there");
        let action = self.switch.action_id(table, action).expect("the action is there");
        ActionCall { action, params: params.iter().map(|p| p.to_vec()).collect() }
    }

    pub fn entry(&self, table: &str, key: Vec<KeyMatch>, action: &str, params: &[&[u8]]) -> TableEntry {
        TableEntry {
            key,
            priority: 0,
            action: ActionSpec::Call(self.call(table, action, params)),
            idle_timeout_ns: 0,
            metadata: Vec::new(),
        }
    }

    pub fn add(&mut self, table: &str, key: Vec<KeyMatch>, action: &str, params: &[&[u8]]) {
        let entry = self.entry(table, key, action, params);
        let id = self.switch.table_id(table).expect("the table is there");
        self.switch.table_insert(id, entry, self.now_ns).expect("the entry fits");
    }
}

/// The header of `features.p4`.
pub fn request(op: u8, index: u8, a: u16, b: u32, c: u64) -> Vec<u8> {
    let mut bytes = vec![op, index];
    bytes.extend_from_slice(&a.to_be_bytes());
    bytes.extend_from_slice(&b.to_be_bytes());
    bytes.extend_from_slice(&c.to_be_bytes());
    bytes
}

/// The mark that `features.p4` puts in front, and the request behind it.
#[derive(Debug, PartialEq, Eq)]
pub struct Marked {
    pub instance_type: u8,
    pub rid: u8,
    pub packet_length: u16,
    pub kept: u8,
    pub lost: u8,
    pub request: Vec<u8>,
}

pub fn marked(frame: &[u8]) -> Marked {
    Marked {
        instance_type: frame[0],
        rid: frame[1],
        packet_length: u16::from_be_bytes([frame[2], frame[3]]),
        kept: frame[4],
        lost: frame[5],
        request: frame[6..].to_vec(),
    }
}

pub fn exact(value: &[u8]) -> KeyMatch {
    KeyMatch::Exact(value.to_vec())
}

pub fn bytes(hex: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).expect("a hexadecimal digit") as u8;
    let digits: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}
