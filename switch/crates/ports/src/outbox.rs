//! Frames that go out of a packet socket together, by one system call.

use std::io;
use std::mem;
use std::os::fd::RawFd;

use crate::packet_socket::BATCH;

/// Frames to be sent, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    bytes: Vec<u8>,
    /// Where each frame ends.
    ends: Vec<usize>,
    /// Whether the socket had no room for the first frame, since the interface is slower than its traffic.
    is_blocked: bool,
}

impl Outbox {
    pub(crate) fn push(&mut self, frame: &[u8]) {
        self.bytes.extend_from_slice(frame);
        self.ends.push(self.bytes.len());
    }

    pub(crate) fn is_full(&self) -> bool {
        self.ends.len() >= BATCH
    }

    /// Whether frames stay here until [`retry`](Self::retry), which is for when the socket has room again.
    pub(crate) fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Sends all frames that the socket has room for, and says how many were refused. A refused frame does not keep those behind it from
    /// going out; one that has to wait does.
    pub(crate) fn send(&mut self, fd: RawFd) -> u64 {
        if self.is_blocked {
            return 0;
        }
        let mut refused = 0;
        let mut next = 0;
        while next < self.ends.len() {
            match self.send_from(fd, next) {
                Ok(sent) => next += sent,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.is_blocked = true;
                    break;
                }
                Err(_) => {
                    refused += 1;
                    next += 1;
                }
            }
        }
        let sent_bytes = next.checked_sub(1).map_or(0, |last| self.ends[last]);
        self.bytes.drain(..sent_bytes);
        self.ends.drain(..next);
        self.ends.iter_mut().for_each(|end| *end -= sent_bytes);
        refused
    }

    /// Goes on with sending; how many frames were refused.
    pub(crate) fn retry(&mut self, fd: RawFd) -> u64 {
        self.is_blocked = false;
        self.send(fd)
    }

    /// Sends frames from the `first` on; how many have been sent, at least one.
    fn send_from(&mut self, fd: RawFd, first: usize) -> io::Result<usize> {
        // SAFETY: all-zero is valid for both types (null pointers, zero lengths).
        let mut headers: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
        // SAFETY: as above.
        let mut vectors: [libc::iovec; BATCH] = unsafe { mem::zeroed() };
        let mut start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut count = 0;
        for ((end, header), vector) in self.ends[first..].iter().zip(&mut headers).zip(&mut vectors) {
            let frame = &mut self.bytes[start..*end];
            vector.iov_base = frame.as_mut_ptr().cast();
            vector.iov_len = frame.len();
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
            start = *end;
            count += 1;
        }
        // SAFETY: every pointer in the first `count` headers leads to memory of the length stated there, which lives through the call.
        let sent = unsafe { libc::sendmmsg(fd, headers.as_mut_ptr(), count, libc::MSG_DONTWAIT as _) };
        // 0 would go round for ever; the kernel sends one frame or says why not.
        usize::try_from(sent).ok().filter(|sent| *sent > 0).ok_or_else(io::Error::last_os_error)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn frames_go_out_whole_in_their_order_however_many_there_are() {
        let (ours, theirs) = UnixDatagram::pair().expect("sockets");
        let mut outbox = Outbox::default();
        for number in 0..BATCH as u8 + 3 {
            outbox.push(&vec![number; 60 + usize::from(number)]);
        }
        // More than the other end's queue may take at once: the reader is a thread.
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 256];
            (0..BATCH + 3)
                .map(|_| theirs.recv(&mut buffer).map(|length| (length, buffer[0])).expect("a frame"))
                .collect::<Vec<_>>()
        });
        let mut refused = outbox.send(ours.as_raw_fd());
        // Frames that the queue has no room for stay, and nothing is sent twice.
        while outbox.is_blocked() {
            let mut room = libc::pollfd { fd: ours.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
            // SAFETY: one entry, which lives through the call.
            unsafe { libc::poll(&raw mut room, 1, 1000) };
            refused += outbox.retry(ours.as_raw_fd());
        }
        let expected: Vec<_> = (0..BATCH as u8 + 3).map(|number| (60 + usize::from(number), number)).collect();
        assert_eq!((reader.join().expect("the reader"), refused), (expected, 0));
    }

    #[test]
    fn what_there_is_no_room_for_waits_in_its_order() {
        let (ours, theirs) = UnixDatagram::pair().expect("sockets");
        let mut outbox = Outbox::default();
        let mut pushed = 0u16;
        while !outbox.is_blocked() {
            outbox.push(&pushed.to_be_bytes());
            pushed += 1;
            assert_eq!(outbox.send(ours.as_raw_fd()), 0);
        }
        outbox.push(&pushed.to_be_bytes());
        assert_eq!(outbox.send(ours.as_raw_fd()), 0, "it does not overtake");
        let mut buffer = [0; 8];
        for number in 0..=pushed {
            while outbox.is_blocked() && number == pushed - 1 {
                assert_eq!(outbox.retry(ours.as_raw_fd()), 0);
            }
            assert_eq!(theirs.recv(&mut buffer).expect("a frame"), 2);
            assert_eq!(u16::from_be_bytes([buffer[0], buffer[1]]), number);
        }
    }

    #[test]
    fn a_refused_frame_does_not_hold_up_the_others() {
        let (ours, theirs) = UnixDatagram::pair().expect("sockets");
        let mut outbox = Outbox::default();
        outbox.push(&[1; 60]);
        outbox.push(&vec![2; 1 << 22]);
        outbox.push(&[3; 60]);
        assert_eq!(outbox.send(ours.as_raw_fd()), 1, "a datagram of 4 MB");
        let mut buffer = [0; 64];
        for expected in [1, 3] {
            assert_eq!((theirs.recv(&mut buffer).expect("a frame"), buffer[0]), (60, expected));
        }
        assert_eq!(outbox.send(ours.as_raw_fd()), 0, "nothing is left");
    }
}
