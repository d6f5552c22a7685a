//! Forwarders without a switch, each with another way to get frames from the kernel and to it, for `python -m bench --input-output`.
//!
//! `forwarder_by METHOD INTERFACE INTERFACE` sends frames that come in at one interface out of the other, both ways,
//! until it is killed. Every method copies a frame once between input and output, as a switch does, and waits by
//! `poll`; so only the method differs.

mod io_uring;
mod one_by_one;
mod packet_mmap;
mod raw_socket;
mod switch_device;
mod xdp;

use std::io;
use std::os::fd::RawFd;
use std::process::ExitCode;

/// Frames taken or handed over at once, at most.
const BATCH: usize = 32;
/// Room for a frame: one of an Ethernet with an MTU of 1,500.
const FRAME_ROOM: usize = 2048;
/// Frames a method that shares memory with the kernel has room for, each way.
const SHARED_FRAMES: usize = 2048;

/// An interface, by one of the methods.
trait Interface {
    /// Readable as soon as frames have come.
    fn fd(&self) -> RawFd;
    /// Takes the frames that are there, a batch at most.
    fn receive(&mut self, sink: &mut dyn FnMut(&[u8])) -> io::Result<()>;
    /// Takes a frame along; without room it is dropped.
    fn send(&mut self, frame: &[u8]);
    /// Hands the frames taken along to the kernel.
    fn flush(&mut self);
}

fn open(method: &str, interface: &str) -> io::Result<Box<dyn Interface>> {
    Ok(match method {
        "recvmsg" => Box::new(one_by_one::OneByOne::open(interface)?),
        "recvmmsg" => Box::new(switch_device::SwitchDevice::open(interface, None)?),
        "ring_in" => Box::new(switch_device::SwitchDevice::open(interface, Some(ports::ring_bytes(2)))?),
        "packet_mmap_v2" => Box::new(packet_mmap::PacketMmap::open(interface, packet_mmap::Version::V2)?),
        "packet_mmap_v3" => Box::new(packet_mmap::PacketMmap::open(interface, packet_mmap::Version::V3)?),
        "io_uring" => Box::new(io_uring::Uring::open(interface)?),
        "af_xdp_generic" => Box::new(xdp::Xdp::open(interface, xdp::Mode::Generic)?),
        "af_xdp_native" => Box::new(xdp::Xdp::open(interface, xdp::Mode::Native)?),
        other => return Err(io::Error::other(format!("no method {other}"))),
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, one, other] = arguments.as_slice() else {
        eprintln!("usage: forwarder_by METHOD INTERFACE INTERFACE");
        return ExitCode::from(2);
    };
    match forward(method, one, other) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("forwarder_by {method}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn forward(method: &str, one: &str, other: &str) -> io::Result<()> {
    let (mut one, mut other) = (open(method, one)?, open(method, other)?);
    loop {
        wait(one.fd(), other.fd())?;
        pass(&mut *one, &mut *other)?;
        pass(&mut *other, &mut *one)?;
    }
}

fn pass(from: &mut dyn Interface, to: &mut dyn Interface) -> io::Result<()> {
    from.receive(&mut |frame| to.send(frame))?;
    to.flush();
    Ok(())
}

fn wait(one: RawFd, other: RawFd) -> io::Result<()> {
    let entry = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut entries = [entry(one), entry(other)];
    // SAFETY: two entries, which live through the call.
    if unsafe { libc::poll(entries.as_mut_ptr(), 2, -1) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(())
}
