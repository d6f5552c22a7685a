//! Existing interfaces, through AF_PACKET.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use crate::PortError;
use crate::offloads;
use crate::receive_ring::ReceiveRing;
use crate::received_messages::ReceivedMessages;
use crate::tap::{interface_name, request_for};

/// Frames taken from one interface before others get their turn.
pub(crate) const BATCH: usize = 32;
/// Room for one frame: a jumbo frame with its tags, or the large frame that an interface with offloads on makes of a
/// stream.
pub(crate) const FRAME_ROOM: usize = 65_536 + 64;
/// Of an interface that does not tell.
const USUAL_MTU: usize = 1500;
/// Room in front of a frame for the VLAN tag the kernel has taken out.
pub(crate) const TAG_BYTES: usize = 4;
/// Receive buffer asked for: about 100 ms at 1 Gbit/s. Of a socket with a ring it is for frames that are larger than their places.
const RECEIVE_BUFFER_BYTES: libc::c_int = 16 << 20;

/// A raw socket on one interface.
pub struct PacketSocket {
    fd: OwnedFd,
    input: Input,
    interface: String,
    /// For frames that their sender has left unfinished.
    room: Vec<u8>,
}

enum Input {
    Ring(ReceiveRing),
    Messages(ReceivedMessages),
}

impl std::fmt::Debug for PacketSocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PacketSocket").field("fd", &self.fd).finish_non_exhaustive()
    }
}

impl PacketSocket {
    /// Opens the interface in promiscuous mode. Frames that other programs of this machine send out by it are received only if asked for.
    /// They come by a ring of `ring_bytes`, where the kernel gives one, else by messages.
    pub fn open(interface: &str, hear_outgoing: bool, ring_bytes: Option<usize>) -> Result<Self, PortError> {
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
        let set = |level, name, value: &[u8], what| {
            set_option(&fd, level, name, value).map_err(|source| PortError::System {
                interface: interface.to_owned(),
                what,
                source,
            })
        };
        let one = 1i32.to_ne_bytes();
        if !hear_outgoing {
            set(libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, &one, "cannot ignore outgoing frames")?;
        }
        let ring = ring_bytes.and_then(|bytes| {
            let ring = ReceiveRing::attach(&fd, bytes);
            ring.inspect_err(|error| tracing::debug!(interface, %error, "no ring; frames come by messages")).ok()
        });
        let input = if let Some(ring) = ring {
            Input::Ring(ring)
        } else {
            set(libc::SOL_PACKET, libc::PACKET_AUXDATA, &one, "cannot ask for VLAN tags")?;
            set(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &one, "cannot ask for time stamps")?;
            Input::Messages(ReceivedMessages::new())
        };
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
        Ok(Self { fd, input, interface: interface.to_owned(), room: Vec::new() })
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

    /// Takes up to [`BATCH`] frames; `sink` gets each with its arrival time (CLOCK_MONOTONIC, ns).
    pub(crate) fn receive(&mut self, sink: &mut dyn FnMut(&[u8], u64)) -> io::Result<usize> {
        let Self { fd, input, interface, room } = self;
        let mut sink = |frame: &[u8], arrival_ns, unfinished| {
            if unfinished {
                let mtu = mtu_of(fd, interface).unwrap_or(USUAL_MTU);
                offloads::carried_out(frame, mtu, room, &mut |frame| sink(frame, arrival_ns));
            } else {
                sink(frame, arrival_ns);
            }
        };
        match input {
            Input::Ring(ring) => ring.receive(fd.as_raw_fd(), &mut sink),
            Input::Messages(messages) => messages.receive(fd.as_raw_fd(), &mut sink),
        }
    }
}

/// How large the IP packets of an interface may be, as it is now.
fn mtu_of(fd: &OwnedFd, interface: &str) -> Option<usize> {
    let mut request = request_for(&interface_name(interface).ok()?);
    // SAFETY: SIOCGIFMTU reads and writes one ifreq, which lives through the call, and fills in the MTU.
    unsafe {
        let result = libc::ioctl(fd.as_raw_fd(), libc::SIOCGIFMTU as _, &raw mut request);
        usize::try_from(request.ifr_ifru.ifru_mtu).ok().filter(|_| result == 0)
    }
}

/// Sets an option of a socket.
pub(crate) fn set_option(fd: &OwnedFd, level: libc::c_int, name: libc::c_int, value: &[u8]) -> io::Result<()> {
    // SAFETY: `value` lives through the call and its length is given.
    let result =
        unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, value.as_ptr().cast(), value.len() as libc::socklen_t) };
    if result != 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the loopback interface.
    fn open(ring_bytes: Option<usize>) -> Option<PacketSocket> {
        match PacketSocket::open("lo", false, ring_bytes) {
            Ok(socket) => Some(socket),
            Err(PortError::System { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
                eprintln!("SKIPPED: packet sockets need root");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_ring_that_cannot_be_had_leaves_messages() {
        for impossible in [1, usize::MAX] {
            let Some(socket) = open(Some(impossible)) else { return };
            assert!(matches!(socket.input, Input::Messages(_)), "{impossible} bytes");
        }
    }

    #[test]
    fn who_wants_messages_has_no_ring() {
        let Some(socket) = open(None) else { return };
        assert!(matches!(socket.input, Input::Messages(_)));
    }

    #[test]
    fn frames_come_by_either_way() {
        for ring_bytes in [None, Some(crate::ring_bytes(2))] {
            let Some(mut socket) = open(ring_bytes) else { return };
            let (ours, theirs) = (std::net::UdpSocket::bind("127.0.0.1:0"), std::net::UdpSocket::bind("127.0.0.1:0"));
            let (ours, theirs) = (ours.expect("a socket"), theirs.expect("a socket"));
            let address = theirs.local_addr().expect("an address");
            let begun_ns = crate::clock::monotonic_ns();
            for number in 0..3u8 {
                ours.send_to(&[b'#', b'r', number], address).expect("sent");
            }
            let mut seen = Vec::new();
            for _ in 0..1000 {
                let received = socket.receive(&mut |frame, arrival_ns| {
                    if let [.., b'#', b'r', number] = frame {
                        assert!((begun_ns..=crate::clock::monotonic_ns()).contains(&arrival_ns));
                        seen.push(*number);
                    }
                });
                if seen.len() == 3 {
                    break;
                }
                if received.unwrap_or(0) == 0 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            }
            assert_eq!(seen, [0, 1, 2], "{ring_bytes:?}");
        }
    }
}
