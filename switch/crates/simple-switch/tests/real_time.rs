//! Tests that need the real clock: frames leave when the link model says, on a machine that does other things too. The model
//! itself is tested at given times, without a clock, in the crates `links` and `engine`.
//!
//! The bars are on medians. Those of the switch's own lateness counters say how late frames left. That of the delays between the
//! hosts is needed too, since a switch that is late to *take* a frame does not know. A machine that stands still for a while spoils
//! a few packets, or a try, but not the test: there are a few tries, each said on standard error. After the last one the test has
//! failed.

mod support;

use std::io::Write;
use std::net::UdpSocket;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use support::other_switches::{Switches, description};
use support::{Lab, RunningSwitch, require_namespaces, until_connected};

/// Tries of one test.
const TRIES: u32 = 3;
/// Packets of one try.
const PACKETS: usize = 100;
/// Half of the packets have to be less late than this at every link, by the switch's own counters.
const MEDIAN_LATENESS_US: f64 = 1_000.0;
/// Half of the packets may take no more than this above the model's time: waking up the processes on their way. (Below 1 ms with
/// five busy processes a processor.)
const MEDIAN_ABOVE_MODEL: Duration = Duration::from_millis(5);

const BOTTLENECK: &str = r#"{"rate_bps":10000000,"delay_us":10000}"#;
const ACCESS: &str = r#"{"rate_bps":200000000,"delay_us":1000}"#;
const PAYLOAD_BYTES: usize = 1000;

/// One test at a time: they are about time.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs a test up to [`TRIES`] times; the error says which time was late.
fn in_time(test: &str, body: impl Fn() -> Result<String, String>) {
    let _alone = ALONE.lock();
    let mut late = Vec::new();
    for number in 1..=TRIES {
        let result = body();
        // Written past the harness, which shows nothing of tests that pass.
        let said = result.as_ref().map_or_else(|late| format!("LATE: {late}"), |seen| format!("in time: {seen}"));
        let _ = writeln!(std::io::stderr(), "real time: {test}, try {number} of {TRIES}, {said}");
        match result {
            Ok(_) => return,
            Err(what) => late.push(what),
        }
    }
    panic!("{test} was late {TRIES} times of {TRIES}: {}", late.join("; "));
}

/// Sends packets from one host to the other, one at a time, and judges when they came.
fn one_at_a_time(switch: &RunningSwitch, a: &UdpSocket, b: &UdpSocket) -> Result<String, String> {
    until_connected(a, b, "10.77.0.2:7000");
    assert_eq!(switch.ask(r#"{"op":"reset_lateness"}"#)["ok"], true);
    let frame_bits = (PAYLOAD_BYTES + 42) as f64 * 8.0;
    let model = Duration::from_secs_f64(0.012 + frame_bits / 10e6 + 2.0 * frame_bits / 200e6);
    let mut buffer = [0u8; PAYLOAD_BYTES];
    let mut delays: Vec<Duration> = (0..PACKETS)
        .map(|_| {
            let start = Instant::now();
            a.send_to(&buffer, "10.77.0.2:7000").expect("sent");
            support::receive(b, &mut buffer).expect("arrives");
            start.elapsed()
        })
        .collect();
    delays.sort_unstable();
    let (quickest, median) = (delays[0], delays[PACKETS / 2]);
    assert!(quickest >= model, "{quickest:?} is less than the {model:?} of the model");
    let mut median_us = 0f64;
    for (link, direction) in [("s1-host", "ingress"), ("s1-s2", "egress"), ("s2-host", "egress")] {
        let lateness = &switch.link(link, direction)["lateness"];
        assert_eq!(lateness["packets"].as_u64(), Some(PACKETS as u64), "{link}: {lateness}");
        median_us = median_us.max(lateness["p50_us"].as_f64().expect("a number"));
    }
    let seen = format!(
        "links {median_us:.0} µs late (median; at most {MEDIAN_LATENESS_US}), hosts see {quickest:?} to {median:?} (quickest, median; \
         the model says {model:?}, the median may be {MEDIAN_ABOVE_MODEL:?} more)"
    );
    let is_in_time = median_us <= MEDIAN_LATENESS_US && median <= model + MEDIAN_ABOVE_MODEL;
    if is_in_time { Ok(seen) } else { Err(seen) }
}

#[test]
fn frames_through_switches_and_links_of_one_process() {
    require_namespaces();
    in_time("frames_through_switches_and_links_of_one_process", || {
        let lab = Lab::new();
        let switch = lab.start(BOTTLENECK, ACCESS);
        let (a, b) = (lab.udp(&lab.a, "10.77.0.1:7000"), lab.udp(&lab.b, "10.77.0.2:7000"));
        one_at_a_time(&switch, &a, &b)
    });
}

#[test]
fn frames_through_links_between_other_switches() {
    require_namespaces();
    in_time("frames_through_links_between_other_switches", || {
        let lab = Lab::new();
        let tag = std::process::id();
        let _switches = Switches::new(tag);
        let links = lab.launch("links", &description(&lab, tag, BOTTLENECK, ACCESS));
        let (a, b) = (lab.udp(&lab.a, "10.77.0.1:7000"), lab.udp(&lab.b, "10.77.0.2:7000"));
        one_at_a_time(&links, &a, &b)
    });
}
