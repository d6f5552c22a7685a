//! A forwarder without a switch, the yardstick of `python -m bench`: what comes in at one interface goes out of the other, both ways,
//! with the input and output of this crate and nothing between.
//!
//! `bare_forwarder INTERFACE INTERFACE` runs until it is killed.

use std::io;
use std::process::ExitCode;

use ports::Device;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [one, other] = names.as_slice() else {
        eprintln!("usage: bare_forwarder INTERFACE INTERFACE");
        return ExitCode::from(2);
    };
    match forward(one, other) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare_forwarder: {error}");
            ExitCode::FAILURE
        }
    }
}

fn forward(one: &str, other: &str) -> io::Result<()> {
    let open = |name: &str| Device::interface(name, false).map_err(io::Error::other);
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
