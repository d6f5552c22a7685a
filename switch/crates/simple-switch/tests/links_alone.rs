//! `p4switch links`: the links of a network whose switches are processes of their own, here two `simple_switch_grpc`.

mod support;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Lab, can_run, in_time, ip, unless_late};

/// The TAP devices between the links and the switches, and the switches; gone when dropped.
struct Switches {
    taps: Vec<String>,
    processes: Vec<Child>,
}

impl Switches {
    /// Switches 1 and 2 with ports 1 and 2 each, which send what comes in by one port out of the other.
    fn new(tag: u32) -> Self {
        let mut switches = Self { taps: Vec::new(), processes: Vec::new() };
        for switch in 1..=2 {
            let mut command = Command::new(env!("CARGO_BIN_EXE_simple_switch_grpc"));
            for port in 1..=2 {
                let tap = tap_name(tag, switch, port);
                ip(&format!("tuntap add {tap} mode tap")).expect("a TAP device");
                ip(&format!("link set {tap} addrgenmode none up")).expect("it comes up");
                command.args(["-i", &format!("{port}@{tap}")]);
                switches.taps.push(tap);
            }
            command.args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cross.json"), "--"]);
            command.args(["--grpc-server-addr", "127.0.0.1:0"]).stderr(Stdio::null());
            switches.processes.push(command.spawn().expect("the switch starts"));
        }
        switches
    }
}

impl Drop for Switches {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
        for tap in &self.taps {
            let _ = ip(&format!("link delete {tap}"));
        }
    }
}

fn tap_name(tag: u32, switch: u32, port: u32) -> String {
    format!("p4l{}s{switch}p{port}", tag % 100_000)
}

/// a - s1 - s2 - b with these links, all of them modelled in one place.
fn description(lab: &Lab, tag: u32, bottleneck: &str, access: &str) -> String {
    let switch = |number: u32, netns: &str, peer: u32| {
        let side = |port| format!(r#"{{"device":"{}"}}"#, tap_name(tag, number, port));
        format!(
            r#"{{"name":"s{number}","device_id":{number},"ports":[
              {{"port":1,"name":"s{number}-host","tap":{{"device":"tap0","netns":"/run/netns/{netns}"}},
                "switch_side":{},"egress":{access},"ingress":{access}}},
              {{"port":2,"name":"s{number}-s{peer}","peer":{{"switch":"s{peer}","port":2}},
                "switch_side":{},"egress":{bottleneck}}}]}}"#,
            side(1),
            side(2)
        )
    };
    let file = |name: &str| lab.directory.join(name).display().to_string();
    format!(
        r#"{{"switches":[{},{}],"management_socket":"{}","samples":{{"ports":"{}","flows":"{}","interval_ms":5}}}}"#,
        switch(1, &lab.a, 2),
        switch(2, &lab.b, 1),
        file("switch.sock"),
        file("ports.csv"),
        file("flows.csv"),
    )
}

#[test]
fn delay_rate_drops_and_counters_between_other_switches() {
    if !can_run("delay_rate_drops_and_counters_between_other_switches") {
        return;
    }
    in_time("delay_rate_drops_and_counters_between_other_switches", check_links);
}

fn check_links() -> Result<(), String> {
    let lab = Lab::new();
    let tag = std::process::id();
    let switches = Switches::new(tag);
    let bottleneck = r#"{"rate_bps":10000000,"delay_us":10000,"queue":{"packets":20}}"#;
    let access = r#"{"rate_bps":200000000,"delay_us":1000}"#;
    let links = lab.launch("links", &description(&lab, tag, bottleneck, access));
    let a = lab.udp(&lab.a, "10.77.0.1:7000");
    let b = lab.udp(&lab.b, "10.77.0.2:7000");
    let mut buffer = [0u8; 2048];
    // The switches may still be starting, and ARP comes first.
    b.set_read_timeout(Some(Duration::from_millis(500))).expect("set");
    let arrives = |buffer: &mut [u8]| {
        a.send_to(b"hello", "10.77.0.2:7000").expect("sent");
        b.recv(buffer).is_ok()
    };
    assert!((0..20).any(|_| arrives(&mut buffer)), "nothing gets through");
    while b.recv(&mut buffer).is_ok() {}
    let before = links.link("s1-s2", "egress")["tx_packets"].as_u64().expect("a number");

    // One at a time: at least what the model asks for, and the switches' own time is small beside it.
    let payload = [7u8; 1000];
    let frame_bits = 1042.0 * 8.0;
    let ideal = Duration::from_secs_f64(0.012 + frame_bits / 10e6 + 2.0 * frame_bits / 200e6);
    let mut delays: Vec<Duration> = (0..30)
        .map(|_| {
            let start = Instant::now();
            a.send_to(&payload, "10.77.0.2:7000").expect("sent");
            b.recv(&mut buffer).expect("arrives");
            start.elapsed()
        })
        .collect();
    delays.sort_unstable();
    assert!(delays[0] >= ideal, "{:?} is less than the {ideal:?} of the model", delays[0]);
    unless_late(delays[15] < ideal * 2, || format!("median {:?}, model {ideal:?}", delays[15]))?;
    println!("one-way delay: model {ideal:?}, measured median {:?}, 90 % {:?}", delays[15], delays[27]);

    // A burst of 60 at once into a queue of 20: it drops some, and what it sends it sends at its rate.
    let start = Instant::now();
    (0..60).for_each(|_| assert!(a.send_to(&payload, "10.77.0.2:7000").is_ok()));
    let mut got = 0u32;
    let mut last = start;
    while b.recv(&mut buffer).is_ok() {
        got += 1;
        last = Instant::now();
    }
    let link = links.link("s1-s2", "egress");
    assert_eq!(link["queue_drops"].as_u64(), Some(60 - u64::from(got)), "{link}");
    assert_eq!(link["tx_packets"].as_u64(), Some(before + 30 + u64::from(got)), "{link}");
    assert!((21..60).contains(&got), "{got} of 60 arrived");
    let least = 0.012 + f64::from(got) * frame_bits / 10e6;
    let took = last.duration_since(start).as_secs_f64();
    assert!(took >= least, "{got} packets took {took} s instead of {least} s");
    unless_late(took < 2.0 * least + 0.05, || format!("{got} packets took {took} s instead of {least} s"))?;

    let flows = links.ask(r#"{"op":"flows"}"#);
    let flows = flows["flows"].as_array().expect("flows").clone();
    let flow = flows.iter().find(|flow| flow["switch"] == "s1" && flow["port"] == 2 && flow["protocol"] == "udp");
    assert_eq!(flow.expect("the flow")["drops"].as_u64(), Some(60 - u64::from(got)));

    // Changed while it runs.
    let set = r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"delay_us":60000}}"#;
    assert_eq!(links.ask(set)["ok"], true);
    let start = Instant::now();
    assert!(arrives(&mut buffer));
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
    Ok(())
}

#[test]
fn what_links_cannot_do_is_said() {
    if !can_run("what_links_cannot_do_is_said") {
        return;
    }
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
