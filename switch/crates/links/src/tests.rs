use proptest::prelude::*;

use super::*;

type TestLink = Link<u32, u32>;

fn link(config: LinkConfig) -> TestLink {
    TestLink::new(config, 0).expect("a valid test link")
}

fn rate(rate_bps: u64) -> LinkConfig {
    LinkConfig { rate_bps: Some(rate_bps), ..LinkConfig::default() }
}

/// Runs the link up to `until_ns`; every packet keeps its size. Returns (packet, arrival).
fn run(link: &mut TestLink, until_ns: u64, bytes: u32) -> Vec<(u32, u64)> {
    let mut arrived = Vec::new();
    while let Some(event) = link.advance(until_ns) {
        match event {
            Event::Dequeued(dequeued) => {
                let _ = link.transmit(bytes, dequeued.item);
            }
            Event::Delivered { frame, at_ns } => arrived.push((frame, at_ns)),
        }
    }
    arrived
}

#[test]
fn rate_is_exact_over_100_000_packets() {
    // 36 Mbit/s does not divide 1066 * 8 * 10^9: the remainders have to be carried.
    let mut link = link(rate(36_000_000));
    for packet in 0..100_000 {
        link.enqueue(1_000, 0, 1066, packet).expect("no limit");
    }
    let arrived = run(&mut link, u64::MAX, 1066);
    let exact_ns = 1_000 + 100_000u128 * 1066 * 8 * 1_000_000_000 / 36_000_000;
    assert_eq!(arrived.len(), 100_000);
    assert_eq!(u128::from(arrived[99_999].1), exact_ns);
    assert_eq!(link.counters().tx_bytes, 106_600_000);
}

#[test]
fn late_callers_do_not_slow_the_link_down() {
    let mut link = link(LinkConfig { delay_us: 10.0, ..rate(8_000_000) });
    for packet in 0..3 {
        link.enqueue(0, 0, 1000, packet).expect("no limit");
    }
    // Nobody looked for 50 ms: the model times are the same.
    assert_eq!(run(&mut link, 50_000_000, 1000), [(0, 1_010_000), (1, 2_010_000), (2, 3_010_000)]);
}

#[test]
fn packet_limit_counts_waiting_packets_and_not_the_one_being_sent() {
    let config = LinkConfig { queue: Some(QueueLimit::Packets(2)), ..rate(8_000) };
    // All at one instant, before the transmitter was served ...
    let mut link = link(config.clone());
    let taken = (0..10).filter(|packet| link.enqueue(0, 0, 1000, *packet).is_ok()).count();
    assert_eq!(taken, 3);
    // ... or with the transmitter served at once: the same.
    let mut link = TestLink::new(config, 0).expect("a valid test link");
    let mut taken = 0;
    for packet in 0..10 {
        taken += usize::from(link.enqueue(0, 0, 1000, packet).is_ok());
        run(&mut link, 0, 1000);
    }
    assert_eq!((taken, link.queue_packets()), (3, 2));
    assert_eq!(link.counters().queue_drops, 7);
}

#[test]
fn byte_limit_counts_waiting_bytes() {
    let mut link = link(LinkConfig { queue: Some(QueueLimit::Bytes(3000)), ..rate(8_000) });
    let taken = (0..10).filter(|packet| link.enqueue(0, 0, 1000, *packet).is_ok()).count();
    assert_eq!(taken, 4);
    run(&mut link, 0, 1000);
    assert_eq!(link.queue_bytes(), 3000);
    assert!(link.enqueue(1, 0, 1, 0).is_err());
}

#[test]
fn depths_and_times_are_those_of_the_model() {
    let mut link = link(rate(8_000_000));
    link.enqueue(0, 0, 1000, 0).expect("no limit");
    run(&mut link, 0, 1000);
    link.enqueue(100, 0, 1000, 1).expect("no limit");
    link.enqueue(200, 0, 1000, 2).expect("no limit");
    assert!(matches!(link.advance(9_000_000), Some(Event::Delivered { at_ns: 1_000_000, .. })));
    let Some(Event::Dequeued(first)) = link.advance(9_000_000) else { panic!("a packet waits") };
    assert_eq!((first.enqueued_ns, first.dequeued_ns), (100, 1_000_000));
    assert_eq!((first.enqueue_depth, first.dequeue_depth), (0, 1));
    link.transmit(1000, 1).expect("no loss");
    assert!(matches!(link.advance(9_000_000), Some(Event::Delivered { at_ns: 2_000_000, .. })));
    let Some(Event::Dequeued(second)) = link.advance(9_000_000) else { panic!("a packet waits") };
    assert_eq!((second.enqueue_depth, second.dequeue_depth, second.dequeued_ns), (1, 0, 2_000_000));
}

#[test]
fn a_packet_dropped_in_egress_takes_no_time() {
    let mut link = link(rate(8_000_000));
    link.enqueue(0, 0, 1000, 0).expect("no limit");
    link.enqueue(0, 0, 1000, 1).expect("no limit");
    assert!(matches!(link.advance(0), Some(Event::Dequeued(_))));
    assert_eq!(run(&mut link, u64::MAX, 1000), [(1, 1_000_000)]);
}

#[test]
fn higher_priorities_go_first_and_have_their_own_limit() {
    let config = LinkConfig { queue: Some(QueueLimit::Packets(1)), priorities: 2, ..rate(8_000_000) };
    let mut link = link(config);
    link.enqueue(0, 0, 1000, 0).expect("idle");
    run(&mut link, 0, 1000);
    link.enqueue(1, 0, 1000, 1).expect("one may wait");
    link.enqueue(1, 1, 1000, 2).expect("one more of a higher priority may wait");
    assert!(link.enqueue(1, 7, 1000, 3).is_err());
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (2, 2_000_000), (1, 3_000_000)]);
}

#[test]
fn a_shorter_delay_holds_for_later_packets_which_do_not_overtake() {
    let mut link = link(LinkConfig { delay_us: 20_000.0, ..rate(8_000_000) });
    link.enqueue(0, 0, 1000, 0).expect("no limit");
    run(&mut link, 0, 1000);
    let faster = LinkConfig { delay_us: 1_000.0, ..link.config().clone() };
    link.set_config(faster, 1_000_000).expect("valid");
    link.enqueue(1_000_000, 0, 1000, 1).expect("no limit");
    link.enqueue(25_000_000, 0, 1000, 2).expect("no limit");
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 21_000_000), (1, 21_000_000), (2, 27_000_000)]);
}

#[test]
fn a_rate_change_holds_from_the_next_packet_on() {
    let mut link = link(rate(8_000_000));
    link.enqueue(0, 0, 1000, 0).expect("no limit");
    link.enqueue(0, 0, 1000, 1).expect("no limit");
    run(&mut link, 0, 1000);
    link.set_config(rate(16_000_000), 500_000).expect("valid");
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (1, 1_500_000)]);
}

#[test]
fn a_stopped_link_keeps_its_queue_until_it_runs_again() {
    let mut link = link(rate(0));
    link.enqueue(0, 0, 1000, 0).expect("no limit");
    assert_eq!(link.next_event(), None);
    link.set_config(rate(8_000_000), 5_000_000).expect("valid");
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 6_000_000)]);
}

#[test]
fn loss_is_seeded_takes_transmission_time_and_is_counted_apart() {
    let lossy = LinkConfig { loss: 0.1, seed: 7, ..rate(8_000_000) };
    let arrivals = |config: &LinkConfig| {
        let mut link = link(config.clone());
        (0..10_000).for_each(|packet| link.enqueue(0, 0, 1000, packet).expect("no limit"));
        (run(&mut link, u64::MAX, 1000), *link.counters())
    };
    let (arrived, counters) = arrivals(&lossy);
    assert_eq!((counters.tx_packets, counters.queue_drops), (10_000, 0));
    assert_eq!(counters.loss_drops as usize + arrived.len(), 10_000);
    assert!((900..1100).contains(&counters.loss_drops), "{}", counters.loss_drops);
    assert!(arrived.iter().all(|(packet, at_ns)| *at_ns == u64::from(packet + 1) * 1_000_000));
    assert_eq!(arrivals(&lossy).0, arrived);
    assert_ne!(arrivals(&LinkConfig { seed: 8, ..lossy }).0, arrived);
}

#[test]
fn a_trace_is_followed_in_model_time() {
    let step = |at_ms, rate_bps| TraceStep { at_ms, rate_bps, delay_us: None, loss: None };
    let trace = vec![step(0.0, Some(8_000_000)), step(1.5, Some(0)), step(10.0, Some(4_000_000))];
    let mut link = link(LinkConfig { trace: Some(trace), ..LinkConfig::default() });
    (0..3).for_each(|packet| link.enqueue(0, 0, 1000, packet).expect("no limit"));
    // The second one starts at 1 ms, before the outage; the third has to wait until it is over.
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (1, 2_000_000), (2, 12_000_000)]);
}

#[test]
fn bad_descriptions_name_the_field() {
    let field = |json: &str| {
        let config: LinkConfig = serde_json::from_str(json).expect("well-formed");
        TestLink::new(config, 0).expect_err("out of range").field
    };
    assert_eq!(field(r#"{"loss":1.5}"#), "loss");
    assert_eq!(field(r#"{"delay_us":-1}"#), "delay_us");
    assert_eq!(field(r#"{"priorities":0}"#), "priorities");
    assert_eq!(field(r#"{"queue":{"packets":0}}"#), "queue.packets");
    assert_eq!(field(r#"{"trace":[{"at_ms":1},{"at_ms":0}]}"#), "trace[1].at_ms");
    assert!(serde_json::from_str::<LinkConfig>(r#"{"rate":1}"#).is_err());
}

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

proptest! {
    /// Whatever comes when, and however irregularly the link is looked at: packets arrive in order, none before its
    /// bits fit through the rate, none is forgotten, and the times do not depend on when somebody looked.
    #[test]
    fn conservation_order_and_rate(
        gaps in prop::collection::vec((0u64..3_000_000, 1u32..2_000), 1..200),
        rate_bps in 1_000u64..1_000_000_000,
        limit in 1u64..20,
        lazy in 1usize..20,
    ) {
        let config = LinkConfig { queue: Some(QueueLimit::Packets(limit)), delay_us: 3.0, ..rate(rate_bps) };
        let drive = |lazy: usize| {
            let mut link = link(config.clone());
            let (mut now, mut arrived, mut dropped) = (0, Vec::new(), 0u64);
            for (index, (gap, bytes)) in gaps.iter().enumerate() {
                now += gap;
                // Looking more often than at arrivals must change nothing.
                for part in (1..=lazy as u64).rev() {
                    collect(&mut link, now - (part - 1) * (gap / lazy as u64), &gaps, &mut arrived);
                }
                dropped += u64::from(link.enqueue(now, 0, *bytes, index as u32).is_err());
            }
            collect(&mut link, u64::MAX, &gaps, &mut arrived);
            (arrived, dropped)
        };
        let (arrived, dropped) = drive(1);
        prop_assert_eq!(arrived.len() as u64 + dropped, gaps.len() as u64);
        prop_assert!(arrived.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
        for pair in arrived.windows(2) {
            let bits = u128::from(gaps[pair[1].0 as usize].1) * 8;
            let least = (bits * 1_000_000_000 / u128::from(rate_bps)) as u64;
            prop_assert!(pair[1].1 - pair[0].1 >= least);
        }
        prop_assert_eq!(drive(lazy), (arrived, dropped));
    }
}

fn collect(link: &mut TestLink, until_ns: u64, sizes: &[(u64, u32)], arrived: &mut Vec<(u32, u64)>) {
    while let Some(event) = link.advance(until_ns) {
        match event {
            Event::Dequeued(dequeued) => {
                let bytes = sizes[dequeued.item as usize].1;
                let _ = link.transmit(bytes, dequeued.item);
            }
            Event::Delivered { frame, at_ns } => arrived.push((frame, at_ns)),
        }
    }
}

#[test]
fn control_messages_are_lost_besides_and_nothing_else_is() {
    let config = LinkConfig { control_loss: 0.25, seed: 7, ..LinkConfig::default() };
    let sent = |config: LinkConfig| {
        let mut link = TestLink::new(config, 0).expect("valid");
        let mut lost = [Vec::new(), Vec::new()];
        for packet in 0..4000 {
            link.enqueue(0, 0, 100, packet).expect("no limit");
            assert!(link.dequeue(0).is_some());
            let is_control = packet % 2 == 0;
            let result = if is_control { link.transmit_control(100, packet) } else { link.transmit(100, packet) };
            lost[usize::from(is_control)].extend(result.err());
        }
        assert_eq!(link.counters().tx_packets, 4000);
        assert_eq!(link.counters().loss_drops as usize, lost[0].len() + lost[1].len());
        lost
    };
    let [others, control] = sent(config.clone());
    assert_eq!(others, Vec::<u32>::new());
    assert!((400..600).contains(&control.len()), "{}", control.len());
    assert_eq!(sent(config.clone())[1], control);
    assert_ne!(sent(LinkConfig { seed: 8, ..config.clone() })[1], control);
    // The losses of the others stay the same, with control loss and without it.
    let lossy = LinkConfig { loss: 0.1, ..config };
    let without = LinkConfig { control_loss: 0.0, ..lossy.clone() };
    assert_eq!(sent(lossy)[0], sent(without)[0]);
}
