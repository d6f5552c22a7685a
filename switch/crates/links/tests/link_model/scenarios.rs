//! Random traffic, descriptions, traces and changes.

use proptest::prelude::*;

use super::*;

fn any_loss() -> impl Strategy<Value = LossModel> {
    prop_oneof![
        Just(LossModel::default()),
        (0.0..1.0).prop_map(LossModel::Independent),
        (0.0..1e-3).prop_map(LossModel::PerByte),
        (1u64..9).prop_map(LossModel::Every),
        (0.0..1.0, 0.0..1.0)
            .prop_map(|(p, r)| { LossModel::GilbertElliott(GilbertElliott { p, r, loss_good: 0.0, loss_bad: 1.0 }) }),
    ]
}

/// Rates with a stop among them.
fn any_rate() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 10_000u64..1_000_000_000]
}

fn any_steps() -> impl Strategy<Value = Vec<TraceStep>> {
    let step = (1u32..40, prop::option::of(any_rate()), prop::option::of(0.0..50_000.0), prop::option::of(any_loss()));
    prop::collection::vec(step, 0..6).prop_map(|steps| {
        let mut at_ms = 0;
        let step = |(gap_ms, rate_bps, delay_us, loss)| {
            at_ms += gap_ms;
            TraceStep { at_s: f64::from(at_ms) / 1e3, rate_bps, delay_us, loss }
        };
        steps.into_iter().map(step).collect()
    })
}

fn any_link() -> impl Strategy<Value = LinkConfig> {
    let limits = (prop::option::of(1u64..20), prop::option::of(100u64..20_000));
    (any_rate(), 0.0..50_000.0, limits, any_loss(), any_steps(), any::<bool>(), any::<u64>()).prop_map(
        |(rate_bps, delay_us, (packets, bytes), loss, mut steps, repeats, seed)| {
            let trace_repeats = repeats && !steps.is_empty();
            if trace_repeats {
                let at_s = steps.last().map_or(0.0, |last| last.at_s) + 0.004;
                steps.push(TraceStep { at_s, rate_bps: None, delay_us: None, loss: None });
            }
            let queue = (packets.is_some() || bytes.is_some()).then_some(QueueLimit { packets, bytes });
            LinkConfig {
                rate_bps: Some(rate_bps),
                delay_us,
                queue,
                loss,
                seed,
                trace: Some(steps),
                trace_repeats,
                ..LinkConfig::default()
            }
        },
    )
}

/// A packet, or a change: at which time after the one before.
#[derive(Debug, Clone)]
enum Act {
    Packet(u32),
    SetRate(u64),
    SetDelay(f64),
    SetLoss(LossModel),
    SetUp(bool),
}

fn any_acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let act = prop_oneof![
        12 => (4u32..2_000).prop_map(Act::Packet),
        1 => any_rate().prop_map(Act::SetRate),
        1 => (0.0..50_000.0).prop_map(Act::SetDelay),
        1 => any_loss().prop_map(Act::SetLoss),
        1 => any::<bool>().prop_map(Act::SetUp),
    ];
    prop::collection::vec((0u64..3_000_000, act), 1..200)
}

/// The fate of every packet.
#[derive(Debug, PartialEq)]
struct Outcome {
    arrived: Vec<Arrival>,
    refused: Vec<u32>,
    cut_waiting: Vec<u32>,
    cut_frames: Vec<u32>,
    waiting: u64,
    is_stopped: bool,
    counters: Counters,
}

/// Plays the acts; looks at the link `looks` times between two of them.
fn play(config: &LinkConfig, acts: &[(u64, Act)], looks: u64) -> Outcome {
    let mut link = link(config.clone());
    link.start_trace(0, 0);
    let size = |number: u32| match acts[number as usize].1 {
        Act::Packet(bytes) => bytes as usize,
        _ => unreachable!("only packets are enqueued"),
    };
    let (mut now, mut arrived, mut refused) = (0, Vec::new(), Vec::new());
    let (mut cut_waiting, mut cut_frames) = (Vec::new(), Vec::new());
    for (number, (gap, act)) in (0u32..).zip(acts) {
        for look in 1..=looks {
            arrived.extend(run_sized(&mut link, now + gap * look / looks, size));
        }
        now += gap;
        let (field, config) = match act {
            Act::Packet(bytes) => {
                refused.extend(link.enqueue(now, Place::default(), *bytes, number).err());
                continue;
            }
            Act::SetRate(rate) => ("rate_bps", LinkConfig { rate_bps: Some(*rate), ..link.config().clone() }),
            Act::SetDelay(delay_us) => ("delay_us", LinkConfig { delay_us: *delay_us, ..link.config().clone() }),
            Act::SetLoss(loss) => ("loss", LinkConfig { loss: loss.clone(), ..link.config().clone() }),
            Act::SetUp(up) => ("up", LinkConfig { up: *up, ..link.config().clone() }),
        };
        let lost = link.set_config(config, |given| given == field, now).expect("in range");
        cut_waiting.extend(lost.waiting);
        cut_frames.extend(lost.frames.iter().map(|frame| number_of(frame)));
    }
    arrived.extend(run_sized(&mut link, u64::MAX - 1, size));
    let is_stopped = link.in_force().rate_bps == Some(0);
    Outcome {
        arrived,
        refused,
        cut_waiting,
        cut_frames,
        waiting: link.queue_packets(),
        is_stopped,
        counters: *link.counters(),
    }
}

proptest! {
    /// No packet is lost without being counted, none is doubled, none overtakes another, and nothing depends on when
    /// somebody looked.
    #[test]
    fn every_packet_is_accounted_for(config in any_link(), acts in any_acts(), looks in 2u64..20) {
        let outcome = play(&config, &acts, 1);
        prop_assert!(outcome.arrived.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
        let Counters { tx_packets, queue_drops, loss_drops, down_drops, .. } = outcome.counters;
        let count = |list: &[u32]| list.len() as u64;
        let packets = acts.iter().filter(|(_, act)| matches!(act, Act::Packet(_))).count() as u64;
        let (refused, cut_waiting) = (count(&outcome.refused), count(&outcome.cut_waiting));
        prop_assert_eq!(queue_drops + down_drops, refused + cut_waiting + count(&outcome.cut_frames));
        prop_assert_eq!(packets, refused + cut_waiting + outcome.waiting + tx_packets);
        let ended = outcome.arrived.len() as u64 + loss_drops + count(&outcome.cut_frames);
        if outcome.is_stopped {
            // One may have got stuck halfway.
            prop_assert!(tx_packets - ended <= 1);
        } else {
            prop_assert_eq!((outcome.waiting, tx_packets), (0, ended));
        }
        let mut seen: Vec<u32> = outcome.arrived.iter().map(|(number, _)| *number).collect();
        seen.extend(outcome.refused.iter().chain(&outcome.cut_waiting).chain(&outcome.cut_frames));
        let known = seen.len();
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), known, "a packet has two ends");
        prop_assert_eq!(play(&config, &acts, looks), outcome);
    }

    /// Without losses and changes by hand, the bits that arrive are those that fit through the trace's rates, to the bit.
    #[test]
    fn a_trace_lets_exactly_its_bits_through(
        steps in any_steps(),
        first_rate in 10_000u64..100_000_000,
        sizes in prop::collection::vec(4usize..2_000, 1..60),
    ) {
        let steps: Vec<TraceStep> = steps.into_iter().map(|step| TraceStep { delay_us: None, loss: None, ..step }).collect();
        let mut link = link(LinkConfig { trace: Some(steps.clone()), ..rate(first_rate) });
        link.start_trace(0, 0);
        for (number, bytes) in (0u32..).zip(&sizes) {
            link.enqueue(0, Place::default(), *bytes as u32, number).expect("no limit");
        }
        let arrived = run_sized(&mut link, u64::MAX - 1, |number| sizes[number as usize]);
        // Billionths of a bit that go out until a time: the integral of the rate.
        let sent_until = |until_ns: u64| {
            let (mut sum, mut since, mut rate) = (0u128, 0, first_rate);
            for step in &steps {
                let at_ns = ((step.at_s * 1e9).round() as u64).min(until_ns);
                sum += u128::from(at_ns - since) * u128::from(rate);
                since = at_ns;
                rate = step.rate_bps.unwrap_or(rate);
            }
            sum + u128::from(until_ns - since) * u128::from(rate)
        };
        let mut needed = 0u128;
        for (number, at_ns) in &arrived {
            needed += sizes[*number as usize] as u128 * 8_000_000_000;
            // At that nanosecond the last bit is going out, and it is the first nanosecond of which this can be said.
            prop_assert!(sent_until(at_ns + 1) > needed || sent_until(*at_ns) == needed, "{number} at {at_ns} is too early");
            prop_assert!(sent_until(*at_ns) <= needed, "{number} at {at_ns} is too late");
        }
        let ends_stopped = steps.iter().rev().find_map(|step| step.rate_bps) == Some(0);
        prop_assert!(ends_stopped || arrived.len() == sizes.len());
    }
}
