//! Frames between two hosts through two switches: times, rates, drops, counters, changes, the end.

mod support;

use std::thread;
use std::time::{Duration, Instant};

use support::{Lab, can_run, in_time, ip, unless_late};

const ACCESS: &str = r#"{"rate_bps":200000000,"delay_us":1000}"#;

#[test]
fn delay_rate_drops_and_counters() {
    if !can_run("delay_rate_drops_and_counters") {
        return;
    }
    in_time("delay_rate_drops_and_counters", check_links);
}

fn check_links() -> Result<(), String> {
    let lab = Lab::new();
    let switch = lab.start(r#"{"rate_bps":10000000,"delay_us":10000,"queue":{"packets":20}}"#, ACCESS);
    let a = lab.udp(&lab.a, "10.77.0.1:7000");
    let b = lab.udp(&lab.b, "10.77.0.2:7000");
    let mut buffer = [0u8; 2048];
    a.send_to(b"hello", "10.77.0.2:7000").expect("sent");
    b.recv(&mut buffer).expect("the first packet, after ARP");
    switch.ask(r#"{"op":"reset_lateness"}"#);

    // One at a time: 1 + 10 + 1 ms and transmission at 200, 10 and 200 Mbit/s.
    let payload = [7u8; 1000];
    let frame_bits = 1042.0 * 8.0;
    let ideal = Duration::from_secs_f64(0.012 + frame_bits / 10e6 + 2.0 * frame_bits / 200e6);
    let mut delays: Vec<Duration> = (0..50)
        .map(|_| {
            let start = Instant::now();
            a.send_to(&payload, "10.77.0.2:7000").expect("sent");
            b.recv(&mut buffer).expect("arrives");
            start.elapsed()
        })
        .collect();
    delays.sort_unstable();
    assert!(delays[0] >= ideal, "{:?} is less than the {ideal:?} of the model", delays[0]);
    unless_late(delays[25] < ideal + Duration::from_millis(3), || format!("median {:?}, model {ideal:?}", delays[25]))?;
    println!("one-way delay: model {ideal:?}, measured median {:?}, 90 % {:?}", delays[25], delays[45]);

    // A burst of 60 at once: 20 wait, one is being sent, and some leave while the rest arrives at 200 Mbit/s.
    let start = Instant::now();
    (0..60).for_each(|_| assert!(a.send_to(&payload, "10.77.0.2:7000").is_ok()));
    let mut arrivals = Vec::new();
    b.set_read_timeout(Some(Duration::from_millis(500))).expect("set");
    while b.recv(&mut buffer).is_ok() {
        arrivals.push(Instant::now());
    }
    let got = arrivals.len();
    let link = switch.link("s1-s2", "egress");
    assert_eq!(link["queue_drops"].as_u64(), Some(60 - got as u64), "{link}");
    assert!(got >= 21, "{got} of 60 arrived");
    unless_late(got <= 30, || format!("{got} of 60 arrived"))?;
    // The last one cannot have been sooner than its bits allow; how much later depends on who else uses the machine.
    let took = arrivals[got - 1].duration_since(start).as_secs_f64();
    let least = 0.012 + got as f64 * frame_bits / 10e6;
    assert!(took >= least, "{got} packets took {took} s instead of {least} s");
    unless_late(took < least + 0.05, || format!("{got} packets took {took} s instead of {least} s"))?;
    assert_eq!(link["lateness"]["packets"].as_u64(), Some(50 + got as u64));

    let flows = switch.ask(r#"{"op":"flows"}"#);
    let flows = flows["flows"].as_array().expect("flows").clone();
    let flow = flows.iter().find(|flow| flow["switch"] == "s1" && flow["port"] == 2).expect("the flow");
    assert_eq!((&flow["src"], &flow["dst_port"]), (&"10.77.0.1".into(), &7000.into()));
    assert_eq!(flow["protocol"], "udp");
    assert_eq!(flow["drops"].as_u64(), Some(60 - got as u64), "{flow}");
    assert_eq!(flow["tx_packets"].as_u64(), Some(51 + got as u64));

    assert_eq!(switch.terminate().code(), Some(0));
    let ports = std::fs::read_to_string(lab.directory.join("ports.csv")).expect("samples");
    let last = ports.lines().rfind(|line| line.contains(",s1,2,egress,")).expect("a sample of the bottleneck");
    let fields: Vec<&str> = last.split(',').collect();
    assert_eq!((fields.len(), fields[8]), (10, (60 - got).to_string().as_str()), "{last}");
    let flows = std::fs::read_to_string(lab.directory.join("flows.csv")).expect("samples");
    assert!(flows.contains(",s1,2,10.77.0.1,10.77.0.2,udp,7000,7000,"));
    Ok(())
}

#[test]
fn links_can_be_changed_and_the_end_is_clean() {
    if !can_run("links_can_be_changed_and_the_end_is_clean") {
        return;
    }
    in_time("links_can_be_changed_and_the_end_is_clean", change_links);
}

fn change_links() -> Result<(), String> {
    let lab = Lab::new();
    let switch = lab.start("{}", "{}");
    let a = lab.udp(&lab.a, "10.77.0.1:7000");
    let b = lab.udp(&lab.b, "10.77.0.2:7000");
    let mut buffer = [0u8; 64];
    let mut delay = || {
        a.send_to(b"x", "10.77.0.2:7000").expect("sent");
        let start = Instant::now();
        b.recv(&mut buffer).map(|_| start.elapsed())
    };
    delay().expect("arrives, after ARP");
    let took = delay().expect("arrives");
    unless_late(took < Duration::from_millis(30), || format!("{took:?} without any delay set"))?;
    let set = r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"delay_us":50000}}"#;
    assert_eq!(switch.ask(set)["ok"], true);
    assert!(delay().expect("arrives") >= Duration::from_millis(49));
    assert_eq!(switch.link("s1-s2", "egress")["config"]["delay_us"], 50_000.0);

    for (wrong, expected) in [
        (r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"delay_ms":5}}"#, "delay_ms"),
        (r#"{"op":"set_link","switch":"s1","port":2,"direction":"egress","link":{"loss":2}}"#, "loss"),
        (r#"{"op":"set_link","switch":"s1","port":9,"direction":"egress","link":{}}"#, "port 9"),
        (r#"{"op":"fly"}"#, "fly"),
        ("nonsense", "not a request"),
    ] {
        let answer = switch.ask(wrong);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(expected)), "{wrong} gave {answer}");
    }
    // A client that connects and says nothing must not hold anything up.
    let _silent = std::os::unix::net::UnixStream::connect(&switch.socket).expect("connected");
    thread::sleep(Duration::from_millis(10));
    let socket = switch.socket.clone();
    assert_eq!(switch.terminate().code(), Some(0));
    assert!(!socket.exists(), "the socket file is gone");
    ip(&format!("-n {} link show tap0", lab.a)).expect("the host keeps its device");
    // At once again.
    assert_eq!(lab.start("{}", "{}").terminate().code(), Some(0));
    Ok(())
}
