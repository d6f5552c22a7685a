//! Switches that are processes of their own (`simple_switch_grpc`), and a description of the links between them.

use std::process::{Child, Command, Stdio};

use super::{Lab, ip};

/// The TAP devices between the links and the switches, and the switches; gone when dropped.
pub struct Switches {
    taps: Vec<String>,
    processes: Vec<Child>,
}

impl Switches {
    /// Switches 1 and 2 with ports 1 and 2 each, which send frames from one port out of the other.
    pub fn new(tag: u32) -> Self {
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
pub fn description(lab: &Lab, tag: u32, bottleneck: &str, access: &str) -> String {
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
