//! The header fields of a frame.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(crate) const IPV4: u16 = 0x0800;
pub(crate) const ARP: u16 = 0x0806;
pub(crate) const IPV6: u16 = 0x86dd;
const VLAN: [u16; 2] = [0x8100, 0x88a8];
pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) ether_type: Option<u16>,
    pub(crate) addresses: Option<(IpAddr, IpAddr)>,
    pub(crate) protocol: Option<u8>,
    pub(crate) ports: Option<(u16, u16)>,
}

fn word(frame: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(frame.get(at..at + 2)?.try_into().ok()?))
}

pub(crate) fn look_at(frame: &[u8]) -> Seen {
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
