//! Sends frames at a rate and times the frames that come back, for `python -m bench`.
//!
//! `packet_generator SEND RECEIVE RATE SECONDS < FRAMES` sends frames out of the interface SEND, RATE of them a second
//! (0: as many as it can). They come one after the other from standard input, where each is a line in hexadecimal. With
//! an interface RECEIVE (`-`: none) the last 16 bytes of a frame become a mark and the time. Frames with that mark that
//! come in there are timed. Writes one line of JSON.

use std::ffi::CString;
use std::io::{self, BufRead};
use std::mem;
use std::process::ExitCode;
use std::ptr;
use std::time::{Duration, Instant};

/// Frames handed over by one system call.
const BATCH: usize = 32;
const MARK: [u8; 8] = *b"one-way:";
const STAMP_BYTES: usize = 16;
/// Time for frames that are still on their way when the last frame has been sent.
const TAIL: Duration = Duration::from_millis(200);
const BUFFER_BYTES: libc::c_int = 32 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("packet_generator: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wrong = || io::Error::other("usage: packet_generator SEND RECEIVE|- RATE SECONDS < FRAMES");
    let [send, receive, rate, seconds] = arguments.as_slice() else { return Err(wrong()) };
    let rate: f64 = rate.parse().map_err(|_| wrong())?;
    let seconds = Duration::from_secs_f64(seconds.parse().map_err(|_| wrong())?);
    let mut frames = read_frames()?;
    let sender = open(send, 0)?;
    let mut receiver = match receive.as_str() {
        "-" => None,
        name => Some(Receiver { socket: open(name, libc::ETH_P_ALL as u16)?, latencies_ns: Vec::new() }),
    };
    let (mut sent, mut next) = (0u64, 0usize);
    let started = Instant::now();
    while started.elapsed() < seconds {
        let due = if rate > 0.0 { (started.elapsed().as_secs_f64() * rate) as u64 } else { u64::MAX };
        let wanted = usize::try_from(due.saturating_sub(sent)).unwrap_or(BATCH).min(BATCH);
        if wanted > 0 {
            sent += send_some(sender, &mut frames, &mut next, wanted, receiver.is_some());
        }
        if let Some(receiver) = &mut receiver {
            receiver.take();
        }
    }
    let elapsed_s = started.elapsed().as_secs_f64();
    let ended = Instant::now();
    while ended.elapsed() < TAIL {
        match &mut receiver {
            Some(receiver) => receiver.take(),
            None => std::thread::sleep(TAIL),
        }
    }
    let mut latencies_ns = receiver.map_or_else(Vec::new, |receiver| receiver.latencies_ns);
    latencies_ns.sort_unstable();
    let quantile_us = |percent: usize| {
        let index = (latencies_ns.len() * percent / 100).min(latencies_ns.len().saturating_sub(1));
        latencies_ns.get(index).copied().unwrap_or(0) as f64 / 1e3
    };
    Ok(format!(
        "{{\"sent\": {sent}, \"seconds\": {elapsed_s:.6}, \"timed\": {}, \"median_us\": {:.1}, \"p99_us\": {:.1}, \"max_us\": {:.1}}}",
        latencies_ns.len(),
        quantile_us(50),
        quantile_us(99),
        quantile_us(100)
    ))
}

fn read_frames() -> io::Result<Vec<Vec<u8>>> {
    let mut frames = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let digits: Option<Vec<u8>> = line.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let digits = digits.filter(|digits| digits.len().is_multiple_of(2) && digits.len() / 2 > STAMP_BYTES);
        let digits = digits.ok_or_else(|| io::Error::other("a frame that is no hexadecimal, or too short"))?;
        frames.push(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect());
    }
    if frames.is_empty() { Err(io::Error::other("no frames")) } else { Ok(frames) }
}

/// Sends frames, or as many as there is room for.
fn send_some(socket: libc::c_int, frames: &mut [Vec<u8>], next: &mut usize, wanted: usize, stamped: bool) -> u64 {
    // SAFETY: all-zero is valid for both types (null pointers, zero lengths).
    let mut headers: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
    // SAFETY: as above.
    let mut vectors: [libc::iovec; BATCH] = unsafe { mem::zeroed() };
    // No frame twice in one call: each has its own stamp.
    let wanted = wanted.min(BATCH).min(frames.len());
    let now_ns = realtime_ns();
    for index in 0..wanted {
        let place = (*next + index) % frames.len();
        let frame = &mut frames[place];
        if stamped {
            let at = frame.len() - STAMP_BYTES;
            frame[at..at + 8].copy_from_slice(&MARK);
            frame[at + 8..].copy_from_slice(&now_ns.to_be_bytes());
        }
        vectors[index].iov_base = frame.as_mut_ptr().cast();
        vectors[index].iov_len = frame.len();
        headers[index].msg_hdr.msg_iov = &raw mut vectors[index];
        headers[index].msg_hdr.msg_iovlen = 1;
    }
    // SAFETY: every pointer in the headers in use leads to memory of the length stated there, which lives through the call.
    let count = unsafe { libc::sendmmsg(socket, headers.as_mut_ptr(), wanted as u32, 0) };
    let count = usize::try_from(count).unwrap_or(0);
    *next = (*next + count) % frames.len();
    count as u64
}

struct Receiver {
    socket: libc::c_int,
    latencies_ns: Vec<u64>,
}

impl Receiver {
    /// Takes the frames that are there.
    fn take(&mut self) {
        let mut frame = [0u8; 2048];
        let mut control = [0u64; 16];
        loop {
            // SAFETY: all-zero is valid.
            let mut header: libc::msghdr = unsafe { mem::zeroed() };
            let mut vector = libc::iovec { iov_base: frame.as_mut_ptr().cast(), iov_len: frame.len() };
            header.msg_iov = &raw mut vector;
            header.msg_iovlen = 1;
            header.msg_control = control.as_mut_ptr().cast();
            header.msg_controllen = mem::size_of_val(&control) as _;
            // SAFETY: the buffers live through the call and their lengths are given.
            let length = unsafe { libc::recvmsg(self.socket, &raw mut header, libc::MSG_DONTWAIT) };
            let Ok(length) = usize::try_from(length) else { return };
            let Some(stamp) = frame[..length].last_chunk::<STAMP_BYTES>() else { continue };
            let (mark, sent_ns) = stamp.split_at(8);
            if mark == MARK
                // SAFETY: the kernel has just filled this header's control buffer.
                && let Some(came_ns) = unsafe { arrival_ns(&header) }
            {
                let sent_ns = sent_ns.try_into().map_or(0, u64::from_be_bytes);
                self.latencies_ns.push(came_ns.saturating_sub(sent_ns));
            }
        }
    }
}

/// # Safety
/// `header` must describe a control buffer filled by the kernel.
unsafe fn arrival_ns(header: &libc::msghdr) -> Option<u64> {
    // SAFETY: the first message lies in the control buffer; its data is read unaligned, and only if it is a time.
    unsafe {
        let message = libc::CMSG_FIRSTHDR(header);
        if message.is_null() || (*message).cmsg_type != libc::SCM_TIMESTAMPNS {
            return None;
        }
        let time: libc::timespec = ptr::read_unaligned(libc::CMSG_DATA(message).cast());
        Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}

fn realtime_ns() -> u64 {
    ports::clock::realtime_ns()
}

/// A packet socket on an interface; protocol 0 receives nothing.
fn open(interface: &str, protocol: u16) -> io::Result<libc::c_int> {
    let name = CString::new(interface)?;
    // SAFETY: the name is NUL-terminated; the options and the address live through the calls and their lengths are given.
    unsafe {
        let index = libc::if_nametoindex(name.as_ptr());
        let socket = libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0);
        if index == 0 || socket < 0 {
            return Err(io::Error::last_os_error());
        }
        let set = |level, name, value: libc::c_int| {
            libc::setsockopt(
                socket,
                level,
                name,
                (&raw const value).cast(),
                mem::size_of_val(&value) as libc::socklen_t,
            )
        };
        set(libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1);
        set(libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, BUFFER_BYTES);
        if protocol != 0 {
            set(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1);
        }
        let mut address: libc::sockaddr_ll = mem::zeroed();
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol.to_be();
        address.sll_ifindex = index as libc::c_int;
        if libc::bind(socket, (&raw const address).cast(), mem::size_of_val(&address) as libc::socklen_t) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(socket)
    }
}
