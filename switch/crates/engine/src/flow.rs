//! Counting by flow: IPv4 TCP, UDP and ICMP.

use std::net::Ipv4Addr;

use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

/// The header fields that packets of one flow share. Ports are 0 for ICMP and for fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct FlowKey {
    /// Sender.
    pub src: Ipv4Addr,
    /// Receiver.
    pub dst: Ipv4Addr,
    /// IP protocol; written by name.
    #[serde(serialize_with = "protocol_name")]
    pub protocol: u8,
    /// Sender's port.
    pub src_port: u16,
    /// Receiver's port.
    pub dst_port: u16,
}

/// Cumulative counts of one flow on one egress link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct FlowCounters {
    /// Frames sent.
    pub tx_packets: u64,
    /// Their bytes, without FCS.
    pub tx_bytes: u64,
    /// Frames dropped by the queue or lost on the wire.
    pub drops: u64,
}

/// The flows of one egress link.
#[derive(Debug, Default)]
pub(crate) struct FlowTable {
    flows: FxHashMap<FlowKey, Flow>,
    /// Flows whose counters have changed since [`FlowTable::take_changed`], each once.
    changed: Vec<FlowKey>,
}

#[derive(Debug, Default)]
struct Flow {
    counters: FlowCounters,
    is_changed: bool,
}

/// More flows than any experiment has; a port scan must not eat the memory.
const MAX_FLOWS: usize = 4096;

const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMP: u8 = 1;

impl FlowTable {
    pub(crate) fn sent(&mut self, key: FlowKey, bytes: u32) {
        if let Some(counters) = self.entry(key) {
            counters.tx_packets += 1;
            counters.tx_bytes += u64::from(bytes);
        }
    }

    pub(crate) fn dropped(&mut self, key: FlowKey) {
        if let Some(counters) = self.entry(key) {
            counters.drops += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&FlowKey, &FlowCounters)> {
        self.flows.iter().map(|(key, flow)| (key, &flow.counters))
    }

    /// The flows that have changed since this was last called. Those that are over cost nothing, however many there were.
    pub(crate) fn take_changed(&mut self) -> impl Iterator<Item = (FlowKey, FlowCounters)> {
        let flows = &mut self.flows;
        self.changed.drain(..).filter_map(|key| {
            let flow = flows.get_mut(&key)?;
            flow.is_changed = false;
            Some((key, flow.counters))
        })
    }

    fn entry(&mut self, key: FlowKey) -> Option<&mut FlowCounters> {
        if self.flows.len() >= MAX_FLOWS && !self.flows.contains_key(&key) {
            return None;
        }
        let flow = self.flows.entry(key).or_default();
        if !flow.is_changed {
            flow.is_changed = true;
            self.changed.push(key);
        }
        Some(&mut flow.counters)
    }
}

/// The IANA name of a protocol that is counted.
pub(crate) fn name_of(protocol: u8) -> &'static str {
    match protocol {
        TCP => "tcp",
        UDP => "udp",
        _ => "icmp",
    }
}

// serde wants a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn protocol_name<S: Serializer>(protocol: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name_of(*protocol))
}

/// Reads the flow off an Ethernet frame, VLAN tags allowed; `None` if it is none that is counted.
pub(crate) fn flow_of(frame: &[u8]) -> Option<FlowKey> {
    let mut at = 12;
    let mut ether_type = word(frame, at)?;
    while ether_type == 0x8100 || ether_type == 0x88a8 {
        at += 4;
        ether_type = word(frame, at)?;
    }
    if ether_type != 0x0800 {
        return None;
    }
    let ip = frame.get(at + 2..)?;
    let header: &[u8; 20] = ip.first_chunk()?;
    let protocol = header[9];
    if header[0] >> 4 != 4 || !matches!(protocol, TCP | UDP | ICMP) {
        return None;
    }
    let is_fragment = u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0; // more fragments, or an offset; not the don't-fragment bit
    let header_bytes = usize::from(header[0] & 15) * 4;
    let has_ports = protocol != ICMP && !is_fragment;
    let port = |offset| if has_ports { word(ip, header_bytes + offset).unwrap_or(0) } else { 0 };
    Some(FlowKey {
        src: Ipv4Addr::new(header[12], header[13], header[14], header[15]),
        dst: Ipv4Addr::new(header[16], header[17], header[18], header[19]),
        protocol,
        src_port: port(0),
        dst_port: port(2),
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|pair| u16::from_be_bytes(*pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tag: &[u8], fragment: u16, protocol: u8) -> Vec<u8> {
        let mut frame = vec![0; 12];
        frame.extend_from_slice(tag);
        frame.extend_from_slice(&[8, 0, 0x45, 0, 0, 40, 0, 0]);
        frame.extend_from_slice(&fragment.to_be_bytes());
        frame.extend_from_slice(&[64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x12, 0x34, 0x56, 0x78]);
        frame
    }

    #[test]
    fn reads_ports_behind_vlan_tags() {
        let key = flow_of(&frame(&[0x81, 0, 0, 5], 0x4000, TCP)).expect("a TCP flow");
        assert_eq!((key.src_port, key.dst_port, key.protocol), (0x1234, 0x5678, TCP));
        assert_eq!(key.dst, Ipv4Addr::new(10, 0, 0, 2));
    }

    #[test]
    fn fragments_and_icmp_have_no_ports() {
        assert_eq!(flow_of(&frame(&[], 0x2000, UDP)).expect("a flow").src_port, 0);
        assert_eq!(flow_of(&frame(&[], 0x4000, ICMP)).expect("a flow").src_port, 0);
    }

    #[test]
    fn short_and_foreign_frames_are_none() {
        let whole = frame(&[], 0, UDP);
        (0..34).for_each(|length| assert_eq!(flow_of(&whole[..length]), None));
        assert_eq!(flow_of(&frame(&[], 0, 89)), None);
        assert!(flow_of(&whole[..34]).is_some_and(|key| key.src_port == 0));
    }

    #[test]
    fn only_what_has_changed_is_given_again() {
        let key = flow_of(&frame(&[], 0x4000, TCP)).expect("a TCP flow");
        let other = FlowKey { src_port: 1, ..key };
        let mut table = FlowTable::default();
        table.sent(key, 100);
        table.sent(key, 50);
        table.dropped(other);
        let changed: Vec<_> = table.take_changed().collect();
        assert_eq!(changed[0], (key, FlowCounters { tx_packets: 2, tx_bytes: 150, drops: 0 }));
        assert_eq!(changed[1], (other, FlowCounters { tx_packets: 0, tx_bytes: 0, drops: 1 }));
        assert_eq!(table.take_changed().count(), 0);
        table.sent(key, 50);
        let changed: Vec<_> = table.take_changed().collect();
        assert_eq!(changed, [(key, FlowCounters { tx_packets: 3, tx_bytes: 200, drops: 0 })]);
        assert_eq!(table.iter().count(), 2);
    }
}
