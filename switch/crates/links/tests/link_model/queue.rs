use super::*;

#[test]
fn packet_limit_counts_waiting_packets_and_not_the_one_being_sent() {
    let config = LinkConfig { queue: Some(QueueLimit::packets(2)), ..rate(8_000) };
    // All at one instant, before the transmitter was served ...
    let mut first = link(config.clone());
    let taken = (0..10).filter(|packet| first.enqueue(0, Place::default(), 1000, *packet).is_ok()).count();
    assert_eq!(taken, 3);
    // ... or with the transmitter served at once: the same.
    let mut second = link(config);
    let mut taken = 0;
    for packet in 0..10 {
        taken += usize::from(second.enqueue(0, Place::default(), 1000, packet).is_ok());
        run(&mut second, 0, 1000);
    }
    assert_eq!((taken, second.queue_packets()), (3, 2));
    assert_eq!(second.counters().queue_drops, 7);
}

#[test]
fn byte_limit_counts_waiting_bytes() {
    let mut link = link(LinkConfig { queue: Some(QueueLimit::bytes(3000)), ..rate(8_000) });
    let taken = (0..10).filter(|packet| link.enqueue(0, Place::default(), 1000, *packet).is_ok()).count();
    assert_eq!(taken, 4);
    run(&mut link, 0, 1000);
    assert_eq!(link.queue_bytes(), 3000);
    assert!(link.enqueue(1, Place::default(), 1, 0).is_err());
}

#[test]
fn a_small_packet_still_fits_where_a_large_one_does_not() {
    let mut link = link(LinkConfig { queue: Some(QueueLimit::bytes(1000)), ..rate(8_000) });
    fill(&mut link, 0, 1, 1500);
    run(&mut link, 0, 1500);
    assert!(link.enqueue(1, Place::default(), 900, 1).is_ok());
    assert!(link.enqueue(2, Place::default(), 101, 2).is_err());
    assert!(link.enqueue(3, Place::default(), 100, 3).is_ok());
    assert_eq!((link.queue_packets(), link.queue_bytes()), (2, 1000));
}

#[test]
fn both_limits_hold_together() {
    let mut link = described(r#"{"rate_bps":8000,"queue":{"packets":3,"bytes":2000}}"#);
    fill(&mut link, 0, 1, 1500);
    run(&mut link, 0, 1500);
    assert!(link.enqueue(1, Place::default(), 1500, 1).is_ok());
    assert!(link.enqueue(2, Place::default(), 1500, 2).is_err(), "more than 2000 bytes");
    assert!(link.enqueue(3, Place::default(), 60, 3).is_ok());
    assert!(link.enqueue(4, Place::default(), 60, 4).is_ok());
    assert!(link.enqueue(5, Place::default(), 60, 5).is_err(), "more than 3 packets");
    assert_eq!(link.counters().queue_drops, 2);
}

#[test]
fn higher_priorities_go_first_and_have_their_own_limit() {
    let config = LinkConfig { queue: Some(QueueLimit::packets(1)), priorities: 2, ..rate(8_000_000) };
    let mut link = link(config);
    link.enqueue(0, Place::default(), 1000, 0).expect("idle");
    run(&mut link, 0, 1000);
    link.enqueue(1, Place::default(), 1000, 1).expect("one may wait");
    link.enqueue(1, Place::of(1), 1000, 2).expect("one more of a higher priority may wait");
    assert!(link.enqueue(1, Place::of(7), 1000, 3).is_err());
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000_000), (2, 2_000_000), (1, 3_000_000)]);
}
