//! The link model over given times. Each subject has a file: rates, the queue, losses, traces, changes.

mod changes;
mod jitter;
mod losses;
mod priorities;
mod queue;
mod rate;
mod scenarios;
mod schedulers;
mod time_histogram;
mod traces;

use links::*;

/// Packets are numbers in the queue; on the wire, frames that begin with the number.
type TestLink = Link<u32, Vec<u8>>;

/// A packet's number, and when it arrived.
type Arrival = (u32, u64);

fn link(config: LinkConfig) -> TestLink {
    TestLink::new(config).expect("a valid test link")
}

/// The link of a JSON description.
fn described(json: &str) -> TestLink {
    link(serde_json::from_str(json).expect("a good description"))
}

fn rate(rate_bps: u64) -> LinkConfig {
    LinkConfig { rate_bps: Some(rate_bps), ..LinkConfig::default() }
}

fn frame(number: u32, bytes: usize) -> Vec<u8> {
    let mut frame = number.to_be_bytes().to_vec();
    frame.resize(bytes, 0);
    frame
}

fn number_of(frame: &[u8]) -> u32 {
    u32::from_be_bytes(*frame.first_chunk().expect("a test frame"))
}

/// Runs the link up to `until_ns` with packets of these sizes.
fn run_sized(link: &mut TestLink, until_ns: u64, bytes: impl Fn(u32) -> usize) -> Vec<Arrival> {
    let mut arrived = Vec::new();
    while let Some(event) = link.advance(until_ns) {
        match event {
            Event::Dequeued(Dequeued { item, .. }) => {
                let _ = link.transmit(frame(item, bytes(item)));
            }
            Event::Delivered { frame, at_ns } => arrived.push((number_of(&frame), at_ns)),
        }
    }
    arrived
}

/// The same with packets of one size.
fn run(link: &mut TestLink, until_ns: u64, bytes: usize) -> Vec<Arrival> {
    run_sized(link, until_ns, |_| bytes)
}

/// Changes fields as `set_link` does.
fn change(link: &mut TestLink, json: &str, now_ns: u64) -> Cut<u32, Vec<u8>> {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(json).expect("well-formed");
    let mut merged = serde_json::to_value(link.config()).expect("writes");
    merged.as_object_mut().expect("an object").extend(fields.clone());
    let config = serde_json::from_value(merged).expect("a good description");
    link.set_config(config, |field| fields.contains_key(field), now_ns).expect("in range")
}

/// Puts packets 0, 1, … into the queue at once.
fn fill(link: &mut TestLink, at_ns: u64, packets: u32, bytes: u32) {
    (0..packets).for_each(|packet| link.enqueue(at_ns, Place::default(), bytes, packet).expect("room"));
}
