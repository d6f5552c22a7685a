use super::*;

const SENT_EVERY_NS: u64 = 1_000_000;

fn arrivals(json: &str) -> Vec<Arrival> {
    let mut link = described(json);
    fill(&mut link, 0, 2000, 1000);
    run(&mut link, u64::MAX, 1000)
}

/// The time that each packet took longer than the delay alone, in nanoseconds.
fn drawn(arrived: &[Arrival], delay_ns: u64) -> Vec<u64> {
    arrived.iter().map(|(packet, at_ns)| at_ns - u64::from(packet + 1) * SENT_EVERY_NS - delay_ns).collect()
}

#[test]
fn each_packet_takes_longer_by_a_time_that_is_drawn_evenly() {
    let json = |seed: u64| format!(r#"{{"rate_bps":8000000,"delay_us":2000,"jitter_us":50,"seed":{seed}}}"#);
    let arrived = arrivals(&json(7));
    let longer = drawn(&arrived, 2_000_000);
    assert!(longer.iter().all(|ns| *ns < 50_000));
    let mean_ns = longer.iter().sum::<u64>() as f64 / longer.len() as f64;
    assert!((mean_ns - 25_000.0).abs() < 4.0 * 50_000.0 / (12.0 * 2000.0_f64).sqrt(), "mean {mean_ns} ns");
    assert_eq!(arrivals(&json(7)), arrived, "the same seed draws the same");
    assert_ne!(arrivals(&json(8)), arrived);
}

#[test]
fn no_packet_overtakes_another() {
    let arrived = arrivals(r#"{"rate_bps":8000000,"jitter_us":20000}"#);
    assert!(arrived.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
    assert!(drawn(&arrived, 0).into_iter().max() > Some(19_000_000));
}

#[test]
fn it_can_begin_and_end_while_the_link_runs() {
    let mut link = described(r#"{"rate_bps":8000000}"#);
    fill(&mut link, 0, 30, 1000);
    let mut arrived = run(&mut link, 10_500_000, 1000);
    change(&mut link, r#"{"jitter_us":100}"#, 10_500_000);
    arrived.extend(run(&mut link, 20_500_000, 1000));
    change(&mut link, r#"{"jitter_us":0}"#, 20_500_000);
    arrived.extend(run(&mut link, u64::MAX, 1000));
    let longer = drawn(&arrived, 0);
    assert!(longer[..10].iter().chain(&longer[21..]).all(|ns| *ns == 0), "{longer:?}");
    assert!(longer[11..20].iter().all(|ns| *ns > 0), "{longer:?}");
}

#[test]
fn an_impossible_jitter_is_refused() {
    let config = LinkConfig { jitter_us: -1.0, ..LinkConfig::default() };
    assert_eq!(config.validate().expect_err("negative").field, "jitter_us");
}
