//! `p4switch links`: the links of a network whose switches are processes of their own, here two `simple_switch_grpc`.

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::other_switches::{Switches, description};
use support::{Lab, is_empty, require_namespaces, until_connected};

#[test]
fn delay_rate_drops_and_counters_between_other_switches() {
    require_namespaces();
    let lab = Lab::new();
    let tag = std::process::id();
    let switches = Switches::new(tag);
    let bottleneck = r#"{"rate_bps":10000000,"delay_us":10000,"queue":{"packets":20}}"#;
    let access = r#"{"rate_bps":200000000,"delay_us":1000}"#;
    let links = lab.launch("links", &description(&lab, tag, bottleneck, access));
    let a = lab.udp(&lab.a, "10.77.0.1:7000");
    let b = lab.udp(&lab.b, "10.77.0.2:7000");
    let mut buffer = [0u8; 2048];
    until_connected(&a, &b, "10.77.0.2:7000");
    let before = links.link("s1-s2", "egress")["tx_packets"].as_u64().expect("a number");

    // One at a time: each takes at least the model's time, beside which the switches' own time is small.
    let payload = [7u8; 1000];
    let frame_bits = 1042.0 * 8.0;
    let ideal = Duration::from_secs_f64(0.012 + frame_bits / 10e6 + 2.0 * frame_bits / 200e6);
    for _ in 0..20 {
        let start = Instant::now();
        a.send_to(&payload, "10.77.0.2:7000").expect("sent");
        support::receive(&b, &mut buffer).expect("arrives");
        assert!(start.elapsed() >= ideal, "{:?} is less than the {ideal:?} of the model", start.elapsed());
    }

    // A burst of 60 at once into a queue of 20: it drops some, and sends the others at its rate.
    let start = Instant::now();
    (0..60).for_each(|_| assert!(a.send_to(&payload, "10.77.0.2:7000").is_ok()));
    let count = |link: &Value, what: &str| link[what].as_u64().expect("a number");
    let all = before + 20 + 60;
    let link = links.link_when("s1-s2", "egress", |link| count(link, "tx_packets") + count(link, "queue_drops") == all);
    let got = 60 - count(&link, "queue_drops");
    assert!((21..60).contains(&got), "{got} of 60 arrived");
    (0..got).for_each(|_| assert!(support::receive(&b, &mut buffer).is_ok(), "what was not dropped arrives"));
    let least = 0.012 + got as f64 * frame_bits / 10e6;
    let took = start.elapsed().as_secs_f64();
    assert!(took >= least, "{got} packets took {took} s instead of {least} s");
    assert!(is_empty(&b));

    let flows = links.ask(r#"{"op":"flows"}"#);
    let flows = flows["flows"].as_array().expect("flows").clone();
    let flow = flows.iter().find(|flow| flow["switch"] == "s1" && flow["port"] == 2 && flow["protocol"] == "udp");
    assert_eq!(flow.expect("the flow")["drops"].as_u64(), Some(60 - got));

    // Changed while it runs.
    let set = r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"delay_us":60000}}"#;
    assert_eq!(links.ask(set)["ok"], true);
    let start = Instant::now();
    a.send_to(&payload, "10.77.0.2:7000").expect("sent");
    support::receive(&b, &mut buffer).expect("arrives");
    assert!(start.elapsed() >= Duration::from_millis(61));

    // A switch that ends does not take the links with it, and the end is clean.
    drop(switches);
    assert!(links.link("s1-s2", "egress")["lateness"]["packets"].as_u64() > Some(0));
    let socket = links.socket.clone();
    assert_eq!(links.terminate().code(), Some(0));
    assert!(!socket.exists(), "the socket file is gone");
    let ports = std::fs::read_to_string(lab.directory.join("ports.csv")).expect("samples");
    assert!(ports.lines().any(|line| line.contains(",s1,2,egress,")));
    assert!(ports.lines().any(|line| line.contains(",s1,1,ingress,")));
}

#[test]
fn what_links_cannot_do_is_said() {
    require_namespaces();
    let lab = Lab::new();
    let path = lab.directory.join("network.json");
    std::fs::write(&path, description(&lab, std::process::id() + 1, "{}", "{}")).expect("written");
    for (command, status, said) in [("run", 2, "only `p4switch links`"), ("links", 1, "create it first")] {
        let output = Command::new(env!("CARGO_BIN_EXE_p4switch")).arg(command).arg(&path).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
