//! Which packets are traced: `in 1 src 10.0.0.1 dst 10.0.2.0/24 udp dport 4747 count 5`.
//!
//! The filter looks at the bytes of the frame (Ethernet, VLAN tags, IPv4, IPv6, TCP, UDP), whatever the P4 program makes
//! of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Packets of a trace whose filter does not say how many.
const DEFAULT_COUNT: u32 = 10;

/// A filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("trace filter: {0}")]
pub struct FilterError(String);

/// An address or a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    address: IpAddr,
    length: u32,
}

/// Chooses packets; everything that it names must agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceFilter {
    ingress_port: Option<u16>,
    source: Option<Prefix>,
    destination: Option<Prefix>,
    /// Either address.
    host: Option<Prefix>,
    ether_type: Option<u16>,
    protocol: Option<u8>,
    source_port: Option<u16>,
    destination_port: Option<u16>,
    /// Either port.
    port: Option<u16>,
    /// Packets to trace.
    pub(super) count: u32,
    /// Leave statements and conditions out that do nothing but compute.
    pub(super) brief: bool,
}

impl Default for TraceFilter {
    fn default() -> Self {
        Self {
            ingress_port: None,
            source: None,
            destination: None,
            host: None,
            ether_type: None,
            protocol: None,
            source_port: None,
            destination_port: None,
            port: None,
            count: DEFAULT_COUNT,
            brief: false,
        }
    }
}

impl FromStr for TraceFilter {
    type Err = FilterError;

    /// Words: `in PORT`, `src|dst|host ADDRESS[/LENGTH]`, `ip|ip6|arp|ethertype N`, `tcp|udp|icmp|proto N`,
    /// `sport|dport|port N`, `count N`, `brief`; `and` may stand between them. No words: the first ten packets.
    fn from_str(text: &str) -> Result<Self, FilterError> {
        let mut filter = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "in" => filter.ingress_port = Some(number(word, words.next())?),
                "src" => filter.source = Some(prefix(word, words.next())?),
                "dst" => filter.destination = Some(prefix(word, words.next())?),
                "host" => filter.host = Some(prefix(word, words.next())?),
                "ip" => filter.ether_type = Some(IPV4),
                "ip6" => filter.ether_type = Some(IPV6),
                "arp" => filter.ether_type = Some(ARP),
                "ethertype" => filter.ether_type = Some(number(word, words.next())?),
                "tcp" => filter.protocol = Some(TCP),
                "udp" => filter.protocol = Some(UDP),
                "icmp" => filter.protocol = Some(ICMP),
                "proto" => filter.protocol = Some(number(word, words.next())?),
                "sport" => filter.source_port = Some(number(word, words.next())?),
                "dport" => filter.destination_port = Some(number(word, words.next())?),
                "port" => filter.port = Some(number(word, words.next())?),
                "count" => filter.count = number(word, words.next())?,
                "brief" => filter.brief = true,
                "and" | "all" => {}
                other => {
                    let known = "in, src, dst, host, ip, ip6, arp, ethertype, tcp, udp, icmp, proto, sport, dport, port, count, brief";
                    return Err(FilterError(format!("\"{other}\" is not known; there are {known}")));
                }
            }
        }
        Ok(filter)
    }
}

fn number<T: TryFrom<u64>>(word: &str, text: Option<&str>) -> Result<T, FilterError> {
    let text = text.ok_or_else(|| FilterError(format!("a number is missing behind \"{word}\"")))?;
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let wrong = || FilterError(format!("\"{word} {text}\": this is not a number that can stand here"));
    value.ok().and_then(|value| T::try_from(value).ok()).ok_or_else(wrong)
}

fn prefix(word: &str, text: Option<&str>) -> Result<Prefix, FilterError> {
    let text = text.ok_or_else(|| FilterError(format!("an address is missing behind \"{word}\"")))?;
    let wrong = || FilterError(format!("\"{word} {text}\": expected an address such as 10.0.0.1 or 10.0.0.0/24"));
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let length = length.map_or(Ok(bits), str::parse).map_err(|_| wrong())?;
    if length > bits { Err(wrong()) } else { Ok(Prefix { address, length }) }
}

const IPV4: u16 = 0x0800;
const ARP: u16 = 0x0806;
const IPV6: u16 = 0x86dd;
const VLAN: [u16; 2] = [0x8100, 0x88a8];
const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;

impl Prefix {
    fn covers(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address {
            IpAddr::V4(address) => (u128::from(u32::from(address)) << 96, 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let ((own, own_bits), (other, other_bits)) = (bits(self.address), bits(address));
        own_bits == other_bits && (self.length == 0 || (own ^ other) >> (128 - self.length.min(128)) == 0)
    }
}

/// What a frame says about itself.
#[derive(Debug, Default)]
struct Seen {
    ether_type: Option<u16>,
    addresses: Option<(IpAddr, IpAddr)>,
    protocol: Option<u8>,
    ports: Option<(u16, u16)>,
}

fn word(frame: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(frame.get(at..at + 2)?.try_into().ok()?))
}

fn look_at(frame: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut at = 12;
    while let Some(tag) = word(frame, at)
        && VLAN.contains(&tag)
    {
        at += 4;
    }
    seen.ether_type = word(frame, at);
    let ip = frame.get(at + 2..).unwrap_or(&[]);
    let transport = match seen.ether_type {
        Some(IPV4) => {
            let address = |at: usize| Some(Ipv4Addr::from(<[u8; 4]>::try_from(ip.get(at..at + 4)?).ok()?));
            seen.addresses = address(12).zip(address(16)).map(|(a, b)| (a.into(), b.into()));
            seen.protocol = ip.get(9).copied();
            // Only the first fragment has ports.
            if word(ip, 6).is_some_and(|fragment| fragment & 0x1fff == 0) {
                ip.first().map(|first| usize::from(first & 15) * 4)
            } else {
                None
            }
        }
        Some(IPV6) => {
            let address = |at: usize| Some(Ipv6Addr::from(<[u8; 16]>::try_from(ip.get(at..at + 16)?).ok()?));
            seen.addresses = address(8).zip(address(24)).map(|(a, b)| (a.into(), b.into()));
            seen.protocol = ip.get(6).copied();
            Some(40)
        }
        _ => None,
    };
    if let (Some(at), Some(TCP | UDP)) = (transport, seen.protocol) {
        seen.ports = word(ip, at).zip(word(ip, at + 2));
    }
    seen
}

impl TraceFilter {
    /// The filter that traces so many packets.
    #[must_use]
    pub fn with_count(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// Packets it traces.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn matches(&self, port: u16, frame: &[u8]) -> bool {
        let agrees = |wanted: Option<u16>, is: Option<u16>| wanted.is_none() || wanted == is;
        if !agrees(self.ingress_port, Some(port)) {
            return false;
        }
        let seen = look_at(frame);
        let (from, to) = (seen.addresses.map(|a| a.0), seen.addresses.map(|a| a.1));
        let covers = |prefix: Option<Prefix>, addresses: &[Option<IpAddr>]| {
            prefix.is_none_or(|prefix| addresses.iter().flatten().any(|address| prefix.covers(*address)))
        };
        let (from_port, to_port) = (seen.ports.map(|p| p.0), seen.ports.map(|p| p.1));
        agrees(self.ether_type, seen.ether_type)
            && (self.protocol.is_none() || self.protocol == seen.protocol)
            && covers(self.source, &[from])
            && covers(self.destination, &[to])
            && covers(self.host, &[from, to])
            && agrees(self.source_port, from_port)
            && agrees(self.destination_port, to_port)
            && (self.port.is_none() || self.port == from_port || self.port == to_port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UDP from 10.0.0.1:1000 to 10.0.2.4:4747 behind a VLAN tag.
    fn frame() -> Vec<u8> {
        let mut frame = vec![0; 12];
        frame.extend([0x81, 0, 0, 5, 8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 2, 4]);
        frame.extend([0x03, 0xe8, 0x12, 0x8b, 0, 8, 0, 0]);
        frame
    }

    fn chooses(text: &str) -> bool {
        text.parse::<TraceFilter>().expect(text).matches(1, &frame())
    }

    #[test]
    fn what_agrees_is_chosen() {
        for text in [
            "",
            "in 1",
            "src 10.0.0.1 dst 10.0.2.0/24 udp dport 4747",
            "host 10.0.2.4",
            "port 1000",
            "ip",
            "src 0.0.0.0/0",
        ] {
            assert!(chooses(text), "{text}");
        }
        for text in [
            "in 2",
            "src 10.0.0.2",
            "dst 10.0.3.0/24",
            "tcp",
            "dport 1000",
            "arp",
            "host 10.0.0.7",
            "src ::/0",
            "port 1",
        ] {
            assert!(!chooses(text), "{text}");
        }
        assert!(!"udp".parse::<TraceFilter>().expect("good").matches(1, &[0; 5]));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("fly", "\"fly\" is not known"),
            ("in", "missing behind \"in\""),
            ("in 99999", "in 99999"),
            ("src 10.0.0.1/33", "10.0.0.1/33"),
        ] {
            let error = text.parse::<TraceFilter>().expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
