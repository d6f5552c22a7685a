use super::*;

const GOOD: &str = r#"{"switches":[
    {"name":"s1","device_id":1,"grpc_addr":"127.0.0.1:50051","cpu_port":510,"program":"build/nodectl.json","ports":[
        {"port":1,"name":"s1-h1","tap":{"device":"h1-eth0","netns_pid":1234},
         "egress":{"rate_bps":200000000,"delay_us":5000},"ingress":{"rate_bps":200000000,"delay_us":5000}},
        {"port":4,"name":"s1-s2","peer":{"switch":"s2","port":4},
         "egress":{"rate_bps":36000000,"delay_us":20000,"queue":{"packets":100},"loss":0.0015,"seed":7,"priorities":1,"trace":null}},
        {"port":5,"interface":"veth1"}]}],
  "management_socket":"/tmp/switch.sock",
  "samples":{"ports":"/tmp/ports.csv","flows":"/tmp/flows.csv","interval_ms":10}}"#;

fn problem_with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    parse(&GOOD.replace(from, to), SwitchesAre::Ours).expect_err("this description is wrong")
}

#[test]
fn a_good_description() {
    let network = parse(GOOD, SwitchesAre::Ours).expect("good");
    let ports = &network.switches[0].ports;
    assert_eq!(ports[0].attachment(), Attachment::Tap { device: "h1-eth0".into(), netns: Netns::Pid(1234) });
    assert_eq!(ports[1].to_config("s1").egress.rate_bps, Some(36_000_000));
    let third = ports[2].to_config("s1");
    assert_eq!((third.name.as_str(), third.egress.is_ideal()), ("s1-5", true));
}

#[test]
fn problems_name_the_field() {
    assert!(problem_with(r#""delay_us":20000"#, r#""delay_ms":20"#).starts_with("switches[0].ports[1].egress"));
    assert!(
        problem_with(r#""delay_us":20000"#, r#""delay_us":-1"#).starts_with("switches[0].ports[1].egress.delay_us:")
    );
    let filtered = r#""loss":0,"filtered_loss":[{"filter":"udp","loss":0.1},{"filter":"udp port","loss":0.1}]"#;
    assert!(
        problem_with(r#""loss":0.0015"#, filtered)
            .starts_with("switches[0].ports[1].egress.filtered_loss[1].filter: a number is missing behind \"port\"")
    );
    assert!(
        problem_with(r#""trace":null"#, r#""trace":[{"at_s":0},{"at_s":2,"loss":{"every":"x"}}]"#)
            .starts_with("switches[0].ports[1].egress.trace[1].loss")
    );
    assert!(
        problem_with(r#""trace":null"#, r#""trace":[{"at_s":2},{"at_s":1}]"#)
            .starts_with("switches[0].ports[1].egress.trace[1].at_s: must be later")
    );
    assert!(problem_with(r#""rate_bps":36000000"#, r#""rate_bps":-36"#).contains("ports[1].egress.rate_bps"));
    assert!(problem_with("127.0.0.1:50051", "127.0.0.1").starts_with("switches[0].grpc_addr:"));
    assert!(problem_with(r#""interface":"veth1""#, r#""name":"x""#).contains("exactly one of"));
    assert!(problem_with(r#""interval_ms":10"#, r#""interval_ms":0"#).starts_with("samples.interval_ms:"));
    assert!(
        problem_with(r#"{"switch":"s2","port":4},"#, r#"{"switch":"s2","port":4},"ingress":{},"#).contains("ingress")
    );
    let crossing = r#""crossing":{"memory":"m","bytes":4096,"side":2,"delay_us":50,"waits":true}"#;
    let joined = |old: &str, new: &str| problem_with(r#""interface":"veth1""#, &crossing.replace(old, new));
    assert!(joined(r#""side":2"#, r#""side":3"#).contains("crossing.side: must be 1 or 2, not 3"));
    assert!(joined(r#""delay_us":50"#, r#""delay_us":0"#).contains("crossing.delay_us: must be 1 to"));
    assert!(
        joined("}", r#"},"ingress":{}"#).contains("ingress: a port with a peer, here or in another kernel, has none")
    );
    assert!(problem_with(r#""device_id":1,"#, "").contains("device_id"));
    assert!(parse(&format!("{GOOD} x"), SwitchesAre::Ours).is_err());
}

#[test]
fn links_alone_need_the_switches_interfaces_and_no_switch() {
    let links = r#"{"switches":[{"name":"s1","device_id":1,"ports":[
        {"port":1,"tap":{"device":"h1-eth0","netns_pid":1},"switch_side":{"device":"s1-eth1"}}]}]}"#;
    let network = parse(links, SwitchesAre::Elsewhere).expect("good");
    let config = network.switches[0].ports[0].to_config("s1");
    assert_eq!(config.switch_side, Some(TapAddress { device: "s1-eth1".into(), netns: Netns::Own }));
    assert!(parse(links, SwitchesAre::Ours).expect_err("wrong").contains("only `p4switch links`"));
    let without = links.replace(r#","switch_side":{"device":"s1-eth1"}"#, "");
    assert!(parse(&without, SwitchesAre::Elsewhere).expect_err("wrong").contains("ports[0].switch_side:"));
    let with_program = links.replace(r#""device_id":1"#, r#""device_id":1,"program":"x.json""#);
    assert!(parse(&with_program, SwitchesAre::Elsewhere).expect_err("wrong").contains("no program"));
}
