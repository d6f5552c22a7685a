//! Work that a sender leaves to the hardware of its interface: checksums, and the cutting of a TCP stream into packets.
//! A veth pair has no such hardware, and hands the frames over as they are.

use std::ops::Range;

const TCP: u8 = 6;
const UDP: u8 = 17;
/// Options headers of IPv6 that are skipped: hop by hop, routing, destination.
const SKIPPED: [u8; 3] = [0, 43, 60];

/// Where the layers of a frame begin.
struct Layout {
    network: usize,
    transport: usize,
    protocol: u8,
    is_v6: bool,
    /// Of the IP packet; the frame may be padded.
    end: usize,
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|pair| u16::from_be_bytes(*pair))
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    if let Some(room) = bytes.get_mut(at..at + 2) {
        room.copy_from_slice(&value.to_be_bytes());
    }
}

impl Layout {
    fn of(frame: &[u8]) -> Option<Self> {
        let mut at = 12;
        let mut kind = word(frame, at)?;
        while kind == 0x8100 || kind == 0x88a8 {
            at += 4;
            kind = word(frame, at)?;
        }
        let network = at + 2;
        // A length of 0 is that of a packet too large to say it.
        let end = |told: usize| if told == 0 { frame.len() } else { frame.len().min(network + told) };
        match kind {
            0x0800 => {
                let first = *frame.get(network)?;
                let is_fragment = word(frame, network + 6)? & 0x3fff != 0;
                let layout = Self {
                    network,
                    transport: network + usize::from(first & 15) * 4,
                    protocol: *frame.get(network + 9)?,
                    is_v6: false,
                    end: end(usize::from(word(frame, network + 2)?)),
                };
                (first >> 4 == 4 && !is_fragment).then_some(layout)
            }
            0x86dd => {
                let told = usize::from(word(frame, network + 4)?);
                let (mut protocol, mut transport) = (*frame.get(network + 6)?, network + 40);
                while SKIPPED.contains(&protocol) {
                    protocol = *frame.get(transport)?;
                    transport += (usize::from(*frame.get(transport + 1)?) + 1) * 8;
                }
                let end = end(if told == 0 { 0 } else { told + 40 });
                Some(Self { network, transport, protocol, is_v6: true, end })
            }
            _ => None,
        }
    }

    /// Where the checksum of the transport is, from its begin.
    fn checksum_at(&self) -> Option<usize> {
        match self.protocol {
            TCP => Some(16),
            UDP => Some(6),
            _ => None,
        }
    }

    fn addresses(&self) -> Range<usize> {
        if self.is_v6 { self.network + 8..self.network + 40 } else { self.network + 12..self.network + 20 }
    }
}

fn sum(bytes: &[u8]) -> u64 {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let whole: u64 = pairs.iter().map(|pair| u64::from(u16::from_be_bytes(*pair))).sum();
    whole + rest.first().map_or(0, |last| u64::from(*last) << 8)
}

fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Writes the checksum of the transport into a packet.
fn complete_transport(frame: &mut [u8], layout: &Layout) -> Option<()> {
    let at = layout.transport + layout.checksum_at()?;
    frame.get(at..at + 2)?;
    put(frame, at, 0);
    let segment = frame.get(layout.transport..layout.end)?;
    let pseudo = sum(frame.get(layout.addresses())?) + u64::from(layout.protocol) + segment.len() as u64;
    let checksum = match (folded(sum(segment) + pseudo), layout.protocol) {
        // 0 would say that there is none.
        (0, UDP) => 0xffff,
        (checksum, _) => checksum,
    };
    put(frame, at, checksum);
    Some(())
}

fn complete_ipv4(frame: &mut [u8], layout: &Layout) {
    put(frame, layout.network + 10, 0);
    let checksum = frame.get(layout.network..layout.transport).map_or(0, |header| folded(sum(header)));
    put(frame, layout.network + 10, checksum);
}

/// Gives `sink` the frames that the hardware would have sent for this one: with checksums, and several if it is TCP and
/// larger than the interface's `mtu`. A frame of another kind is given as it is.
pub(crate) fn carried_out(frame: &[u8], mtu: usize, room: &mut Vec<u8>, sink: &mut dyn FnMut(&[u8])) {
    let Some(layout) = Layout::of(frame) else { return sink(frame) };
    if layout.protocol == TCP
        && layout.end > layout.network + mtu
        && segments(frame, &layout, mtu, room, sink).is_some()
    {
        return;
    }
    room.clear();
    room.extend_from_slice(frame);
    // A transport without a known checksum stays as it is.
    let _ = complete_transport(room, &layout);
    sink(room);
}

fn segments(frame: &[u8], layout: &Layout, mtu: usize, room: &mut Vec<u8>, sink: &mut dyn FnMut(&[u8])) -> Option<()> {
    const CWR: u8 = 0x80;
    const FIN_AND_PUSH: u8 = 0x09;
    let data = layout.transport + usize::from(frame.get(layout.transport + 12)? >> 4) * 4;
    let (headers, payload) = (frame.get(..data)?, frame.get(data..layout.end)?);
    let most = mtu.checked_sub(data - layout.network).filter(|most| *most > 0)?;
    let sequence = u32::from_be_bytes(*frame.get(layout.transport + 4..)?.first_chunk()?);
    let identification = word(frame, layout.network + 4)?;
    let last = payload.len().div_ceil(most).saturating_sub(1);
    for (index, part) in payload.chunks(most).enumerate() {
        room.clear();
        room.extend_from_slice(headers);
        room.extend_from_slice(part);
        let number = sequence.wrapping_add((index * most) as u32);
        room[layout.transport + 4..layout.transport + 8].copy_from_slice(&number.to_be_bytes());
        let flags = &mut room[layout.transport + 13];
        *flags &= if index == 0 { 0xff } else { !CWR };
        *flags &= if index == last { 0xff } else { !FIN_AND_PUSH };
        let layout = Layout { end: room.len(), ..*layout };
        let length = u16::try_from(room.len() - layout.network).ok()?;
        if layout.is_v6 {
            put(room, layout.network + 4, length - 40);
        } else {
            put(room, layout.network + 2, length);
            put(room, layout.network + 4, identification.wrapping_add(index as u16));
            complete_ipv4(room, &layout);
        }
        complete_transport(room, &layout)?;
        sink(room);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(is_v6: bool, protocol: u8, payload: usize) -> Vec<u8> {
        let mut frame = vec![2; 12];
        let transport = if protocol == TCP { 32 } else { 8 };
        let length = transport + payload;
        if is_v6 {
            frame.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
            frame.extend((length as u16).to_be_bytes());
            frame.extend([protocol, 64]);
            frame.extend([0xfd; 32]);
        } else {
            frame.extend([8, 0, 0x45, 0]);
            frame.extend((20 + length as u16).to_be_bytes());
            frame.extend([0xff, 0xff, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
            let layout = Layout::of(&frame).expect("IPv4");
            complete_ipv4(&mut frame, &layout);
        }
        let mut header = vec![0; transport];
        header[..4].copy_from_slice(&[0x12, 0x34, 0x56, 0x78]);
        if protocol == TCP {
            header[4..8].copy_from_slice(&0xffff_ff00u32.to_be_bytes());
            header[12..14].copy_from_slice(&[0x80, 0x99]);
        } else {
            header[4..6].copy_from_slice(&(length as u16).to_be_bytes());
        }
        frame.extend(header);
        frame.extend((0..payload).map(|byte| (byte % 251) as u8));
        frame
    }

    fn all(frame: &[u8], mtu: usize) -> Vec<Vec<u8>> {
        let (mut room, mut out) = (Vec::new(), Vec::new());
        carried_out(frame, mtu, &mut room, &mut |frame| out.push(frame.to_vec()));
        out
    }

    /// Both checksums, over everything with them in it, come to nothing.
    fn is_right(frame: &[u8]) -> bool {
        let layout = Layout::of(frame).expect("an IP packet");
        let segment = &frame[layout.transport..layout.end];
        let pseudo = sum(&frame[layout.addresses()]) + u64::from(layout.protocol) + segment.len() as u64;
        let header = layout.is_v6 || folded(sum(&frame[layout.network..layout.transport])) == 0;
        header && folded(sum(segment) + pseudo) == 0
    }

    #[test]
    fn a_missing_checksum_is_written() {
        for is_v6 in [false, true] {
            for protocol in [TCP, UDP] {
                for payload in [0, 1, 100, 1400] {
                    let [done] = &all(&frame(is_v6, protocol, payload), 1500)[..] else { panic!("one frame") };
                    assert!(is_right(done), "{is_v6} {protocol} {payload}");
                }
            }
        }
    }

    #[test]
    fn padding_and_tags_do_not_count() {
        let mut padded = frame(false, UDP, 1);
        padded.resize(60, 0xee);
        assert!(is_right(&all(&padded, 1500)[0]));
        let plain = frame(false, TCP, 5000);
        let tagged = [&plain[..12], &[0x81, 0, 0, 5], &plain[12..]].concat();
        let parts = all(&tagged, 1500);
        assert!(parts.len() == 4 && parts.iter().all(|part| is_right(part) && part.len() <= 1518));
    }

    #[test]
    fn a_stream_is_cut_into_packets() {
        for is_v6 in [false, true] {
            for mtu in [600, 1500] {
                let whole = frame(is_v6, TCP, 20_000);
                let layout = Layout::of(&whole).expect("TCP");
                let data = layout.transport + 32;
                let parts = all(&whole, mtu);
                assert!(parts.iter().all(|part| is_right(part) && part.len() <= mtu + 14));
                let joined: Vec<u8> = parts.iter().flat_map(|part| part[data..].to_vec()).collect();
                assert_eq!(joined, whole[data..]);
                let flags: Vec<u8> = parts.iter().map(|part| part[layout.transport + 13]).collect();
                let last = flags.len() - 1;
                assert_eq!((flags[0], flags[1], flags[last]), (0x90, 0x10, 0x19), "CWR first; FIN and PSH last");
                let sequence =
                    |part: &[u8]| u32::from_be_bytes(*part[layout.transport + 4..].first_chunk().expect("four"));
                let step = (parts[0].len() - data) as u32;
                assert_eq!(sequence(&parts[1]), 0xffff_ff00u32.wrapping_add(step));
            }
        }
    }

    #[test]
    fn other_frames_stay_as_they_are() {
        let mut fragment = frame(false, UDP, 100);
        fragment[20] = 0x20;
        let arp = [vec![0xff; 12], vec![8, 6], vec![1; 28]].concat();
        for frame in [fragment, arp, vec![], vec![8; 13], frame(false, 47, 10), frame(false, TCP, 50)[..40].to_vec()] {
            assert_eq!(all(&frame, 1500), [frame]);
        }
    }
}
