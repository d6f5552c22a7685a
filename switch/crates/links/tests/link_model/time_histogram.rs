use super::*;

#[test]
fn lateness_quantiles() {
    let mut lateness = TimeHistogram::default();
    assert_eq!(lateness.lateness(), LatenessSummary::default());
    (1..=1000).for_each(|us| lateness.record(us * 1_000));
    lateness.record(1_000_001);
    let summary = lateness.lateness();
    assert_eq!((summary.packets, summary.late_1ms), (1001, 1));
    assert!((summary.p50_us - 500.0).abs() < 32.0, "{summary:?}");
    assert!((summary.p99_us - 990.0).abs() < 64.0, "{summary:?}");
    assert_eq!(summary.max_us, 1000.001);
    lateness.record(u64::MAX);
    assert!(lateness.lateness().max_us > 1e15);
}

#[test]
fn means_are_exact_and_a_reset_forgets() {
    let mut waits = TimeHistogram::default();
    assert_eq!(waits.waits(), WaitSummary::default());
    [1_000, 2_000, 6_000].into_iter().for_each(|ns| waits.record(ns));
    assert_eq!((waits.waits().packets, waits.waits().mean_us, waits.waits().max_us), (3, 3.0, 6.0));
    let mut all = TimeHistogram::default();
    all.merge(&waits);
    all.merge(&waits);
    assert_eq!((all.waits().packets, all.waits().mean_us), (6, 3.0));
    waits.reset();
    assert_eq!(waits.waits(), WaitSummary::default());
}

/// Eight packets of 1 ms come at once, four into each of two queues: the first one leaves at once, the last one after 7 ms.
#[test]
fn each_queue_knows_how_long_its_packets_waited() {
    let mut link = described(r#"{"rate_bps": 8000000, "priorities": 2}"#);
    for packet in 0..4 {
        link.enqueue(0, Place::of(0), 1000, packet).expect("room");
        link.enqueue(0, Place::of(1), 1000, 100 + packet).expect("room");
    }
    run_sized(&mut link, u64::MAX - 1, |_| 1000);
    let waits: Vec<_> = link.queue_waits().map(TimeHistogram::waits).collect();
    assert_eq!(waits.iter().map(|one| (one.packets, one.max_us)).collect::<Vec<_>>(), [(4, 7_000.0), (4, 3_000.0)]);
    assert_eq!(waits.iter().map(|one| one.mean_us).collect::<Vec<_>>(), [5_500.0, 1_500.0]);
    link.reset_queue_waits();
    assert!(link.queue_waits().all(|one| one.waits().packets == 0));
}
