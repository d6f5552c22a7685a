//! Metadata about queues: the program chooses queue and rank, and egress sees what the queue was like, to the nanosecond.

use std::sync::Arc;

use v1model::{Packet, Place, Program, QueueInfo, Switch, SwitchConfig, TrafficManager};

const PROGRAM: &str = r"
#include <core.p4>
#include <v1model.p4>
header wish_t { bit<16> queue; bit<32> rank; }
header seen_t { bit<64> enqueue_ns; bit<64> dequeue_ns; bit<48> sojourn_ns; bit<32> queue_bytes; bit<32> port_packets; bit<32> port_bytes; }
struct headers { wish_t wish; seen_t seen; }
struct traffic_manager_t {
    bit<16> queue; bit<32> rank;
    bit<64> enqueue_ns; bit<64> dequeue_ns; bit<48> sojourn_ns; bit<32> queue_bytes; bit<32> port_packets; bit<32> port_bytes;
}
struct metadata { traffic_manager_t traffic_manager; }
parser Parse(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.wish); transition accept; }
}
control Nothing(inout headers h, inout metadata m) { apply { } }
control Choose(inout headers h, inout metadata m, inout standard_metadata_t s) {
    apply { m.traffic_manager.queue = h.wish.queue; m.traffic_manager.rank = h.wish.rank; s.egress_spec = 1; }
}
control See(inout headers h, inout metadata m, inout standard_metadata_t s) {
    apply {
        h.seen.setValid();
        h.seen.enqueue_ns = m.traffic_manager.enqueue_ns;
        h.seen.dequeue_ns = m.traffic_manager.dequeue_ns;
        h.seen.sojourn_ns = m.traffic_manager.sojourn_ns;
        h.seen.queue_bytes = m.traffic_manager.queue_bytes;
        h.seen.port_packets = m.traffic_manager.port_packets;
        h.seen.port_bytes = m.traffic_manager.port_bytes;
    }
}
control Deparse(packet_out p, in headers h) { apply { p.emit(h); } }
V1Switch(Parse(), Nothing(), Choose(), See(), Nothing(), Deparse()) main;
";

#[derive(Default)]
struct Queue(Vec<(Place, Box<Packet>)>);

impl TrafficManager for Queue {
    fn enqueue(&mut self, _: u16, place: Place, packet: Box<Packet>) -> Result<(), Box<Packet>> {
        self.0.push((place, packet));
        Ok(())
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn check(json: &str) {
    let mut switch = Switch::new(SwitchConfig::default());
    switch.load(Arc::new(Program::from_json(json).expect("a program")));
    let mut queue = Queue::default();
    switch.receive(&[0x01, 0x02, 0, 0, 3, 4, 9], 1, 5_000, &mut queue);
    let (place, packet) = queue.0.pop().expect("a packet");
    assert_eq!(place, Place { queue: 0x102, rank: 0x304 });
    let info = QueueInfo {
        enq_time_ns: 5_000,
        deq_timedelta_ns: 1_234,
        queue_bytes: 77,
        port_packets: 8,
        port_bytes: 99,
        ..QueueInfo::default()
    };
    let frame = switch.egress(packet, &info, 6_234, &mut queue).expect("a frame");
    let seen = &frame.data[6..];
    let fields = [(0, 8), (8, 16), (16, 22), (22, 26), (26, 30), (30, 34)].map(|(from, to)| number(&seen[from..to]));
    assert_eq!(fields, [5_000, 6_234, 1_234, 77, 8, 99]);
}

#[test]
fn a_program_chooses_and_sees() {
    let json = p4c_driver::compile::json("wish.p4", PROGRAM).unwrap_or_else(|messages| panic!("{messages}"));
    check(&json);
    // As p4c names the same fields, by the struct's use or by its name.
    for metadata in ["userMetadata", "metadata_t"] {
        check(&named_as_by_p4c(&json, metadata));
    }
}

fn named_as_by_p4c(json: &str, metadata: &str) -> String {
    let names =
        ["queue", "rank", "enqueue_ns", "dequeue_ns", "sojourn_ns", "queue_bytes", "port_packets", "port_bytes"];
    names.into_iter().enumerate().fold(json.to_owned(), |json, (number, name)| {
        let (ours, theirs) = (
            format!("\"userMetadata.traffic_manager.{name}\""),
            format!("\"{metadata}._traffic_manager_{name}{number}\""),
        );
        json.replace(&ours, &theirs)
    })
}
