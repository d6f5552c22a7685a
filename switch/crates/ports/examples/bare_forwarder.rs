//! A forwarder without a switch, the yardstick of `python -m bench`. Frames that come in at one interface go out of the
//! other, both ways, with the input and output of this crate and nothing between.
//!
//! `bare_forwarder ring|messages INTERFACE INTERFACE` runs until it is killed; frames are received in the way that the first word says.

use std::io;
use std::process::ExitCode;

use ports::Device;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let (ring_bytes, one, other) = match words.as_slice() {
        ["ring", one, other] => (Some(ports::ring_bytes(2)), one, other),
        ["messages", one, other] => (None, one, other),
        _ => {
            eprintln!("usage: bare_forwarder ring|messages INTERFACE INTERFACE");
            return ExitCode::from(2);
        }
    };
    match forward(ring_bytes, one, other) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare_forwarder: {error}");
            ExitCode::FAILURE
        }
    }
}

fn forward(ring_bytes: Option<usize>, one: &str, other: &str) -> io::Result<()> {
    let open = |name: &str| Device::interface(name, false, ring_bytes).map_err(io::Error::other);
    let (mut one, mut other) = (open(one)?, open(other)?);
    loop {
        wait(&one, &other)?;
        pass(&mut one, &mut other)?;
        pass(&mut other, &mut one)?;
    }
}

fn pass(from: &mut Device, to: &mut Device) -> io::Result<()> {
    from.receive(|frame, _| {
        // A full buffer drops, as in a switch.
        let _ = to.send(frame);
    })?;
    let _ = to.flush();
    Ok(())
}

fn wait(one: &Device, other: &Device) -> io::Result<()> {
    let entry = |device: &Device| libc::pollfd { fd: device.fd(), events: libc::POLLIN, revents: 0 };
    let mut entries = [entry(one), entry(other)];
    // SAFETY: two entries, which live through the call.
    let ready = unsafe { libc::poll(entries.as_mut_ptr(), 2, -1) };
    if ready < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
