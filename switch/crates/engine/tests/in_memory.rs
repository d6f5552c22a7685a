//! An engine without devices: two switches joined in memory, reached through their CPU ports, on the real clock. (Times and
//! drops are tested exactly in `src/core/tests.rs`.)

use std::time::{Duration, Instant};

use engine::{Attachment, Engine, EngineConfig, EngineError, LinkConfig, PortConfig, StartError, SwitchConfig, clock};

mod joined_switches;
use joined_switches::{CPU_PORT, joined_switches};

fn start(link: LinkConfig) -> Engine {
    Engine::start(EngineConfig { switches: joined_switches(link), samples: None, realtime: false }).expect("starts")
}

fn frame(number: u16) -> Vec<u8> {
    let mut frame = vec![0; 1000];
    frame[..2].copy_from_slice(&number.to_be_bytes());
    frame
}

#[test]
fn packets_take_no_less_than_the_time_of_the_link_and_keep_their_order() {
    let engine = start(LinkConfig { rate_bps: Some(80_000_000), delay_us: 20_000.0, ..LinkConfig::default() });
    let handle = engine.handle();
    let mut packets = handle.subscribe_packet_in(2).expect("runs");
    let begin = Instant::now();
    (0..100).for_each(|number| handle.packet_out(1, frame(number)).expect("runs"));
    for number in 0..100u16 {
        assert_eq!(packets.blocking_recv().expect("a packet")[..2], number.to_be_bytes()[..]);
    }
    // 100 frames of 100 µs each and 20 ms. How much later depends on the machine; the exact times are tested with the core.
    assert!(begin.elapsed() >= Duration::from_millis(30), "{:?}", begin.elapsed());
    drop(engine);
    assert_eq!(packets.blocking_recv(), None);
}

#[test]
fn calls_see_the_switch_and_the_model_time() {
    let engine = start(LinkConfig::default());
    let handle = engine.handle();
    let before = clock::monotonic_ns();
    let (received, now_ns) =
        handle.call_blocking(1, |switch, context| (switch.stats().received, context.now_ns)).expect("runs");
    assert_eq!(received, 0);
    assert!(now_ns >= before && now_ns <= clock::monotonic_ns());
    assert_eq!(handle.call_blocking(7, |_, _| ()), Err(EngineError::UnknownDevice(7)));

    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        // Many at once: all answered, in order.
        let answers: Vec<_> = (0..1000).map(|number| handle.call(1, move |_, _| number)).collect();
        for (number, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.await, Ok(number));
        }
        handle.shutdown();
        handle.stopped().await;
        assert_eq!(handle.call(1, |_, _| ()).await, Err(EngineError::Stopped));
    });
    assert!(engine.join());
}

#[test]
fn a_panicking_closure_stops_the_engine_and_says_so() {
    let engine = start(LinkConfig::default());
    let handle = engine.handle();
    let answer = handle.call_blocking(1, |_, _| panic!("a bug, for the test"));
    assert_eq!(answer, Err::<(), _>(EngineError::Stopped));
    assert!(!engine.join());
}

#[test]
fn contradictions_are_refused() {
    let refused = |change: fn(&mut SwitchConfig)| {
        let mut switches = joined_switches(LinkConfig::default());
        change(&mut switches[0]);
        let result = Engine::start(EngineConfig { switches, samples: None, realtime: false });
        result.err().map(|error: StartError| error.to_string()).expect("is refused")
    };
    assert!(refused(|switch| switch.name = "s2".into()).contains("two switches are called \"s2\""));
    assert!(refused(|switch| switch.device_id = 2).contains("two switches have device id 2"));
    assert!(refused(|switch| switch.ports[0].port = 3).contains("does not"));
    assert!(refused(|switch| switch.ports[0].port = CPU_PORT).contains("CPU port"));
    assert!(refused(|switch| switch.ports[0].egress.loss = links::LossModel::Independent(2.0)).contains("egress.loss"));
    let twice = refused(|switch| switch.ports.push(switch.ports[0].clone()));
    assert!(twice.contains("switch s1, port 2: this port number is used twice"), "{twice}");
}
