//! Links changed by the management socket, in an engine without devices: the contents of a stopped link do not depend
//! on time.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use engine::{
    Attachment, Engine, EngineConfig, EngineHandle, LinkConfig, ManagementSocket, PortConfig, SwitchConfig, clock,
};
use serde_json::{Value, json};

mod joined_switches;
use joined_switches::joined_switches;

/// Until a test says that something does not come.
const PATIENCE: Duration = Duration::from_secs(20);

struct Lab {
    engine: Engine,
    _socket: ManagementSocket,
    client: BufReader<UnixStream>,
}

impl Lab {
    /// Two switches joined by a link; the description is that of s1's direction.
    fn new(name: &str, link: Value) -> Self {
        let link = serde_json::from_value(link).expect("a good description");
        let switches = joined_switches(link);
        let engine = Engine::start(EngineConfig { switches, samples: None, realtime: false }).expect("starts");
        let path = PathBuf::from(format!("/tmp/engine-{name}-{}.sock", std::process::id()));
        let socket = ManagementSocket::open(&path, &engine.handle()).expect("opens");
        let client = BufReader::new(UnixStream::connect(&path).expect("answers"));
        Self { engine, _socket: socket, client }
    }

    fn handle(&self) -> EngineHandle {
        self.engine.handle()
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.client.get_mut().write_all(format!("{request}\n").as_bytes()).expect("is read");
        let mut line = String::new();
        self.client.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("JSON")
    }

    fn set_link(&mut self, fields: &Value) -> Value {
        self.ask(&json!({"op": "set_link", "switch": "s1", "port": 2, "direction": "egress", "link": fields}))
    }

    fn link(&mut self, switch: &str) -> Value {
        let stats = self.ask(&json!({"op": "stats"}));
        let links = stats["links"].as_array().expect("links");
        links.iter().find(|link| link["switch"] == switch).expect("the link").clone()
    }

    /// The link from s1 to s2 once it has begun to send so many packets.
    fn link_when_sent(&mut self, packets: u64) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let link = self.link("s1");
            if link["tx_packets"] == packets {
                return link;
            }
            assert!(Instant::now() < deadline, "{link}");
        }
    }

    /// UDP packets from s1's controller to s2, to this port.
    fn send(&self, packets: u16, port: u16) {
        for _ in 0..packets {
            let mut frame = vec![0; 12];
            frame.extend([8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 2, 4, 0, 9]);
            frame.extend(port.to_be_bytes());
            frame.resize(100, 0);
            self.handle().packet_out(1, frame).expect("runs");
        }
    }
}

#[test]
fn a_link_that_goes_down_loses_what_it_has_and_what_comes() {
    let mut lab = Lab::new("down", json!({"rate_bps": 0}));
    lab.send(5, 53);
    assert_eq!(lab.link("s1")["queue_packets"], 5);
    assert_eq!(lab.ask(&json!({"op": "link_down", "switch": "s1", "port": 2})), json!({"ok": true}));
    lab.send(2, 53);
    let link = lab.link("s1");
    assert_eq!([&link["queue_packets"], &link["down_drops"], &link["queue_drops"]], [0, 7, 0]);
    let flows = lab.ask(&json!({"op": "flows"}));
    assert_eq!([&flows["flows"][0]["dst_port"], &flows["flows"][0]["drops"]], [53, 7]);
    // A cable has two directions.
    assert_eq!([&link["config"]["up"], &lab.link("s2")["config"]["up"]], [false, false]);
    assert_eq!(lab.ask(&json!({"op": "link_up", "switch": "s2", "port": 2})), json!({"ok": true}));
    assert_eq!([&lab.link("s1")["config"]["up"], &lab.link("s2")["config"]["up"]], [true, true]);
    lab.set_link(&json!({"up": false}));
    assert_eq!([&lab.link("s1")["config"]["up"], &lab.link("s2")["config"]["up"]], [false, true]);
}

#[test]
fn filtered_losses_can_be_set_and_are_counted() {
    let mut lab = Lab::new("filter", json!({}));
    lab.set_link(&json!({"filtered_loss": [{"filter": "udp dport 53", "loss": {"every": 2}}]}));
    lab.send(6, 53);
    lab.send(6, 54);
    let link = lab.link_when_sent(12);
    assert_eq!(link["loss_drops"], 3);
    assert_eq!(link["config"]["filtered_loss"][0]["filter"], "udp dport 53");
}

/// More than a round of the switch takes.
const ROUND_NS: u64 = 100_000_000;

#[test]
fn traces_begin_when_they_are_told_to() {
    let trace = json!([{"at_s": 0, "rate_bps": 1_000_000_000}, {"at_s": 3600, "rate_bps": 5}]);
    let mut lab = Lab::new("traces", json!({"rate_bps": 0, "trace": trace}));
    lab.send(3, 53);
    assert_eq!(lab.link("s1")["tx_packets"], 0);
    let late = lab.ask(&json!({"op": "start_traces", "at_ns": 1}));
    assert!(late["error"].as_str().is_some_and(|error| error.contains("ns in the past")), "{late}");
    let far = clock::monotonic_ns() + 3_600_000_000_000;
    assert_eq!(lab.ask(&json!({"op": "start_traces", "at_ns": far})), json!({"start_ns": far, "traces": 1}));
    assert_eq!(lab.link("s1")["tx_packets"], 0);
    let before = clock::monotonic_ns();
    let started = lab.ask(&json!({"op": "start_traces"}));
    // The switch's present is that of the round in which it is asked, which may have begun just before.
    let earliest = before - ROUND_NS;
    assert!(started["start_ns"].as_u64().is_some_and(|start| start >= earliest && start <= clock::monotonic_ns()));
    let link = lab.link_when_sent(3);
    assert_eq!([&link["in_force"]["rate_bps"], &link["config"]["rate_bps"]], [1_000_000_000, 0]);
    assert_eq!(lab.ask(&json!({"op": "stop_traces"})), json!({"ok": true}));
    assert_eq!(lab.link("s1")["in_force"]["rate_bps"], 0);
}

#[test]
fn mistakes_name_their_place() {
    let mut lab = Lab::new("mistakes", json!({"rate_bps": 1000}));
    for (fields, part) in [
        (json!({"delay_us": -1}), "link.delay_us: must be 0 to"),
        (json!({"rate": 1}), "link.rate: unknown field `rate`"),
        (json!({"trace": [{"at_s": 0}, {"at_s": 1, "rate_bps": -1}]}), "link.trace[1].rate_bps: invalid value"),
        (
            json!({"filtered_loss": [{"filter": "udp port", "loss": 1}]}),
            "link.filtered_loss[0].filter: a number is missing",
        ),
        (json!({"loss": {"gilbert_elliott": {"p": 2, "r": 0}}}), "link.loss.gilbert_elliott.p: is a probability"),
        (json!({"queue": {"bytes": "many"}}), "link.queue.bytes: invalid type"),
    ] {
        let answer = lab.set_link(&fields);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(part)), "{answer}");
    }
    assert_eq!(lab.link("s1")["config"]["rate_bps"], 1000);
    let answer = lab.ask(&json!({"op": "link_down", "switch": "s1", "port": 3}));
    assert_eq!(answer["error"], "switch \"s1\" has no egress link on port 3");
    let answer = lab.ask(&json!({"op": "fly"}));
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("fly")), "{answer}");
}

#[test]
fn a_network_keeps_the_ports_of_its_description() {
    let mut lab = Lab::new("ports", json!({}));
    for line in ["port_add lo 9", "port_remove 2"] {
        let answer = lab.ask(&json!({"op": "cli", "switch": "s1", "line": line}));
        let printed = answer["printed"].as_str().unwrap_or_default();
        assert!(printed.starts_with("Invalid device manager operation (ERROR)\n"), "{answer}");
        assert!(printed.contains("network's description"), "{answer}");
    }
}
