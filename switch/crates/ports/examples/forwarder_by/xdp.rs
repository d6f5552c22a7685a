//! AF_XDP in copy mode: a BPF program at the interface hands every frame to a socket whose memory the kernel shares.

mod program;
mod rings;

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::{BATCH, FRAME_ROOM, Interface, SHARED_FRAMES, raw_socket};
use ports::Mapped;

use program::Attached;
use rings::{Addresses, Descriptors, Frame};

/// Where the program stands.
#[derive(Clone, Copy)]
pub enum Mode {
    /// In the kernel's common path, for every interface.
    Generic,
    /// In the interface's driver.
    Native,
}

/// A socket, its memory, its four rings, and the program that feeds it.
pub struct Xdp {
    socket: OwnedFd,
    _program: Attached,
    memory: Mapped,
    to_fill: Addresses,
    received: Descriptors,
    to_send: Descriptors,
    sent: Addresses,
    free: Vec<u64>,
}

impl Xdp {
    /// Opens the socket on the interface's first queue and attaches the program.
    pub fn open(interface: &str, mode: Mode) -> io::Result<Self> {
        // SAFETY: plain system call; the descriptor is nobody else's.
        let socket = unsafe {
            let fd = libc::socket(libc::AF_XDP, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
            raw_socket::check(fd)?;
            OwnedFd::from_raw_fd(fd)
        };
        // The first half is for frames that come in, the second for those that go out.
        let memory = Mapped::anonymous(2 * SHARED_FRAMES * FRAME_ROOM)?;
        let region = libc::xdp_umem_reg_v1 {
            addr: memory.at(0, 1) as u64,
            len: (2 * SHARED_FRAMES * FRAME_ROOM) as u64,
            chunk_size: FRAME_ROOM as u32,
            headroom: 0,
        };
        raw_socket::set(&socket, libc::SOL_XDP, libc::XDP_UMEM_REG, &region)?;
        for ring in [libc::XDP_UMEM_FILL_RING, libc::XDP_UMEM_COMPLETION_RING, libc::XDP_RX_RING, libc::XDP_TX_RING] {
            raw_socket::set(&socket, libc::SOL_XDP, ring, &(SHARED_FRAMES as u32))?;
        }
        let places = rings::places(&socket)?;
        let fd = socket.as_raw_fd();
        let mut to_fill = Addresses::map(fd, &places.fr, libc::XDP_UMEM_PGOFF_FILL_RING as libc::off_t)?;
        let sent = Addresses::map(fd, &places.cr, libc::XDP_UMEM_PGOFF_COMPLETION_RING as libc::off_t)?;
        let received = Descriptors::map(fd, &places.rx, libc::XDP_PGOFF_RX_RING)?;
        let to_send = Descriptors::map(fd, &places.tx, libc::XDP_PGOFF_TX_RING)?;
        let addresses = (0..SHARED_FRAMES).map(|index| (index * FRAME_ROOM) as u64);
        let half = (SHARED_FRAMES * FRAME_ROOM) as u64;
        let free = addresses.clone().map(|address| half + address).collect();
        for address in addresses {
            to_fill.put(address);
        }
        to_fill.publish();
        let index = raw_socket::index_of(interface)?;
        let address = libc::sockaddr_xdp {
            sxdp_family: libc::AF_XDP as u16,
            sxdp_flags: libc::XDP_COPY,
            sxdp_ifindex: index,
            sxdp_queue_id: 0,
            sxdp_shared_umem_fd: 0,
        };
        let length = size_of_val(&address) as libc::socklen_t;
        // SAFETY: the address lives through the call and its length is given.
        raw_socket::check(unsafe { libc::bind(fd, (&raw const address).cast(), length) })?;
        let program = Attached::new(index, fd, mode)?;
        Ok(Self { socket, _program: program, memory, to_fill, received, to_send, sent, free })
    }
}

impl Interface for Xdp {
    fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    fn receive(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        for _ in 0..BATCH {
            let Some(frame) = self.received.take() else { break };
            let length = frame.length as usize;
            // SAFETY: `at` has checked the range; the frame is not the kernel's until its address is back in the fill ring.
            sink(unsafe { std::slice::from_raw_parts(self.memory.at(frame.address as usize, length), length) });
            // The kernel may have left room in front of the frame.
            self.to_fill.put(frame.address / FRAME_ROOM as u64 * FRAME_ROOM as u64);
        }
        self.received.release();
        self.to_fill.publish();
        Ok(())
    }

    fn send(&mut self, frame: &[u8]) {
        if frame.len() > FRAME_ROOM {
            return;
        }
        let Some(address) = self.free.pop() else { return };
        let room = self.memory.at(address as usize, frame.len());
        // SAFETY: the room was checked by `at`, and no two frames share it.
        unsafe { std::ptr::copy_nonoverlapping(frame.as_ptr(), room, frame.len()) };
        self.to_send.put(Frame { address, length: frame.len() as u32, options: 0 });
    }

    fn flush(&mut self) {
        let mut waiting = self.to_send.publish();
        // A call sends up to 32 frames of a copying socket.
        while waiting > 0 {
            // SAFETY: no buffer: the kernel takes the frames that the ring has to send.
            unsafe { libc::sendto(self.fd(), std::ptr::null(), 0, libc::MSG_DONTWAIT, std::ptr::null(), 0) };
            waiting = waiting.saturating_sub(BATCH);
        }
        while let Some(address) = self.sent.take() {
            self.free.push(address);
        }
        self.sent.release();
    }
}
