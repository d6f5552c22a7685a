//! `simple_switch_grpc` on existing interfaces.

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use support::{ip, require_namespaces};

/// Two namespaces, each with one end of a veth whose other end stays here. Gone when dropped.
struct Veths {
    tag: String,
}

impl Veths {
    fn new() -> Self {
        let veths = Self { tag: format!("p4v{}", std::process::id() % 100_000) };
        for (end, address) in [("a", "10.78.0.1/24"), ("b", "10.78.0.2/24")] {
            let name = veths.name(end);
            for command in [
                format!("netns add {name}"),
                format!("link add {name} type veth peer name eth0 netns {name}"),
                format!("link set {name} addrgenmode none up"),
                format!("-n {name} address add {address} dev eth0"),
                format!("-n {name} link set eth0 addrgenmode none up"),
            ] {
                ip(&command).expect("a veth pair");
            }
        }
        veths
    }

    fn name(&self, end: &str) -> String {
        format!("{}{end}", self.tag)
    }
}

impl Drop for Veths {
    fn drop(&mut self) {
        for end in ["a", "b"] {
            let _ = ip(&format!("link delete {}", self.name(end)));
            let _ = ip(&format!("netns delete {}", self.name(end)));
        }
    }
}

#[test]
fn forwards_between_interfaces_and_writes_pcap() {
    require_namespaces();
    let veths = Veths::new();
    let directory = std::env::temp_dir().join(&veths.tag);
    fs::create_dir_all(&directory).expect("a directory");
    let mut switch = Command::new(env!("CARGO_BIN_EXE_simple_switch_grpc"))
        .args(["-i", &format!("1@{}", veths.name("a")), "-i", &format!("2@{}", veths.name("b"))])
        .args([
            "--device-id",
            "3",
            "--thrift-port",
            "9090",
            "--log-console",
            &format!("--pcap={}", directory.display()),
        ])
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cross.json"), "--", "--grpc-server-addr", "127.0.0.1:0"])
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");

    let a = support::udp(&veths.name("a"), "10.78.0.1:7000");
    let b = support::udp(&veths.name("b"), "10.78.0.2:7000");
    // A veth leaves checksums to hardware that is not there: the receiver takes the datagram only if the switch has written them.
    b.set_read_timeout(Some(Duration::from_millis(100))).expect("set");
    let mut buffer = [0u8; 2048];
    let mut arrived = false;
    for _ in 0..100 {
        // Until the switch is up.
        let _ = a.send_to(&[5u8; 900], "10.78.0.2:7000");
        if support::receive(&b, &mut buffer).is_ok_and(|length| length == 900 && buffer[..900] == [5u8; 900]) {
            arrived = true;
            break;
        }
    }
    assert!(arrived, "nothing arrives");
    // SAFETY: a signal to a child that has not been waited for.
    unsafe { libc::kill(switch.id() as libc::pid_t, libc::SIGINT) };
    assert_eq!(switch.wait().expect("its end").code(), Some(0));

    for (end, way) in [("a", "in"), ("b", "out")] {
        let pcap = fs::read(directory.join(format!("{}_{way}.pcap", veths.name(end)))).expect("a pcap file");
        assert_eq!(pcap[..4], 0xa1b2_3c4d_u32.to_ne_bytes());
        assert!(pcap.windows(900).any(|window| window == [5u8; 900]), "the frame is in the file");
    }
    let _ = fs::remove_dir_all(&directory);
}
