//! Frames between two hosts through two switches: times, rates, drops, counters, changes, the end.

mod support;

use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Lab, ip, is_empty, require_namespaces, until_connected};

const ACCESS: &str = r#"{"rate_bps":200000000,"delay_us":1000}"#;

#[test]
fn delay_rate_drops_and_counters() {
    require_namespaces();
    let lab = Lab::new();
    let switch = lab.start(r#"{"rate_bps":10000000,"delay_us":10000,"queue":{"packets":20}}"#, ACCESS);
    let a = lab.udp(&lab.a, "10.77.0.1:7000");
    let b = lab.udp(&lab.b, "10.77.0.2:7000");
    let mut buffer = [0u8; 2048];
    until_connected(&a, &b, "10.77.0.2:7000");
    switch.ask(r#"{"op":"reset_lateness"}"#);
    let before = switch.link("s1-s2", "egress")["tx_packets"].as_u64().expect("a number");

    // One at a time: 1 + 10 + 1 ms and transmission at 200, 10 and 200 Mbit/s.
    let payload = [7u8; 1000];
    let frame_bits = 1042.0 * 8.0;
    let ideal = Duration::from_secs_f64(0.012 + frame_bits / 10e6 + 2.0 * frame_bits / 200e6);
    for _ in 0..20 {
        let start = Instant::now();
        a.send_to(&payload, "10.77.0.2:7000").expect("sent");
        support::receive(&b, &mut buffer).expect("arrives");
        assert!(start.elapsed() >= ideal, "{:?} is less than the {ideal:?} of the model", start.elapsed());
    }

    // A burst of 60 at once: 20 wait, one is being sent, and some leave while the rest arrives at 200 Mbit/s. (How many, to
    // the packet, is tested at given times in the engine.)
    let start = Instant::now();
    (0..60).for_each(|_| assert!(a.send_to(&payload, "10.77.0.2:7000").is_ok()));
    let count = |link: &Value, what: &str| link[what].as_u64().expect("a number");
    let all = before + 20 + 60;
    let link =
        switch.link_when("s1-s2", "egress", |link| count(link, "tx_packets") + count(link, "queue_drops") == all);
    let got = 60 - count(&link, "queue_drops");
    assert!((21..60).contains(&got), "{got} of 60 arrived");
    (0..got).for_each(|_| assert!(support::receive(&b, &mut buffer).is_ok(), "what was not dropped arrives"));
    // The last one cannot have been sooner than its bits allow.
    let least = 0.012 + got as f64 * frame_bits / 10e6;
    let took = start.elapsed().as_secs_f64();
    assert!(took >= least, "{got} packets took {took} s instead of {least} s");
    assert!(is_empty(&b));
    assert_eq!(switch.link("s1-s2", "egress")["lateness"]["packets"].as_u64(), Some(20 + got));

    let flows = switch.ask(r#"{"op":"flows"}"#);
    let flows = flows["flows"].as_array().expect("flows").clone();
    let flow = flows.iter().find(|flow| flow["switch"] == "s1" && flow["port"] == 2).expect("the flow");
    assert_eq!((&flow["src"], &flow["dst_port"]), (&"10.77.0.1".into(), &7000.into()));
    assert_eq!(flow["protocol"], "udp");
    assert_eq!(flow["drops"].as_u64(), Some(60 - got), "{flow}");
    assert_eq!(flow["tx_packets"].as_u64(), Some(before + 20 + got));

    assert_eq!(switch.terminate().code(), Some(0));
    let ports = std::fs::read_to_string(lab.directory.join("ports.csv")).expect("samples");
    let last = ports.lines().rfind(|line| line.contains(",s1,2,egress,")).expect("a sample of the bottleneck");
    let fields: Vec<&str> = last.split(',').collect();
    assert_eq!((fields.len(), fields[8]), (11, (60 - got).to_string().as_str()), "{last}");
    let flows = std::fs::read_to_string(lab.directory.join("flows.csv")).expect("samples");
    assert!(flows.contains(",s1,2,10.77.0.1,10.77.0.2,udp,7000,7000,"));
}

#[test]
fn links_can_be_changed_and_the_end_is_clean() {
    require_namespaces();
    let lab = Lab::new();
    let switch = lab.start("{}", "{}");
    let a = lab.udp(&lab.a, "10.77.0.1:7000");
    let b = lab.udp(&lab.b, "10.77.0.2:7000");
    until_connected(&a, &b, "10.77.0.2:7000");
    let set = r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"delay_us":50000}}"#;
    assert_eq!(switch.ask(set)["ok"], true);
    let start = Instant::now();
    a.send_to(b"x", "10.77.0.2:7000").expect("sent");
    support::receive(&b, &mut [0u8; 64]).expect("arrives");
    assert!(start.elapsed() >= Duration::from_millis(50), "{:?}", start.elapsed());
    assert_eq!(switch.link("s1-s2", "egress")["config"]["delay_us"], 50_000.0);

    for (wrong, expected) in [
        (r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"delay_ms":5}}"#, "delay_ms"),
        (r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"loss":2}}"#, "loss"),
        (r#"{"op":"set_link","switch":"s1","port":9,"direction":"egress","link":{}}"#, "port 9"),
        (r#"{"op":"fly"}"#, "fly"),
        ("nonsense", "not a request"),
    ] {
        let answer = switch.ask(wrong);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(expected)), "{wrong} gave {answer}");
    }
    // A client that connects and says nothing must not hold anything up.
    let _silent = std::os::unix::net::UnixStream::connect(&switch.socket).expect("connected");
    // Connections are taken in order, so that one is held when this is answered.
    assert!(switch.ask(r#"{"op":"stats"}"#)["links"].is_array());
    let socket = switch.socket.clone();
    assert_eq!(switch.terminate().code(), Some(0));
    assert!(!socket.exists(), "the socket file is gone");
    ip(&format!("-n {} link show tap0", lab.a)).expect("the host keeps its device");
    // At once again.
    assert_eq!(lab.start("{}", "{}").terminate().code(), Some(0));
}
