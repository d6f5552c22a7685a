use super::*;

#[test]
fn a_shorter_delay_holds_for_later_packets_which_do_not_overtake() {
    let mut link = link(LinkConfig { delay_us: 20_000.0, ..rate(8_000_000) });
    fill(&mut link, 0, 1, 1000);
    run(&mut link, 1_000_001, 1000);
    change(&mut link, r#"{"delay_us":1000}"#, 1_000_001);
    link.enqueue(1_000_001, Place::default(), 1000, 1).expect("no limit");
    link.enqueue(25_000_000, Place::default(), 1000, 2).expect("no limit");
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 21_000_000), (1, 21_000_000), (2, 27_000_000)]);
}

#[test]
fn the_delay_is_the_one_in_force_when_the_last_bit_leaves() {
    let mut link = link(LinkConfig { delay_us: 20_000.0, ..rate(8_000_000) });
    fill(&mut link, 0, 2, 1000);
    run(&mut link, 1_500_000, 1000);
    change(&mut link, r#"{"delay_us":30000}"#, 1_500_000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 21_000_000), (1, 32_000_000)]);
}

#[test]
fn what_is_left_of_a_packet_goes_out_at_the_new_rate() {
    let mut link = link(rate(8_000_000));
    fill(&mut link, 0, 2, 1000);
    run(&mut link, 500_000, 1000);
    // Half of the first packet is out after 0.5 ms; the other 4000 bits take 0.25 ms.
    change(&mut link, r#"{"rate_bps":16000000}"#, 500_000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 750_000), (1, 1_250_000)]);
}

#[test]
fn a_packet_being_sent_waits_in_a_stop() {
    let mut link = link(LinkConfig { delay_us: 5.0, ..rate(8_000_000) });
    fill(&mut link, 0, 2, 1000);
    run(&mut link, 250_000, 1000);
    change(&mut link, r#"{"rate_bps":0}"#, 250_000);
    assert_eq!((run(&mut link, 7_000_000, 1000), link.next_times_ns()), (vec![], (None, None)));
    change(&mut link, r#"{"rate_bps":4000000}"#, 7_000_000);
    // 6000 bits of the first, then all of the second.
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 8_505_000), (1, 10_505_000)]);
}

#[test]
fn a_stopped_link_keeps_its_queue_until_it_runs_again() {
    let mut link = link(LinkConfig { queue: Some(QueueLimit::packets(2)), ..rate(0) });
    fill(&mut link, 0, 2, 1000);
    assert!(link.enqueue(1, Place::default(), 1000, 2).is_err());
    assert_eq!(link.next_times_ns(), (None, None));
    change(&mut link, r#"{"rate_bps":8000000}"#, 5_000_000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 6_000_000), (1, 7_000_000)]);
}

#[test]
fn an_unlimited_rate_sends_the_rest_at_once() {
    let mut link = link(rate(8_000));
    fill(&mut link, 0, 3, 1000);
    run(&mut link, 1_000, 1000);
    change(&mut link, r#"{"rate_bps":null}"#, 1_000);
    assert_eq!(run(&mut link, u64::MAX, 1000), [(0, 1_000), (1, 1_000), (2, 1_000)]);
}

#[test]
fn a_smaller_queue_keeps_what_waits() {
    let mut link = link(rate(8_000_000));
    fill(&mut link, 0, 5, 1000);
    run(&mut link, 0, 1000);
    change(&mut link, r#"{"queue":{"packets":2}}"#, 1);
    assert!(link.enqueue(2, Place::default(), 1000, 5).is_err());
    assert_eq!(run(&mut link, u64::MAX, 1000).len(), 5);
}

#[test]
fn a_link_that_goes_down_loses_what_waits_and_what_is_on_its_way() {
    let mut link = link(LinkConfig { delay_us: 1_500.0, ..rate(8_000_000) });
    fill(&mut link, 0, 5, 1000);
    // Number 0 has arrived at 2.5 ms, 1 is on the wire, 2 is being sent, 3 and 4 wait.
    assert_eq!(run(&mut link, 2_500_000, 1000), [(0, 2_500_000)]);
    let cut = change(&mut link, r#"{"up":false}"#, 2_600_000);
    assert_eq!(cut.waiting, [3, 4]);
    assert_eq!(cut.frames.iter().map(|frame| number_of(frame)).collect::<Vec<_>>(), [1, 2]);
    assert!(link.enqueue(2_700_000, Place::default(), 1000, 5).is_err());
    let counters = *link.counters();
    assert_eq!((counters.tx_packets, counters.down_drops, counters.queue_drops), (3, 5, 0));
    assert_eq!((link.queue_packets(), link.queue_bytes(), link.next_times_ns()), (0, 0, (None, None)));
    assert!(change(&mut link, r#"{"up":false}"#, 2_800_000).frames.is_empty());
    change(&mut link, r#"{"up":true}"#, 3_000_000);
    // The transmitter is free: nothing of number 2 is left, and nothing holds the next one back.
    link.enqueue(3_000_000, Place::default(), 1000, 6).expect("up again");
    assert_eq!(run(&mut link, u64::MAX, 1000), [(6, 5_500_000)]);
    assert_eq!(link.counters().down_drops, 5);
}

#[test]
fn a_refused_change_changes_nothing() {
    let mut link = link(rate(8_000_000));
    let bad = LinkConfig { delay_us: -1.0, ..rate(1) };
    assert_eq!(link.set_config(bad, |_| true, 5).expect_err("out of range").field, "delay_us");
    assert_eq!(link.config(), &rate(8_000_000));
}

#[test]
fn bad_descriptions_name_the_field() {
    for (json, place) in [
        (r#"{"loss":1.5}"#, "loss"),
        (r#"{"loss":{"per_byte":-1}}"#, "loss.per_byte"),
        (r#"{"loss":{"gilbert_elliott":{"p":0.1,"r":2}}}"#, "loss.gilbert_elliott.r"),
        (r#"{"loss":{"every":0}}"#, "loss.every"),
        (r#"{"loss":{"packets":[0,1]}}"#, "loss.packets"),
        (r#"{"loss":{"packets":[2,2]}}"#, "loss.packets"),
        (r#"{"filtered_loss":[{"filter":"udp","loss":0},{"filter":"udp","loss":2}]}"#, "filtered_loss[1].loss"),
        (r#"{"delay_us":-1}"#, "delay_us"),
        (r#"{"delay_us":4e9}"#, "delay_us"),
        (r#"{"priorities":0}"#, "priorities"),
        (r#"{"queue":{"packets":0}}"#, "queue.packets"),
        (r#"{"queue":{"packets":1,"bytes":0}}"#, "queue.bytes"),
        (r#"{"queue":{}}"#, "queue"),
        (r#"{"trace":[{"at_s":1},{"at_s":1}]}"#, "trace[1].at_s"),
        (r#"{"trace":[{"at_s":-1}]}"#, "trace[0].at_s"),
        (r#"{"trace":[{"at_s":0,"loss":{"every":0}}]}"#, "trace[0].loss.every"),
        (r#"{"trace":[{"at_s":0,"delay_us":-5}]}"#, "trace[0].delay_us"),
        (r#"{"trace_repeats":true}"#, "trace_repeats"),
        (r#"{"trace":[{"at_s":0},{"at_s":1,"rate_bps":5}],"trace_repeats":true}"#, "trace[1]"),
        (r#"{"trace":[{"at_s":0},{"at_s":1e-6}],"trace_repeats":true}"#, "trace[1].at_s"),
    ] {
        let config: LinkConfig = serde_json::from_str(json).expect("well-formed");
        assert_eq!(TestLink::new(config).expect_err(json).field, place, "{json}");
    }
}

#[test]
fn json_of_another_shape_says_what_is_expected() {
    for (json, part) in [
        (r#"{"rate":1}"#, "unknown field `rate`"),
        (r#"{"rate_bps":-5}"#, "-5"),
        (r#"{"loss":"much"}"#, "a probability, or an object such as"),
        (r#"{"loss":{"every_nth":3}}"#, "unknown variant `every_nth`, expected one of"),
        (r#"{"loss":{"gilbert_elliott":{"p":0.1}}}"#, "missing field `r`"),
        (r#"{"filtered_loss":[{"filter":"udp dport 99999","loss":0.1}]}"#, "dport 99999"),
        (r#"{"filtered_loss":[{"filter":"in 1","loss":0.1}]}"#, "\"in\" is not known"),
        (r#"{"filtered_loss":[{"loss":0.1}]}"#, "missing field `filter`"),
        (r#"{"trace":[{"rate_bps":1}]}"#, "missing field `at_s`"),
        (r#"{"queue":100}"#, "QueueLimit"),
    ] {
        let error = serde_json::from_str::<LinkConfig>(json).expect_err(json).to_string();
        assert!(error.contains(part), "{json}: {error}");
    }
}
