//! Frames that a packet socket gives as messages, many by one system call.

use std::io;
use std::mem;
use std::os::fd::RawFd;
use std::ptr;

use crate::arrival::Clocks;
use crate::clock;
use crate::packet_socket::{BATCH, FRAME_ROOM, TAG_BYTES};
use crate::vlan_tag::{self, VlanTag};

const CONTROL_ROOM: usize = 128;

/// Room for a batch of frames and of the kernel's data about them.
pub(crate) struct ReceivedMessages {
    /// One buffer, `BATCH` frames of `FRAME_ROOM`.
    frames: Vec<u8>,
    controls: Vec<[u64; CONTROL_ROOM / 8]>,
}

impl ReceivedMessages {
    pub(crate) fn new() -> Self {
        Self { frames: vec![0; BATCH * FRAME_ROOM], controls: vec![[0; CONTROL_ROOM / 8]; BATCH] }
    }

    /// Receives up to [`BATCH`] frames; `sink` gets each with its arrival time and whether its checksum is missing.
    pub(crate) fn receive(&mut self, fd: RawFd, sink: &mut dyn FnMut(&[u8], u64, bool)) -> io::Result<usize> {
        // SAFETY: all-zero is valid for both types (null pointers, zero lengths).
        let mut headers: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
        // SAFETY: as above.
        let mut vectors: [libc::iovec; BATCH] = unsafe { mem::zeroed() };
        for (index, header) in headers.iter_mut().enumerate() {
            // In bounds: `index` is below BATCH, and the buffer has BATCH rooms.
            let room = &mut self.frames[index * FRAME_ROOM..(index + 1) * FRAME_ROOM];
            vectors[index].iov_base = room[TAG_BYTES..].as_mut_ptr().cast();
            vectors[index].iov_len = FRAME_ROOM - TAG_BYTES;
            header.msg_hdr.msg_iov = &raw mut vectors[index];
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_control = self.controls[index].as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = CONTROL_ROOM as _;
        }
        // SAFETY: every pointer in `headers` leads to memory of the length stated there, which lives through the call.
        let count =
            unsafe { libc::recvmmsg(fd, headers.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT as _, ptr::null_mut()) };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        let count = count as usize;
        let clocks = Clocks::read();
        for (index, header) in headers.iter().enumerate().take(count) {
            let length = (header.msg_len as usize).min(FRAME_ROOM - TAG_BYTES);
            // SAFETY: the kernel has just filled this header's control buffer.
            let ancillary = unsafe { Ancillary::read(&header.msg_hdr) };
            let start = index * FRAME_ROOM;
            let room = &mut self.frames[start..start + TAG_BYTES + length];
            let frame = vlan_tag::put_back(room, ancillary.vlan);
            sink(frame, clocks.arrival_ns(ancillary.realtime_ns), ancillary.checksum_missing);
        }
        Ok(count)
    }
}

/// The kernel's data about a frame beside its bytes.
#[derive(Default)]
struct Ancillary {
    realtime_ns: Option<u64>,
    vlan: Option<VlanTag>,
    /// The sender has left the checksum to the hardware.
    checksum_missing: bool,
}

impl Ancillary {
    /// # Safety
    /// `header` must describe a control buffer filled by the kernel.
    unsafe fn read(header: &libc::msghdr) -> Self {
        let mut found = Self::default();
        // SAFETY: the CMSG functions walk the control buffer within the length the kernel has set; data is read
        // unaligned and only as much as the message type has.
        unsafe {
            let mut message = libc::CMSG_FIRSTHDR(header);
            while !message.is_null() {
                let data = libc::CMSG_DATA(message);
                match ((*message).cmsg_level, (*message).cmsg_type) {
                    (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                        let time: libc::timespec = ptr::read_unaligned(data.cast());
                        found.realtime_ns = Some(clock::to_ns(time));
                    }
                    (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                        let aux: libc::tpacket_auxdata = ptr::read_unaligned(data.cast());
                        found.checksum_missing = aux.tp_status & libc::TP_STATUS_CSUMNOTREADY != 0;
                        found.vlan = vlan_tag::of(aux.tp_status, aux.tp_vlan_tci, aux.tp_vlan_tpid);
                    }
                    _ => {}
                }
                message = libc::CMSG_NXTHDR(header, message);
            }
        }
        found
    }
}
