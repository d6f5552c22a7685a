//! The events of two switches joined in memory, at given times: departures, drops and counts, to the nanosecond.
//! Nothing here looks at a clock.

use links::{LinkConfig, QueueLimit};
use tokio::sync::mpsc;

use super::Core;
use super::link_changes::SetLinkError;
use super::stats::LinkStats;
use crate::build::build;
use crate::config::{Attachment, EngineConfig, PortConfig, SwitchConfig};
use crate::port::Direction;

#[path = "../../tests/joined_switches/mod.rs"]
mod joined_switches;
use joined_switches::joined_switches;

const START_NS: u64 = 7_000_000_000;
const MS: u64 = 1_000_000;
const NOTHING: [u8; 0] = [];

/// s1 and s2: s1 sends packets from its controller to s2, and s2 sends packets from s1 to its controller.
struct Network {
    core: Core,
    packet_in: mpsc::Receiver<Vec<u8>>,
}

impl Network {
    /// With this link from s1 to s2.
    fn new(link: LinkConfig) -> Self {
        let config = EngineConfig { switches: joined_switches(link), samples: None, realtime: false };
        let (mut core, _) = build(config, START_NS).expect("a good configuration");
        let (sender, packet_in) = mpsc::channel(1000);
        core.subscribe_packet_in(2, sender);
        Self { core, packet_in }
    }

    /// A frame comes from s1's controller.
    fn send(&mut self, frame: &[u8], at_ns: u64) {
        self.core.catch_up(at_ns);
        self.core.packet_out(1, frame, at_ns);
    }

    /// The numbers of the frames that have reached s2's controller, after everything up to `until_ns` was done.
    fn arrived(&mut self, until_ns: u64) -> Vec<u8> {
        self.core.catch_up(until_ns);
        std::iter::from_fn(|| self.packet_in.try_recv().ok()).map(|frame| frame[NUMBER]).collect()
    }

    /// The link from s1 to s2.
    fn link(&self) -> LinkStats {
        self.core.link_stats().into_iter().find(|link| link.name == "s1-s2").expect("the link")
    }
}

/// Where a frame has its number: behind all headers.
const NUMBER: usize = 100;

/// A UDP packet in an Ethernet frame.
fn frame(number: u8, bytes: usize) -> Vec<u8> {
    let mut frame = vec![0; bytes];
    frame[12..16].copy_from_slice(&[8, 0, 0x45, 0]);
    frame[22..34].copy_from_slice(&[64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    frame[34..38].copy_from_slice(&[0x1b, 0x58, 0x1b, 0x59]);
    frame[NUMBER] = number;
    frame
}

#[test]
fn every_packet_takes_the_time_of_the_link() {
    let config = LinkConfig { rate_bps: Some(80_000_000), delay_us: 20_000.0, ..LinkConfig::default() };
    let mut network = Network::new(config);
    (0..100).for_each(|number| network.send(&frame(number, 1000), START_NS));
    for number in 0..100 {
        let arrival_ns = START_NS + (u64::from(number) + 1) * 100_000 + 20 * MS;
        assert_eq!(network.arrived(arrival_ns - 1), NOTHING);
        assert_eq!(network.arrived(arrival_ns), [number]);
    }
    assert_eq!((network.link().tx_packets, network.link().tx_bytes), (100, 100_000));
}

#[test]
fn a_burst_fills_the_queue_and_one_place_at_the_transmitter() {
    let queue = Some(QueueLimit::packets(10));
    let mut network = Network::new(LinkConfig { rate_bps: Some(800_000), queue, ..LinkConfig::default() });
    (0..50).for_each(|number| network.send(&frame(number, 1000), START_NS));
    assert_eq!(network.link().queue_drops, 39);
    assert_eq!(network.arrived(START_NS + 110 * MS), (0..11).collect::<Vec<u8>>());
    assert_eq!(network.arrived(u64::MAX - 1), NOTHING);
}

#[test]
fn what_leaves_the_queue_during_a_burst_makes_room() {
    let queue = Some(QueueLimit::packets(20));
    let config = LinkConfig { rate_bps: Some(10_000_000), delay_us: 10_000.0, queue, ..LinkConfig::default() };
    let mut network = Network::new(config);
    // From an access link of 200 Mbit/s: one every 41.68 µs. The bottleneck takes 833.6 µs each, so the third has
    // begun when the last comes: 20 wait, 3 have left the queue.
    (0..60).for_each(|number| network.send(&frame(number, 1042), START_NS + u64::from(number) * 41_680));
    let last_ns = START_NS + 23 * 833_600 + 10 * MS;
    assert_eq!(network.arrived(last_ns - 1).len(), 22);
    assert_eq!(network.arrived(last_ns).len(), 1);
    assert_eq!(network.arrived(u64::MAX - 1), NOTHING);
    assert_eq!((network.link().tx_packets, network.link().queue_drops), (23, 37));

    let flows = network.core.flow_stats();
    let flow = flows.iter().find(|flow| flow.switch == "s1" && flow.port == 2).expect("the flow");
    assert_eq!((flow.key.src_port, flow.key.dst_port), (7000, 7001));
    assert_eq!((flow.counters.tx_packets, flow.counters.tx_bytes, flow.counters.drops), (23, 23 * 1042, 37));
}

#[test]
fn a_changed_link_holds_from_then_on() {
    let mut network = Network::new(LinkConfig { delay_us: 5_000.0, ..LinkConfig::default() });
    network.send(&frame(1, 1000), START_NS);
    let change = serde_json::json!({"delay_us": 50_000.0});
    let change = change.as_object().expect("fields");
    network.core.catch_up(START_NS + MS);
    network.core.set_link("s1", 2, Direction::Egress, change, START_NS + MS).expect("a link");
    network.send(&frame(2, 1000), START_NS + 2 * MS);
    assert_eq!(network.arrived(START_NS + 5 * MS), [1]);
    assert_eq!(network.arrived(START_NS + 52 * MS - 1), NOTHING);
    assert_eq!(network.arrived(START_NS + 52 * MS), [2]);
    let elsewhere = network.core.set_link("s1", 9, Direction::Egress, change, START_NS + 60 * MS);
    assert!(matches!(elsewhere, Err(SetLinkError::NoLink { port: 9, .. })));
}

#[test]
fn a_late_look_is_counted_and_moves_no_time() {
    let config = LinkConfig { rate_bps: Some(8_000_000), delay_us: 10_000.0, ..LinkConfig::default() };
    let mut network = Network::new(config);
    (1..=3).for_each(|number| network.send(&frame(number, 1000), START_NS));
    // Arrivals at 11, 12 and 13 ms; nobody looks before 14.2 ms. Up to 0.2 ms the controller does not mind.
    assert_eq!(network.arrived(START_NS + 14_200_000), [1, 2, 3]);
    let lateness = network.link().lateness;
    assert_eq!((lateness.packets, lateness.late_1ms, lateness.max_us), (3, 2, 3_000.0));
    // The next packet is no later for it.
    network.send(&frame(4, 1000), START_NS + 20 * MS);
    assert_eq!(network.arrived(START_NS + 31 * MS - 1), NOTHING);
    assert_eq!(network.arrived(START_NS + 31 * MS), [4]);
    assert_eq!((network.link().lateness.packets, network.link().lateness.late_1ms), (4, 2));
    network.core.reset_lateness();
    assert_eq!(network.link().lateness.packets, 0);
}

#[test]
fn a_trace_is_followed_in_model_time() {
    let trace = serde_json::json!([{"at_s": 0.0005, "rate_bps": 0}, {"at_s": 0.01, "rate_bps": 4_000_000}]);
    let link = serde_json::json!({"rate_bps": 8_000_000, "delay_us": 1_000, "trace": trace});
    let mut network = Network::new(serde_json::from_value(link).expect("a good description"));
    let start_ns = START_NS + MS;
    assert_eq!(network.core.start_traces(Some(start_ns), START_NS).expect("to come"), (start_ns, 1));
    let late = network.core.start_traces(Some(START_NS), START_NS + 5);
    assert!(matches!(late, Err(SetLinkError::Past { late_ns: 5 })));
    network.send(&frame(1, 1000), start_ns);
    network.send(&frame(2, 1000), start_ns);
    // Half of the first is out when the outage begins; the rest takes 1 ms behind it, the second 2 ms.
    assert_eq!(network.arrived(start_ns + 12 * MS - 1), NOTHING);
    assert_eq!(network.arrived(start_ns + 12 * MS), [1]);
    assert_eq!(network.arrived(start_ns + 14 * MS - 1), NOTHING);
    assert_eq!(network.arrived(start_ns + 14 * MS), [2]);
    // The thread was woken in time for each step.
    assert_eq!(network.link().lateness.max_us, 0.0);
}

#[test]
fn a_step_is_due_while_something_is_being_sent() {
    let trace = serde_json::json!([{"at_s": 0.0005, "rate_bps": 16_000_000}]);
    let link = serde_json::json!({"rate_bps": 8_000_000, "trace": trace});
    let mut network = Network::new(serde_json::from_value(link).expect("a good description"));
    network.core.start_traces(None, START_NS).expect("now");
    network.send(&frame(1, 1000), START_NS);
    network.core.catch_up(START_NS);
    // With the rate as it is the packet would arrive 1 ms later; the step, half-way, brings it forward.
    let deadline_ns = network.core.deadline_ns();
    assert!(deadline_ns <= START_NS + 750_000 + crate::slack::MAX_SLACK_NS, "{}", deadline_ns - START_NS);
    assert_eq!(network.arrived(START_NS + 750_000), [1]);
}
