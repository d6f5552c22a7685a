//! Several queues of one port, and the order in which they are served.

use super::*;

/// Packets 100 q, 100 q + 1, … into queue q, all at once, of so many bytes in each queue.
fn fill_queues(link: &mut TestLink, queues: &[(u32, u32)]) {
    for (queue, &(packets, bytes)) in (0..).zip(queues) {
        for packet in 0..packets {
            link.enqueue(0, Place::of(queue), bytes, 100 * u32::from(queue) + packet).expect("room");
        }
    }
}

/// The queues in the order in which they are served, at 1000 bytes a packet where nothing else is said.
fn served(link: &mut TestLink, bytes: impl Fn(u32) -> usize) -> Vec<u32> {
    run_sized(link, u64::MAX - 1, bytes).iter().map(|(number, _)| number / 100).collect()
}

fn count(served: &[u32], queue: u32) -> usize {
    served.iter().filter(|&&number| number == queue).count()
}

#[test]
fn wrr_sends_so_many_packets_of_each_in_turn() {
    let mut link = described(r#"{"rate_bps": 8000000, "scheduler": {"wrr": {"weights": [1, 3]}}}"#);
    fill_queues(&mut link, &[(4, 1000), (6, 1000)]);
    assert_eq!(served(&mut link, |_| 1000), [0, 1, 1, 1, 0, 1, 1, 1, 0, 0]);
}

#[test]
fn drr_shares_bytes_by_weight_whatever_the_packets_lengths() {
    let json =
        r#"{"rate_bps": 8000000, "scheduler": {"drr": {"queues": 3, "quantum_bytes": 1500, "weights": [1, 2]}}}"#;
    let mut link = described(json);
    let bytes = |number: u32| [1500, 300, 700][number as usize / 100];
    fill_queues(&mut link, &[(90, 1500), (99, 300), (99, 700)]);
    let order = served(&mut link, bytes);
    let sent = |queue: u32| count(&order[..66], queue) * bytes(100 * queue);
    // Each is at most a packet and a quantum away from its share.
    assert!(sent(1).abs_diff(2 * sent(0)) <= 300 + 3000 + 2 * 3000, "{} and {}", sent(0), sent(1));
    assert!(sent(2).abs_diff(sent(0)) <= 700 + 3000, "{} and {}", sent(0), sent(2));
}

#[test]
fn a_queue_that_was_empty_goes_first_for_a_quantum_alone() {
    let json =
        r#"{"rate_bps": 8000000, "scheduler": {"drr": {"queues": 2, "quantum_bytes": 1000, "new_first": true}}}"#;
    let mut link = described(json);
    (0..6).for_each(|packet| link.enqueue(0, Place::of(0), 1000, packet).expect("room"));
    // While the second packet is sent, four come to the other queue.
    run(&mut link, 1_000_001, 1000);
    (100..104).for_each(|packet| link.enqueue(1_000_001, Place::of(1), 1000, packet).expect("room"));
    // Its second packet is not before the others as a new one: both queues have used up their credits, and go to the end.
    assert_eq!(served(&mut link, |_| 1000), [0, 1, 1, 0, 1, 0, 1, 0, 0]);
}

#[test]
fn what_egress_drops_is_not_charged() {
    let mut link = described(r#"{"rate_bps": 8000000, "scheduler": {"drr": {"queues": 2, "quantum_bytes": 1000}}}"#);
    fill_queues(&mut link, &[(4, 1000), (4, 1000)]);
    let mut order = Vec::new();
    while let Some(event) = link.advance(u64::MAX - 1) {
        match event {
            // The first two of queue 0 are dropped: its turn is not over by that.
            Event::Dequeued(Dequeued { item: 0 | 1, .. }) => {}
            Event::Dequeued(Dequeued { item, .. }) => link.transmit(frame(item, 1000)).expect("no losses"),
            Event::Delivered { frame, .. } => order.push(number_of(&frame)),
        }
    }
    assert_eq!(order, [2, 100, 3, 101, 102, 103]);
    let counters: Vec<_> = link.queue_counters().collect();
    assert_eq!((counters[0].tx_packets, counters[1].tx_packets), (2, 4));
}

#[test]
fn pifo_sends_by_rank_and_those_of_one_rank_as_they_came() {
    let mut link = described(r#"{"rate_bps": 8000000, "scheduler": {"pifo": {"queues": 2}}}"#);
    let ranks = [9, 5, 7, 5, 1, 7];
    for (number, rank) in (0..).zip(ranks) {
        let queue = u16::from(number % 2 == 1);
        link.enqueue(0, Place { queue, rank }, 1000, number).expect("room");
    }
    let order: Vec<_> = run(&mut link, u64::MAX - 1, 1000).iter().map(|(number, _)| *number).collect();
    assert_eq!(order, [4, 1, 3, 2, 5, 0]);
}

#[test]
fn each_queue_has_the_limit_and_all_together_another() {
    let json = r#"{"rate_bps": 8000000, "queue": {"packets": 3}, "shared_queue": {"packets": 5},
        "scheduler": {"drr": {"queues": 4}}}"#;
    let mut link = described(json);
    let taken = |link: &mut TestLink, queue| {
        (0..4).filter(|packet| link.enqueue(0, Place::of(queue), 1000, *packet).is_ok()).count()
    };
    // The first one is as good as gone.
    assert_eq!([taken(&mut link, 0), taken(&mut link, 1), taken(&mut link, 2)], [4, 2, 0]);
    let drops: Vec<_> = link.queue_counters().map(|counters| counters.drops).collect();
    assert_eq!(drops, [0, 2, 4, 0]);
    assert_eq!(link.counters().queue_drops, 6);
}

#[test]
fn the_longest_queue_gives_its_first_packet() {
    let json = r#"{"rate_bps": 8000000, "shared_queue": {"packets": 4, "drops": "longest"},
        "scheduler": {"drr": {"queues": 2}}}"#;
    let mut link = described(json);
    fill_queues(&mut link, &[(5, 1000), (0, 1000)]);
    assert_eq!(link.enqueue(0, Place::of(1), 1000, 100), Err(0));
    assert_eq!(link.queue_packets(), 5);
    run(&mut link, 1, 1000);
    assert_eq!(link.enqueue(1, Place::of(1), 1000, 101), Err(2));
    assert_eq!(served(&mut link, |_| 1000).len(), 5);
}

#[test]
fn a_scheduler_changes_while_packets_wait() {
    let mut link = described(r#"{"rate_bps": 8000000, "scheduler": {"drr": {"queues": 3, "quantum_bytes": 1000}}}"#);
    fill_queues(&mut link, &[(3, 1000), (3, 1000), (3, 1000)]);
    change(&mut link, r#"{"scheduler": {"wrr": {"weights": [1, 2]}}}"#, 0);
    assert_eq!(served(&mut link, |_| 1000), [0, 1, 1, 2, 0, 1, 2, 0, 2]);
    fill_queues(&mut link, &[(2, 1000), (2, 1000)]);
    change(&mut link, r#"{"scheduler": "strict", "priorities": 2}"#, u64::MAX / 2);
    assert_eq!(served(&mut link, |_| 1000), [1, 1, 0, 0]);
}

#[test]
fn descriptions_that_are_none() {
    for (json, problem) in [
        (r#"{"scheduler": {"drr": {"queues": 0}}}"#, "scheduler.drr.queues: must be 1 to 1024, not 0"),
        (r#"{"scheduler": {"drr": {"queues": 1025}}}"#, "scheduler.drr.queues: must be 1 to 1024, not 1025"),
        (
            r#"{"scheduler": {"drr": {"queues": 1, "weights": [1, 2]}}}"#,
            "scheduler.drr.weights: has more than the 1 of queues",
        ),
        (r#"{"scheduler": {"wrr": {"weights": []}}}"#, "scheduler.wrr.weights: must be 1 to 1024, not 0"),
        (r#"{"scheduler": {"wrr": {"weights": [1, 0]}}}"#, "scheduler.wrr.weights[1]: must be 1 to 1000000, not 0"),
        (r#"{"scheduler": {"pifo": {"queues": 65}}}"#, "scheduler.pifo.queues: must be 1 to 64, not 65"),
        (
            r#"{"priorities": 2, "scheduler": {"pifo": {}}}"#,
            "scheduler: has queues of its own: leave out priorities and priority_queues",
        ),
        (r#"{"shared_queue": {"packets": 0}}"#, "shared_queue.packets: must be at least 1"),
    ] {
        let config: LinkConfig = serde_json::from_str(json).expect("well-formed");
        assert_eq!(TestLink::new(config).expect_err(json).to_string(), problem);
    }
}
