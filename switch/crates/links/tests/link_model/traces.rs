use super::*;

/// 8 Mbit/s, a stop from 1.5 to 10 ms, then 4 Mbit/s.
const OUTAGE: &str = r#"{"rate_bps":8000000,"trace":[
    {"at_s":0.0,"rate_bps":8000000},{"at_s":0.0015,"rate_bps":0},{"at_s":0.01,"rate_bps":4000000}]}"#;

#[test]
fn a_trace_waits_until_it_is_started() {
    let mut link = described(OUTAGE);
    fill(&mut link, 0, 3, 1000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (1, 2_000_000), (2, 3_000_000)]);
}

#[test]
fn a_trace_is_followed_to_the_bit_in_model_time() {
    let mut link = described(OUTAGE);
    link.start_trace(0, 0);
    fill(&mut link, 0, 3, 1000);
    // Half of the second one is out at 1.5 ms, the rest follows at 10 ms with half the rate. Nobody looked meanwhile.
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (1, 11_000_000), (2, 13_000_000)]);
}

#[test]
fn the_next_time_is_never_after_what_happens() {
    let mut link = described(OUTAGE);
    link.start_trace(0, 0);
    fill(&mut link, 0, 3, 1000);
    let mut times = Vec::new();
    while let (first, second) = link.next_times_ns()
        && let Some(next) = first.into_iter().chain(second).min()
    {
        times.push(next);
        run(&mut link, next, 1000);
    }
    assert_eq!(times, [0, 1_000_000, 1_500_000, 10_000_000, 11_000_000, 13_000_000]);
}

#[test]
fn a_trace_counts_from_the_given_moment() {
    let mut link = described(OUTAGE);
    fill(&mut link, 0, 3, 1000);
    run(&mut link, 400_000, 1000);
    link.start_trace(1_000_000, 400_000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (1, 2_000_000), (2, 11_000_000 + 1_000_000)]);
}

#[test]
fn a_trace_can_be_started_again() {
    let mut link = described(OUTAGE);
    link.start_trace(0, 0);
    run(&mut link, 20_000_000, 1000);
    link.start_trace(30_000_000, 20_000_000);
    // Until it begins, the description holds: 8, not 4 Mbit/s.
    fill(&mut link, 20_000_000, 1, 1000);
    assert_eq!(run(&mut link, 25_000_000, 1000), [(0, 21_000_000)]);
    fill(&mut link, 31_000_000, 1, 1000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 41_000_000)]);
}

#[test]
fn packets_keep_their_order_and_their_delay_when_the_delay_falls() {
    let mut link = described(
        r#"{"rate_bps":8000000,"trace":[{"at_s":0,"delay_us":10000},{"at_s":0.0015,"delay_us":1000},{"at_s":0.0105,"delay_us":2000}]}"#,
    );
    link.start_trace(0, 0);
    fill(&mut link, 0, 12, 1000);
    let arrived: Vec<u64> = run(&mut link, u64::MAX, 1000).into_iter().map(|(_, at_ns)| at_ns).collect();
    // The first left at 1 ms with 10 ms; those with 1 ms would have come from 3 ms on, and wait behind it.
    let mut expected = vec![11_000_000; 10];
    expected.extend([13_000_000, 14_000_000]);
    assert_eq!(arrived, expected);
}

#[test]
fn a_step_at_the_instant_a_packet_is_out_holds_for_it() {
    let mut link = described(r#"{"rate_bps":8000000,"trace":[{"at_s":0.001,"delay_us":500}]}"#);
    link.start_trace(0, 0);
    fill(&mut link, 0, 1, 1000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_500_000)]);
}

#[test]
fn a_repeating_trace_goes_round_however_long_nobody_looks() {
    let trace =
        r#"{"trace":[{"at_s":0,"rate_bps":8000000},{"at_s":0.001,"rate_bps":0},{"at_s":0.01}],"trace_repeats":true}"#;
    let mut link = described(trace);
    link.start_trace(0, 0);
    fill(&mut link, 0, 3, 1500);
    // 1000 bytes each 10 ms.
    assert_eq!(run(&mut link, 100_000_000, 1500), [(0, 10_500_000), (1, 20_999_999 + 1), (2, 40_500_000)]);
    let hours_later = 36_000_000_000_000 + 5_000_000;
    fill(&mut link, hours_later, 1, 500);
    assert_eq!(run(&mut link, u64::MAX, 500), [(0, hours_later + 5_500_000)]);
}

#[test]
fn a_step_says_only_what_changes() {
    let mut link = described(
        r#"{"rate_bps":8000000,"delay_us":100,"trace":[{"at_s":0,"rate_bps":4000000},{"at_s":1,"delay_us":50},{"at_s":2,"loss":0.5}]}"#,
    );
    link.start_trace(0, 0);
    fill(&mut link, 3_000_000_000, 1, 1000);
    let in_force = InForce { rate_bps: Some(4_000_000), delay_us: 50.0, loss: LossModel::Independent(0.5) };
    assert_eq!(link.in_force(), &in_force);
    assert_eq!((link.config().rate_bps, &link.config().loss), (Some(8_000_000), &LossModel::default()));
}

#[test]
fn a_change_leaves_the_trace_running() {
    let mut link = described(OUTAGE);
    link.start_trace(0, 0);
    fill(&mut link, 0, 3, 1000);
    let mut arrived = run(&mut link, 1_200_000, 1000);
    // A field the trace does not set, and one that it sets again at 10 ms.
    change(&mut link, r#"{"delay_us":7}"#, 1_200_000);
    change(&mut link, r#"{"rate_bps":16000000}"#, 1_250_000);
    assert_eq!(link.in_force().rate_bps, Some(16_000_000));
    arrived.extend(run(&mut link, u64::MAX, 1000));
    // The second: 2000 bits until 1.25 ms, 4000 more until 1.5 ms, 2000 from 10 ms on.
    assert_eq!(arrived, [(0, 1_000_000), (1, 10_507_000), (2, 12_507_000)]);
}

#[test]
fn a_new_trace_ends_the_old_one_and_waits() {
    let mut link = described(OUTAGE);
    link.start_trace(0, 0);
    run(&mut link, 2_000_000, 1000);
    change(&mut link, r#"{"trace":[{"at_s":0,"rate_bps":1000}]}"#, 2_000_000);
    fill(&mut link, 2_000_000, 1, 1000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 3_000_000)]);
}
