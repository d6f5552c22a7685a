use super::*;

/// UDP from 10.0.0.1:1000 to 10.0.2.4:4747 behind a VLAN tag.
fn frame() -> Vec<u8> {
    let mut frame = vec![0; 12];
    frame.extend([0x81, 0, 0, 5, 8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 2, 4]);
    frame.extend([0x03, 0xe8, 0x12, 0x8b, 0, 8, 0, 0]);
    frame
}

fn chooses(text: &str) -> bool {
    text.parse::<PacketFilter>().expect(text).matches(&frame())
}

#[test]
fn what_agrees_is_chosen() {
    for text in
        ["", "src 10.0.0.1 dst 10.0.2.0/24 udp dport 4747", "host 10.0.2.4", "port 0x3e8", "ip", "src 0.0.0.0/0"]
    {
        assert!(chooses(text), "{text}");
    }
    for text in [
        "src 10.0.0.2",
        "dst 10.0.3.0/24",
        "tcp",
        "dport 1000",
        "sport 4747 and dport 4747",
        "arp",
        "host 10.0.0.7",
        "src ::/0",
        "port 1",
    ] {
        assert!(!chooses(text), "{text}");
    }
    assert!(!"udp".parse::<PacketFilter>().expect("good").matches(&[0; 5]));
}

#[test]
fn later_fragments_have_no_ports() {
    let mut later = frame();
    later[18 + 7] = 5;
    assert!(!"dport 4747".parse::<PacketFilter>().expect("good").matches(&later));
    assert!("udp".parse::<PacketFilter>().expect("good").matches(&later));
}

#[test]
fn mistakes_are_named() {
    for (text, part) in [
        ("fly", "\"fly\" is not known; there are src, dst"),
        ("count 5", "\"count\" is not known"),
        ("port", "missing behind \"port\""),
        ("udp dport 99999", "dport 99999"),
        ("src 10.0.0.1/33", "10.0.0.1/33"),
    ] {
        let error = text.parse::<PacketFilter>().expect_err(text).to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn json_is_the_text() {
    let filter: PacketFilter = serde_json::from_str(r#"" udp   dport 0x128b ""#).expect("good");
    assert_eq!(serde_json::to_string(&filter).expect("writes"), r#""udp dport 0x128b""#);
    assert!(serde_json::from_str::<PacketFilter>(r#""udp dport""#).expect_err("bad").to_string().contains("missing"));
}
