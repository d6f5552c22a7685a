//! Existing interfaces, through AF_PACKET.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use crate::tap::{interface_name, request_for};
use crate::{PortError, clock};

/// Frames received by one system call.
pub(crate) const BATCH: usize = 32;
/// Room for one frame: a jumbo frame with its tags, or what an interface with offloads on makes of a stream.
pub(crate) const FRAME_ROOM: usize = 65_536 + 64;
/// Room in front of a frame for the VLAN tag the kernel has taken out.
const TAG_BYTES: usize = 4;
const CONTROL_ROOM: usize = 128;
/// Receive buffer asked for: about 100 ms at 1 Gbit/s.
const RECEIVE_BUFFER_BYTES: libc::c_int = 16 << 20;

/// A raw socket on one interface.
pub struct PacketSocket {
    fd: OwnedFd,
    /// One buffer, `BATCH` frames of `FRAME_ROOM`.
    frames: Vec<u8>,
    controls: Vec<[u64; CONTROL_ROOM / 8]>,
    interface: String,
    /// Whether the warning about offloads has been given.
    warned: bool,
}

impl std::fmt::Debug for PacketSocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PacketSocket").field("fd", &self.fd).finish_non_exhaustive()
    }
}

impl PacketSocket {
    /// Opens the interface in promiscuous mode. Frames that other programs of this machine send out by it are received only if asked for.
    pub fn open(interface: &str, hear_outgoing: bool) -> Result<Self, PortError> {
        let name = interface_name(interface)?;
        // SAFETY: `name` is a NUL-terminated string that lives through the call.
        let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
        let Some(index) = libc::c_int::try_from(index).ok().filter(|index| *index != 0) else {
            return Err(PortError::NoInterface {
                interface: interface.into(),
                namespace: crate::Netns::Own.to_string(),
            });
        };
        // Protocol 0: nothing is received before the socket is bound and its options are set.
        // SAFETY: plain system call.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(PortError::last_os(interface, "cannot open a packet socket"));
        }
        // SAFETY: a fresh descriptor nobody else owns.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let set = |level, name, value: &[u8], what| set_option(&fd, level, name, value, interface, what);
        let one = 1i32.to_ne_bytes();
        if !hear_outgoing {
            set(libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &one, "cannot ignore outgoing frames")?;
        }
        set(libc::SOL_PACKET, libc::PACKET_AUXDATA, &one, "cannot ask for VLAN tags")?;
        set(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &one, "cannot ask for time stamps")?;
        // Best effort: FORCE needs CAP_NET_ADMIN, and the default works for slow links.
        let _ = set(libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &RECEIVE_BUFFER_BYTES.to_ne_bytes(), "");
        let mut membership = Vec::with_capacity(16);
        membership.extend_from_slice(&index.to_ne_bytes());
        membership.extend_from_slice(&(libc::PACKET_MR_PROMISC as u16).to_ne_bytes());
        membership.extend_from_slice(&[0; 10]);
        set(libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership, "cannot make the interface promiscuous")?;

        // SAFETY: all-zero is a valid sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index;
        // SAFETY: the address lives through the call and its size is given.
        let bound = unsafe {
            libc::bind(fd.as_raw_fd(), ptr::from_ref(&address).cast(), mem::size_of_val(&address) as libc::socklen_t)
        };
        if bound != 0 {
            return Err(PortError::last_os(interface, "cannot bind to the interface"));
        }
        Ok(Self {
            fd,
            frames: vec![0; BATCH * FRAME_ROOM],
            controls: vec![[0; CONTROL_ROOM / 8]; BATCH],
            interface: interface.to_owned(),
            warned: false,
        })
    }

    pub(crate) fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Whether the interface is there, up, and has a carrier.
    pub(crate) fn is_up(&self) -> bool {
        const UP: libc::c_short = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let Ok(name) = interface_name(&self.interface) else { return false };
        let mut request = request_for(&name);
        // SAFETY: SIOCGIFFLAGS reads and writes one ifreq, which lives through the call, and fills in its flags.
        unsafe {
            libc::ioctl(self.fd(), libc::SIOCGIFFLAGS as _, &raw mut request) == 0
                && request.ifr_ifru.ifru_flags & UP == UP
        }
    }

    /// Receives up to [`BATCH`] frames; `sink` gets each with its arrival time (CLOCK_MONOTONIC, ns).
    pub(crate) fn receive(&mut self, sink: &mut dyn FnMut(&[u8], u64)) -> io::Result<usize> {
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
        let count = unsafe {
            libc::recvmmsg(self.fd(), headers.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT as _, ptr::null_mut())
        };
        if count < 0 {
            return Err(io::Error::last_os_error());
        }
        let count = count as usize;
        let now_ns = clock::monotonic_ns();
        let realtime_offset_ns = clock::realtime_ns().wrapping_sub(now_ns);
        for (index, header) in headers.iter().enumerate().take(count) {
            let length = (header.msg_len as usize).min(FRAME_ROOM - TAG_BYTES);
            // SAFETY: the kernel has just filled this header's control buffer.
            let ancillary = unsafe { Ancillary::read(&header.msg_hdr) };
            if ancillary.checksum_missing && !self.warned {
                self.warned = true;
                tracing::warn!(
                    "{}: frames come with checksums left to the hardware, which a switch does not have; the receiver will \
                     drop them. At the other end of this interface: ethtool -K DEVICE tx off tso off gso off",
                    self.interface
                );
            }
            let start = index * FRAME_ROOM;
            let room = &mut self.frames[start..start + FRAME_ROOM];
            let mut range = TAG_BYTES..TAG_BYTES + length;
            if let (Some((tpid, tci)), true) = (ancillary.vlan, length >= 12) {
                room.copy_within(TAG_BYTES..TAG_BYTES + 12, 0);
                room[12..14].copy_from_slice(&tpid.to_be_bytes());
                room[14..16].copy_from_slice(&tci.to_be_bytes());
                range.start = 0;
            }
            let arrival_ns = ancillary
                .realtime_ns
                .map(|at_ns| at_ns.wrapping_sub(realtime_offset_ns))
                // A clock step between stamp and reading would give nonsense.
                .filter(|at_ns| *at_ns <= now_ns && now_ns - at_ns < 1_000_000_000)
                .unwrap_or(now_ns);
            sink(&room[range], arrival_ns);
        }
        Ok(count)
    }
}

/// What the kernel says about a frame beside its bytes.
#[derive(Default)]
struct Ancillary {
    realtime_ns: Option<u64>,
    /// Tag protocol and tag control information of a VLAN tag that was taken out.
    vlan: Option<(u16, u16)>,
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
                        if aux.tp_status & libc::TP_STATUS_VLAN_VALID != 0 {
                            let known = aux.tp_status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
                            found.vlan = Some((if known { aux.tp_vlan_tpid } else { 0x8100 }, aux.tp_vlan_tci));
                        }
                    }
                    _ => {}
                }
                message = libc::CMSG_NXTHDR(header, message);
            }
        }
        found
    }
}

fn set_option(
    fd: &OwnedFd,
    level: libc::c_int,
    name: libc::c_int,
    value: &[u8],
    interface: &str,
    what: &'static str,
) -> Result<(), PortError> {
    // SAFETY: `value` lives through the call and its length is given.
    let result =
        unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, value.as_ptr().cast(), value.len() as libc::socklen_t) };
    if result != 0 { Err(PortError::last_os(interface, what)) } else { Ok(()) }
}
