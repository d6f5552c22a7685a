use super::*;

const MS: u64 = 1_000_000;

/// Takes everything that leaves the queue up to `until_ns`: packet, when, depths.
fn left(link: &mut TestLink, until_ns: u64) -> Vec<(u32, u64, u32, u32)> {
    let mut all = Vec::new();
    while let Some(event) = link.advance(until_ns) {
        if let Event::Dequeued(dequeued) = event {
            let Dequeued { item, dequeued_ns, enqueue_depth, dequeue_depth, .. } = dequeued;
            let _ = link.transmit(frame(item, 100));
            all.push((item, dequeued_ns, enqueue_depth, dequeue_depth));
        }
    }
    all
}

#[test]
fn depths_are_those_of_the_own_priority() {
    let mut link = described(r#"{"rate_bps":8000,"priorities":4}"#);
    (0..8).for_each(|packet| link.enqueue(0, Place::default(), 100, packet).expect("room"));
    (8..12).for_each(|packet| link.enqueue(0, Place::of(3), 100, packet).expect("room"));
    let seen: Vec<(u32, u32, u32)> =
        left(&mut link, u64::MAX).into_iter().map(|(item, _, enq, deq)| (item, enq, deq)).collect();
    let high = (8..12).map(|item| (item, item - 8, 11 - item));
    let low = (0..8).map(|item| (item, item, 7 - item));
    assert_eq!(seen, high.chain(low).collect::<Vec<_>>());
}

#[test]
fn each_priority_has_its_own_rate_and_leaves_at_once_when_its_turn_comes() {
    let mut link = described(r#"{"priorities":2,"priority_queues":[{"rate_pps":100},{"rate_pps":50}]}"#);
    (0..3).for_each(|packet| link.enqueue(0, Place::default(), 100, packet).expect("room"));
    (10..12).for_each(|packet| link.enqueue(0, Place::of(1), 100, packet).expect("room"));
    let seen: Vec<(u32, u64)> = left(&mut link, u64::MAX).into_iter().map(|(item, at_ns, ..)| (item, at_ns)).collect();
    assert_eq!(seen, [(10, 0), (0, 0), (1, 10 * MS), (11, 20 * MS), (2, 20 * MS)]);
    // After a pause the first goes at once again.
    link.enqueue(100 * MS, Place::default(), 100, 3).expect("room");
    assert_eq!(left(&mut link, u64::MAX), [(3, 100 * MS, 0, 0)]);
}

#[test]
fn each_priority_has_its_own_limit() {
    let mut link = described(
        r#"{"priorities":3,"queue":{"packets":2},"priority_queues":[{"packets":5,"rate_pps":10},{"packets":0},{"rate_pps":10}]}"#,
    );
    let taken = |link: &mut TestLink, priority| {
        (0..20).filter(|packet| link.enqueue(0, Place::of(priority), 100, *packet).is_ok()).count()
    };
    assert_eq!(taken(&mut link, 0), 6, "one is as good as gone");
    assert_eq!(taken(&mut link, 1), 0);
    assert_eq!(taken(&mut link, 2), 3, "as many as the link's queue has room for");
    assert_eq!(link.counters().queue_drops, 14 + 20 + 17);
}

#[test]
fn without_rate_nothing_waits_however_many_come_at_once() {
    let mut link = described(r#"{"queue":{"packets":4}}"#);
    fill(&mut link, 5, 100, 60);
    assert_eq!(run(&mut link, 5, 60).len(), 100);
}

#[test]
fn what_is_held_stays_in_the_queue_with_its_limit() {
    let mut link = described(r#"{"priorities":2,"queue":{"packets":4}}"#);
    link.hold(true, 0);
    let taken = (0..10).filter(|packet| link.enqueue(1, Place::default(), 100, *packet).is_ok()).count();
    assert_eq!(taken, 4);
    link.enqueue(2, Place::of(1), 100, 50).expect("room of its own");
    assert_eq!((link.next_times_ns(), link.queue_packets()), ((None, None), 5));
    assert!(link.advance(1_000).is_none());
    link.hold(false, 900);
    assert_eq!(
        left(&mut link, 1_000),
        [(50, 900, 0, 0), (0, 900, 0, 3), (1, 900, 1, 2), (2, 900, 2, 1), (3, 900, 3, 0)]
    );
    link.hold(true, 1_000);
    link.hold(false, 1_000);
    link.enqueue(2_000, Place::default(), 100, 7).expect("room");
    assert_eq!(left(&mut link, 3_000), [(7, 2_000, 0, 0)]);
}

#[test]
fn a_rate_that_is_taken_away_holds_for_what_came_before() {
    let mut link = described(r#"{"priority_queues":[{"rate_pps":100}]}"#);
    fill(&mut link, 0, 3, 60);
    assert_eq!(run(&mut link, 0, 60), [(0, 0)]);
    change(&mut link, r#"{"priority_queues":[]}"#, 1);
    link.enqueue(2, Place::default(), 60, 9).expect("room");
    assert_eq!(run(&mut link, u64::MAX, 60), [(1, 10_000_000), (2, 20_000_000), (9, 20_000_000)]);
}

#[test]
fn mistakes_are_named() {
    for (json, place) in [
        (r#"{"priority_queues":[{},{}]}"#, "priority_queues: "),
        (r#"{"priority_queues":[{"rate_pps":0}]}"#, "priority_queues[0].rate_pps: "),
    ] {
        let config: LinkConfig = serde_json::from_str(json).expect("well-formed");
        let error = config.validate().expect_err(json).to_string();
        assert!(error.starts_with(place), "{error}");
    }
}
