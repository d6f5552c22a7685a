use super::*;

#[test]
fn rate_is_exact_over_100_000_packets() {
    // 36 Mbit/s does not divide 1066 * 8 * 10^9: the remainders have to be carried.
    let mut link = link(rate(36_000_000));
    fill(&mut link, 1_000, 100_000, 1066);
    let arrived = run(&mut link, u64::MAX, 1066);
    let exact_ns = 1_000 + 100_000u128 * 1066 * 8 * 1_000_000_000 / 36_000_000;
    assert_eq!(arrived.len(), 100_000);
    assert_eq!(u128::from(arrived[99_999].1), exact_ns);
    assert_eq!(link.counters().tx_bytes, 106_600_000);
}

#[test]
fn late_callers_do_not_slow_the_link_down() {
    let mut link = link(LinkConfig { delay_us: 10.0, ..rate(8_000_000) });
    fill(&mut link, 0, 3, 1000);
    // Nobody looked for 50 ms: the model times are the same.
    assert_eq!(run(&mut link, 50_000_000, 1000), [(0, 1_010_000), (1, 2_010_000), (2, 3_010_000)]);
}

#[test]
fn delays_are_kept_to_the_nanosecond() {
    let mut link = described(r#"{"delay_us":0.003}"#);
    fill(&mut link, 0, 1, 1000);
    assert_eq!(run(&mut link, 10, 1000), [(0, 3)]);
}

#[test]
fn a_packet_dropped_in_egress_takes_no_time() {
    let mut link = link(rate(8_000_000));
    fill(&mut link, 0, 2, 1000);
    assert!(matches!(link.advance(0), Some(Event::Dequeued(_))));
    assert_eq!(run(&mut link, u64::MAX - 1, 1000), [(1, 1_000_000)]);
}

#[test]
fn depths_and_times_are_those_of_the_model() {
    let mut link = link(rate(8_000_000));
    fill(&mut link, 0, 1, 1000);
    run(&mut link, 0, 1000);
    link.enqueue(100, Place::default(), 1000, 1).expect("no limit");
    link.enqueue(200, Place::default(), 1000, 2).expect("no limit");
    assert!(matches!(link.advance(9_000_000), Some(Event::Delivered { at_ns: 1_000_000, .. })));
    let Some(Event::Dequeued(first)) = link.advance(9_000_000) else { panic!("a packet waits") };
    assert_eq!((first.enqueued_ns, first.dequeued_ns), (100, 1_000_000));
    assert_eq!((first.enqueue_depth, first.dequeue_depth), (0, 1));
    link.transmit(frame(1, 1000)).expect("no loss");
    assert!(matches!(link.advance(9_000_000), Some(Event::Delivered { at_ns: 2_000_000, .. })));
    let Some(Event::Dequeued(second)) = link.advance(9_000_000) else { panic!("a packet waits") };
    assert_eq!((second.enqueue_depth, second.dequeue_depth, second.dequeued_ns), (1, 0, 2_000_000));
}

#[test]
fn a_packet_rate_counts_packets_of_any_length() {
    let mut link = described(r#"{"rate_pps":3}"#);
    fill(&mut link, 0, 3, 1000);
    let lengths = |number: u32| if number == 1 { 64 } else { 1500 };
    let arrived = run_sized(&mut link, 1_000_000_000, lengths);
    assert_eq!(arrived, [(0, 333_333_333), (1, 666_666_666), (2, 1_000_000_000)]);
}

#[test]
fn bits_and_packets_change_places_while_a_packet_is_sent() {
    let mut link = link(rate(8_000));
    fill(&mut link, 0, 2, 1000);
    assert_eq!(run(&mut link, 1_000_000, 1000), []);
    // Of the second that the first packet would take, nothing but one packet's time is left.
    change(&mut link, r#"{"rate_pps":1000}"#, 1_000_000);
    assert_eq!(run(&mut link, 10_000_000, 1000), [(0, 2_000_000), (1, 3_000_000)]);
    fill(&mut link, 10_000_000, 1, 1000);
    change(&mut link, r#"{"rate_pps":null,"rate_bps":8000000}"#, 10_000_000);
    assert_eq!(run(&mut link, u64::MAX - 1, 1000).len(), 1);
}
