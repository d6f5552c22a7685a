use super::*;

/// Sends packets through an otherwise ideal link; which of them are lost.
fn lost_of(link: &mut TestLink, packets: u32, make: impl Fn(u32) -> Vec<u8>) -> Vec<u32> {
    let mut lost = Vec::new();
    for packet in 0..packets {
        link.enqueue(0, Place::default(), 100, packet).expect("no limit");
        assert!(link.dequeue(0).is_some());
        lost.extend(link.transmit(make(packet)).err().map(|_| packet));
    }
    lost
}

fn lost(json: &str, packets: u32, bytes: usize) -> Vec<u32> {
    let mut link = described(json);
    let lost = lost_of(&mut link, packets, |packet| frame(packet, bytes));
    assert_eq!((link.counters().tx_packets, link.counters().loss_drops), (u64::from(packets), lost.len() as u64));
    lost
}

/// Checks a share of `packets` against its expectation, `deviations` standard deviations of independent losses wide.
fn assert_share(lost: usize, packets: u32, expected: f64, deviations: f64) {
    let share = lost as f64 / f64::from(packets);
    let width = deviations * (expected * (1.0 - expected) / f64::from(packets)).sqrt();
    assert!((share - expected).abs() < width, "{share} of {packets} lost, expected {expected} ± {width}");
}

#[test]
fn loss_is_seeded_takes_transmission_time_and_is_counted_apart() {
    let arrivals = |seed: u64| {
        let mut link = described(&format!(r#"{{"rate_bps":8000000,"loss":0.1,"seed":{seed}}}"#));
        fill(&mut link, 0, 10_000, 1000);
        (run(&mut link, u64::MAX, 1000), *link.counters())
    };
    let (arrived, counters) = arrivals(7);
    assert_eq!((counters.tx_packets, counters.queue_drops), (10_000, 0));
    assert_eq!(counters.loss_drops as usize + arrived.len(), 10_000);
    assert_share(counters.loss_drops as usize, 10_000, 0.1, 4.0);
    assert!(arrived.iter().all(|(packet, at_ns)| *at_ns == u64::from(packet + 1) * 1_000_000));
    assert_eq!(arrivals(7).0, arrived);
    assert_ne!(arrivals(8).0, arrived);
}

#[test]
fn long_packets_are_lost_more_often() {
    let losses = |json: &str, bytes| lost(json, 100_000, bytes).len();
    for bytes in [64, 1500] {
        let expected = 1.0 - (1.0f64 - 1e-4).powi(bytes);
        assert_share(losses(r#"{"loss":{"per_byte":1e-4}}"#, bytes as usize), 100_000, expected, 4.0);
        let expected = 1.0 - (1.0f64 - 1e-5).powi(8 * bytes);
        assert_share(losses(r#"{"loss":{"per_bit":1e-5}}"#, bytes as usize), 100_000, expected, 4.0);
    }
    assert_eq!(losses(r#"{"loss":{"per_byte":1}}"#, 60), 100_000);
    assert_eq!(losses(r#"{"loss":{"per_byte":0}}"#, 60), 0);
}

#[test]
fn every_nth_and_listed_packets() {
    assert_eq!(lost(r#"{"loss":{"every":4}}"#, 10, 60), [3, 7]);
    assert_eq!(lost(r#"{"loss":{"packets":[1,5,6]}}"#, 10, 60), [0, 4, 5]);
}

/// Lengths of the runs of consecutive numbers.
fn bursts(lost: &[u32]) -> Vec<usize> {
    lost.chunk_by(|a, b| a + 1 == *b).map(<[u32]>::len).collect()
}

#[test]
fn gilbert_elliott_has_the_loss_rate_and_the_bursts_of_its_theory() {
    // Losses are those of the bad state alone: its share is p / (p + r), its mean length 1 / r.
    let (p, r, packets) = (0.01, 0.25, 1_000_000);
    let lost_in = lost(r#"{"loss":{"gilbert_elliott":{"p":0.01,"r":0.25}},"seed":3}"#, packets, 60);
    let rate = lost_in.len() as f64 / f64::from(packets);
    let expected = p / (p + r);
    // Correlated losses vary more than independent ones, by (1 + λ) / (1 − λ) with λ = 1 − p − r.
    let deviation = (expected * (1.0 - expected) * (2.0 - p - r) / (p + r) / f64::from(packets)).sqrt();
    assert!((rate - expected).abs() < 4.0 * deviation, "{rate}, expected {expected} ± {deviation}");
    let bursts = bursts(&lost_in);
    let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
    let deviation = ((1.0 - r) / (r * r) / bursts.len() as f64).sqrt();
    assert!((mean - 1.0 / r).abs() < 4.0 * deviation, "bursts of {mean}, expected {} ± {deviation}", 1.0 / r);
    // Their lengths are distributed geometrically.
    let of_one = bursts.iter().filter(|length| **length == 1).count();
    assert_share(of_one, u32::try_from(bursts.len()).expect("few"), r, 4.0);
}

#[test]
fn gilbert_elliott_loses_in_both_states() {
    let (p, r, good, bad) = (0.05, 0.2, 0.01, 0.6);
    let json = r#"{"loss":{"gilbert_elliott":{"p":0.05,"r":0.2,"loss_good":0.01,"loss_bad":0.6}},"seed":11}"#;
    let rate = lost(json, 1_000_000, 60).len() as f64 / 1e6;
    let expected = (r * good + p * bad) / (p + r);
    assert!((rate - expected).abs() < 0.003, "{rate}, expected {expected}");
    assert_eq!(lost(json, 10_000, 60), lost(json, 10_000, 60));
    // Certain changes: good, bad, good, bad.
    assert_eq!(lost(r#"{"loss":{"gilbert_elliott":{"p":1,"r":1}}}"#, 6, 60), [1, 3, 5]);
}

/// A UDP packet to this port.
fn udp(number: u32, port: u16) -> Vec<u8> {
    let mut frame = frame(number, 12);
    frame.extend([8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 2, 4, 0, 9]);
    frame.extend(port.to_be_bytes());
    frame.extend([0; 30]);
    frame
}

/// Even packets go to port 53, those that 3 divides besides to port 80, the others to 1000.
fn mixed(number: u32) -> Vec<u8> {
    let port = match (number % 2, number % 3) {
        (0, _) => 53,
        (_, 0) => 80,
        _ => 1000,
    };
    udp(number, port)
}

fn lost_mixed(filtered: &str, loss: &str, seed: u64) -> Vec<u32> {
    let mut link = described(&format!(r#"{{"filtered_loss":[{filtered}],"loss":{loss},"seed":{seed}}}"#));
    let lost = lost_of(&mut link, 6000, mixed);
    assert_eq!(link.counters().loss_drops, lost.len() as u64);
    lost
}

const TO_53: &str = r#"{"filter":"udp dport 53","loss":0.25}"#;
const TO_80: &str = r#"{"filter":"udp dport 80","loss":0.1}"#;

#[test]
fn filtered_losses_hit_the_chosen_packets_alone() {
    let lost = lost_mixed(TO_53, "0", 7);
    assert!(lost.iter().all(|packet| packet % 2 == 0));
    assert_share(lost.len(), 3000, 0.25, 4.0);
    assert_eq!(lost_mixed(TO_53, "0", 7), lost);
    assert_ne!(lost_mixed(TO_53, "0", 8), lost);
}

#[test]
fn no_sequence_shifts_another() {
    let others = |lost: Vec<u32>, keep: fn(&u32) -> bool| lost.into_iter().filter(keep).collect::<Vec<_>>();
    let to_1000 = |packet: &u32| !packet.is_multiple_of(2) && !packet.is_multiple_of(3);
    // Losses of all packets are the same with a filter and without, where the filter does not look ...
    let both = lost_mixed(&format!("{TO_53},{TO_80}"), "0.1", 7);
    assert_eq!(others(both.clone(), to_1000), others(lost_mixed("", "0.1", 7), to_1000));
    // ... and those of each filter the same beside others, before or behind them.
    let alone = [lost_mixed(TO_53, "0", 7), lost_mixed(TO_80, "0", 7)].concat();
    let mut together = lost_mixed(&format!("{TO_80},{TO_53}"), "0", 7);
    together.sort_by_key(|packet| (packet % 2, *packet));
    assert_eq!(together, alone);
    // The same filter twice loses twice as often, not the same packets.
    let twice = lost_mixed(&format!("{TO_53},{TO_53}"), "0", 7);
    assert_share(twice.len(), 3000, 1.0 - 0.75 * 0.75, 4.0);
}

#[test]
fn a_filter_counts_its_own_packets() {
    assert_eq!(lost_mixed(r#"{"filter":"udp dport 80","loss":{"packets":[1,2]}}"#, "0", 1), [3, 9]);
}

#[test]
fn a_seed_that_is_given_begins_anew_and_other_changes_go_on() {
    let json = format!(r#"{{"loss":0.2,"filtered_loss":[{TO_53}],"seed":5}}"#);
    let mut whole = described(&json);
    let (first, second) = (lost_of(&mut whole, 3000, mixed), lost_of(&mut whole, 3000, mixed));
    assert_ne!(first, second);
    let mut changed = described(&json);
    assert_eq!(lost_of(&mut changed, 3000, mixed), first);
    change(&mut changed, &format!(r#"{{"delay_us":1,"filtered_loss":[{TO_80},{TO_53}]}}"#), 0);
    change(&mut changed, &format!(r#"{{"filtered_loss":[{TO_53}]}}"#), 0);
    assert_eq!(lost_of(&mut changed, 3000, mixed), second);
    change(&mut changed, r#"{"seed":5}"#, 0);
    assert_eq!(lost_of(&mut changed, 3000, mixed), first);
}

#[test]
fn a_loss_that_a_trace_changes_is_the_one_when_the_packet_starts() {
    let mut link = described(r#"{"rate_bps":8000000,"trace":[{"at_s":0.0015,"loss":1},{"at_s":0.0035,"loss":0}]}"#);
    link.start_trace(0, 0);
    fill(&mut link, 0, 6, 1000);
    let arrived: Vec<u32> = run(&mut link, u64::MAX, 1000).into_iter().map(|(packet, _)| packet).collect();
    assert_eq!(arrived, [0, 1, 4, 5]);
}
