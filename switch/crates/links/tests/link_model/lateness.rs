use super::*;

#[test]
fn lateness_quantiles() {
    let mut lateness = Lateness::default();
    assert_eq!(lateness.summary(), LatenessSummary::default());
    (1..=1000).for_each(|us| lateness.record(us * 1_000));
    lateness.record(1_000_001);
    let summary = lateness.summary();
    assert_eq!((summary.packets, summary.late_1ms), (1001, 1));
    assert!((summary.p50_us - 500.0).abs() < 32.0, "{summary:?}");
    assert!((summary.p99_us - 990.0).abs() < 64.0, "{summary:?}");
    assert_eq!(summary.max_us, 1000.001);
    lateness.record(u64::MAX);
    assert!(lateness.summary().max_us > 1e15);
}
