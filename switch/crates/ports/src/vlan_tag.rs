//! VLAN tags, which the kernel takes out of frames and tells beside them.

use crate::packet_socket::TAG_BYTES;

/// Destination and source address, which are before the tag.
const ADDRESS_BYTES: usize = 12;
/// Of a tag of which only the control information is known.
const USUAL_PROTOCOL: u16 = 0x8100;

/// Protocol and control information.
pub(crate) type VlanTag = (u16, u16);

/// A frame's tag, from the kernel's flags and numbers about the frame.
pub(crate) fn of(status: u32, control: u16, protocol: u16) -> Option<VlanTag> {
    let is_known = status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
    (status & libc::TP_STATUS_VLAN_VALID != 0).then_some((if is_known { protocol } else { USUAL_PROTOCOL }, control))
}

/// The frame with its tag. `room` is the frame, behind `TAG_BYTES` of no meaning.
pub(crate) fn put_back(room: &mut [u8], tag: Option<VlanTag>) -> &[u8] {
    let Some((protocol, control)) = tag.filter(|_| room.len() >= TAG_BYTES + ADDRESS_BYTES) else {
        return &room[TAG_BYTES..];
    };
    room.copy_within(TAG_BYTES..TAG_BYTES + ADDRESS_BYTES, 0);
    room[ADDRESS_BYTES..ADDRESS_BYTES + 2].copy_from_slice(&protocol.to_be_bytes());
    room[ADDRESS_BYTES + 2..ADDRESS_BYTES + 4].copy_from_slice(&control.to_be_bytes());
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_stands_behind_the_addresses() {
        let frame: Vec<u8> = (1..=20).collect();
        let room = || [vec![0; TAG_BYTES], frame.clone()].concat();
        assert_eq!(put_back(&mut room(), None), frame);
        let tagged = [&frame[..12], &[0x88, 0xa8, 0x01, 0x02], &frame[12..]].concat();
        assert_eq!(put_back(&mut room(), Some((0x88a8, 0x0102))), tagged);
    }

    #[test]
    fn a_frame_too_short_for_a_tag_has_none() {
        assert_eq!(put_back(&mut [0, 0, 0, 0, 7, 8], Some((0x8100, 5))), [7, 8]);
    }

    #[test]
    fn a_tag_is_what_the_kernel_says_is_valid() {
        assert_eq!(of(0, 5, 0x88a8), None);
        assert_eq!(of(libc::TP_STATUS_VLAN_VALID, 5, 0), Some((0x8100, 5)));
        assert_eq!(of(libc::TP_STATUS_VLAN_VALID | libc::TP_STATUS_VLAN_TPID_VALID, 5, 0x88a8), Some((0x88a8, 5)));
    }
}
