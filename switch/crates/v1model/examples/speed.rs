//! How many packets a second one thread takes through a program: parser, ingress, egress, deparser.
//!
//! `cargo run --release -p v1model --example speed` measures `tests/programs/forward.p4`;
//! `… --example speed -- PROGRAM.json [HEX_PACKET [PORT]]` any other program. If it is Nodectl's, it gets one route, so that
//! the packet is forwarded as a data packet is.

use std::sync::Arc;
use std::time::Instant;

use v1model::{
    ActionCall, ActionSpec, KeyMatch, Packet, Place, Program, QueueInfo, Switch, SwitchConfig, TableEntry,
    TrafficManager,
};

const FORWARD: &str = include_str!("../tests/programs/forward.p4");

/// An Ethernet and IPv4 packet with a right checksum and 26 bytes of payload: 60 bytes.
const PACKET: &str = concat!(
    "000000000001000000000002",
    "0800",
    "4500002e00000000401164bb0a0000010a010203",
    "00010002001a0000000000000000000000000000000000000000"
);

/// Keeps the one packet that is under way.
#[derive(Default)]
#[allow(clippy::vec_box)] // the switch hands out boxes
struct Slot(Vec<Box<Packet>>);

impl TrafficManager for Slot {
    fn enqueue(&mut self, _egress_port: u16, _: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        self.0.push(packet);
        Ok(())
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(*pair.get(1).unwrap_or(&b'0'))).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next();
    let text = match &file {
        Some(file) => std::fs::read_to_string(file)?,
        None => p4c_driver::compile::json("forward.p4", FORWARD)?,
    };
    let packet = bytes(arguments.next().as_deref().unwrap_or(PACKET));
    let port = arguments.next().map_or(Ok(1), |p| p.parse())?;
    let started = Instant::now();
    let program = Arc::new(Program::from_json(&text)?);
    println!("loaded in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    let mut switch = Switch::new(SwitchConfig { cpu_port: Some(510), ..SwitchConfig::default() });
    switch.load(Arc::clone(&program));
    if file.is_none() {
        routes(&mut switch)?;
    } else if let Some(table) = switch.table_id("NodectlIngress.ipv4_lpm") {
        data_route(&mut switch, table)?;
    }
    let mut slot = Slot::default();
    let mut sent = 0u64;
    for round in 0..3 {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let mut count = 0u64;
        while started.elapsed().as_secs_f64() < 1.0 {
            for _ in 0..1_000 {
                count += 1;
                switch.receive(&packet, port, count * 1_000, &mut slot);
                while let Some(packet) = slot.0.pop() {
                    if let Some(frame) = switch.egress(packet, &QueueInfo::default(), count * 1_000, &mut slot) {
                        sent += 1;
                        switch.recycle_frame(frame.data);
                    }
                }
            }
        }
        let seconds = cpu_seconds() - cpu;
        println!(
            "round {round}: {:.0} packets per CPU second, {:.0} ns a packet ({:.0} packets/s as the clock goes)",
            count as f64 / seconds,
            seconds * 1e9 / count as f64,
            count as f64 / started.elapsed().as_secs_f64(),
        );
    }
    println!("{sent} frames came out; {:?}", switch.stats());
    Ok(())
}

/// Processor time of this thread: other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// The way of the packet's destination through Nodectl's program.
fn data_route(switch: &mut Switch, table: v1model::TableId) -> Result<(), Box<dyn std::error::Error>> {
    let action = switch.action_id(table, "NodectlIngress.forward").ok_or("no action")?;
    let params = vec![vec![1], vec![0, 0, 0, 0, 0, 2], vec![0, 0, 0, 0, 0, 3]];
    let entry = TableEntry {
        key: vec![KeyMatch::Lpm { value: vec![10, 1, 2, 3], prefix_len: 32 }],
        priority: 0,
        action: ActionSpec::Call(ActionCall { action, params }),
        idle_timeout_ns: 0,
        metadata: Vec::new(),
    };
    switch.table_insert(table, entry, 0)?;
    Ok(())
}

/// A thousand routes, three prefix lengths.
fn routes(switch: &mut Switch) -> Result<(), Box<dyn std::error::Error>> {
    let table = switch.table_id("Route.routes").ok_or("no table")?;
    let action = switch.action_id(table, "Route.forward").ok_or("no action")?;
    for number in 0..1_000u32 {
        let prefix_len = [8, 16, 24][number as usize % 3];
        let prefix = 0x0a01_0000u32.wrapping_add(number << 12) & (u32::MAX << (32 - prefix_len));
        let entry = TableEntry {
            key: vec![KeyMatch::Lpm { value: prefix.to_be_bytes().to_vec(), prefix_len }],
            priority: 0,
            action: ActionSpec::Call(ActionCall { action, params: vec![vec![1], vec![2], vec![3]] }),
            idle_timeout_ns: 0,
            metadata: Vec::new(),
        };
        // Some prefixes are there twice.
        let _ = switch.table_insert(table, entry, 0);
    }
    Ok(())
}
