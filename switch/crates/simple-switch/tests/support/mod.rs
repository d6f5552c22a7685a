//! Two network namespaces with a TAP device each, and a `p4switch` between them. Assertions here must hold however busy the
//! machine is; tests that need the clock are in `real_time.rs`.

// Every test program uses a part of it.
#![allow(dead_code)]

pub mod other_switches;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{process, thread};

use serde_json::Value;

static COUNT: AtomicU32 = AtomicU32::new(0);

/// An event that has not happened by then will not happen.
const DEADLINE: Duration = Duration::from_secs(20);

/// To be called first by every test that makes network namespaces: says what is missing, instead of failing somewhere later.
pub fn require_namespaces() {
    // SAFETY: no arguments, cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    let able = root && fs::exists("/dev/net/tun").unwrap_or(false) && ip("netns list").is_ok();
    assert!(able, "this test makes network namespaces and TAP devices: run it as root, with /dev/net/tun and ip(8)");
}

/// Runs `ip ARGUMENTS`.
pub fn ip(arguments: &str) -> Result<(), String> {
    let output = Command::new("ip").args(arguments.split_whitespace()).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// A UDP socket inside a namespace.
pub fn udp(netns: &str, address: &str) -> UdpSocket {
    let file = File::open(format!("/run/netns/{netns}")).expect("the namespace");
    let address = address.to_owned();
    let inside = move || {
        // SAFETY: plain system call; only this short-lived thread changes its namespace.
        assert_eq!(unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) }, 0);
        UdpSocket::bind(address).expect("a socket in the namespace")
    };
    let socket = thread::spawn(inside).join().expect("a socket");
    socket.set_read_timeout(Some(DEADLINE)).expect("a time-out");
    socket
}

/// Sends numbered datagrams until the one that was sent last arrives: nothing is under way then. (Switches may still be starting.)
pub fn until_connected(from: &UdpSocket, to: &UdpSocket, address: &str) {
    to.set_read_timeout(Some(Duration::from_millis(200))).expect("set");
    let deadline = Instant::now() + DEADLINE;
    let mut buffer = [0u8; 2048];
    for number in 0u32.. {
        assert!(Instant::now() < deadline, "nothing gets through");
        // Refused while the interface is still coming up.
        let _ = from.send_to(&number.to_be_bytes(), address);
        while let Ok(length) = receive(to, &mut buffer) {
            if buffer[..length] == number.to_be_bytes() {
                to.set_read_timeout(Some(DEADLINE)).expect("set");
                return;
            }
        }
    }
}

/// The length of the next datagram. A wait with a time-out ends when a stopped process goes on (signal(7)); this one does not.
pub fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match socket.recv(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Whether nothing is waiting to be read.
pub fn is_empty(socket: &UdpSocket) -> bool {
    socket.set_nonblocking(true).expect("set");
    let nothing = socket.recv(&mut [0u8; 1]).is_err();
    socket.set_nonblocking(false).expect("set");
    nothing
}

/// Two hosts `a` (10.77.0.1) and `b` (10.77.0.2), and a directory for files. All gone when dropped.
pub struct Lab {
    pub a: String,
    pub b: String,
    pub directory: PathBuf,
}

impl Lab {
    pub fn new() -> Self {
        let tag = format!("p4t{}n{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(&tag);
        fs::create_dir_all(&directory).expect("a directory for the test's files");
        let lab = Self { a: format!("{tag}a"), b: format!("{tag}b"), directory };
        for (netns, own, other) in [(&lab.a, 1, 2), (&lab.b, 2, 1)] {
            for command in [
                format!("netns add {netns}"),
                format!("-n {netns} tuntap add tap0 mode tap"),
                format!("-n {netns} address add 10.77.0.{own}/24 dev tap0"),
                // Without IPv6 addresses and ARP no frames of the kernel's own get in between.
                format!("-n {netns} link set tap0 address 02:00:00:00:00:0{own} addrgenmode none up"),
                format!("-n {netns} neighbour add 10.77.0.{other} lladdr 02:00:00:00:00:0{other} dev tap0"),
            ] {
                ip(&command).expect("a namespace with a TAP device");
            }
        }
        lab
    }

    /// See [`udp`].
    pub fn udp(&self, netns: &str, address: &str) -> UdpSocket {
        udp(netns, address)
    }

    /// Writes a network description of a - s1 - s2 - b with these links and starts a switch on it.
    pub fn start(&self, bottleneck: &str, access: &str) -> RunningSwitch {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cross.json");
        let socket = self.directory.join("switch.sock");
        let switch = |name: &str, id: u32, netns: &str, peer: &str| {
            format!(
                r#"{{"name":"{name}","device_id":{id},"program":"{program}","ports":[
                  {{"port":1,"name":"{name}-host","tap":{{"device":"tap0","netns":"/run/netns/{netns}"}},
                    "egress":{access},"ingress":{access}}},
                  {{"port":2,"name":"{name}-{peer}","peer":{{"switch":"{peer}","port":2}},"egress":{bottleneck}}}]}}"#
            )
        };
        let (ports, flows) = (self.directory.join("ports.csv"), self.directory.join("flows.csv"));
        let text = format!(
            r#"{{"switches":[{},{}],"management_socket":"{}",
                "samples":{{"ports":"{}","flows":"{}","interval_ms":5}}}}"#,
            switch("s1", 1, &self.a, "s2"),
            switch("s2", 2, &self.b, "s1"),
            socket.display(),
            ports.display(),
            flows.display(),
        );
        self.launch("run", &text)
    }

    /// Starts `p4switch COMMAND` on a network description.
    pub fn launch(&self, command: &str, text: &str) -> RunningSwitch {
        let path = self.directory.join("network.json");
        fs::write(&path, text).expect("the description");
        let mut child = Command::new(env!("CARGO_BIN_EXE_p4switch"))
            .arg(command)
            .arg(&path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), r#"{"event":"ready"}"#);
        RunningSwitch { child, socket: self.directory.join("switch.sock") }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for netns in [&self.a, &self.b] {
            let _ = ip(&format!("netns delete {netns}"));
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A running `p4switch`.
pub struct RunningSwitch {
    child: Child,
    pub socket: PathBuf,
}

impl RunningSwitch {
    /// One request on the management socket.
    pub fn ask(&self, request: &str) -> Value {
        let mut stream = UnixStream::connect(&self.socket).expect("the management socket");
        writeln!(stream, "{request}").expect("sent");
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).expect("an answer");
        serde_json::from_str(&answer).expect("JSON")
    }

    /// The statistics of one link direction.
    pub fn link(&self, name: &str, direction: &str) -> Value {
        let stats = self.ask(r#"{"op":"stats"}"#);
        let links = stats["links"].as_array().expect("links").clone();
        let found = links.into_iter().find(|link| link["name"] == name && link["direction"] == direction);
        found.expect("the link")
    }

    /// The statistics of one link direction as soon as they meet a condition.
    pub fn link_when(&self, name: &str, direction: &str, condition: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let link = self.link(name, direction);
            if condition(&link) {
                return link;
            }
            assert!(Instant::now() < deadline, "not within {DEADLINE:?}: {link}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// SIGTERM, then the exit status.
    pub fn terminate(mut self) -> ExitStatus {
        // SAFETY: a signal to a child that has not been waited for.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGTERM) };
        self.child.wait().expect("its end")
    }
}

impl Drop for RunningSwitch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
