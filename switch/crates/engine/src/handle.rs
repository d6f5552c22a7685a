//! [`EngineHandle`]: how other threads talk to the forwarding thread.
//!
//! Nothing here locks anything the packet path uses. A request is a closure that travels over a channel. An eventfd
//! wakes the forwarding thread, which brings every switch up to the present, and runs the closure between two packets.

use std::future::Future;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use tokio::sync::{mpsc, oneshot, watch};
use v1model::Switch;

use crate::control_plane::{ControlCtx, EngineError, SwitchEvent};
use crate::core::Core;
use crate::core::added_ports::Wanted;

/// A request to the forwarding thread; it is given the model time in nanoseconds.
pub(crate) type Command = Box<dyn FnOnce(&mut Core, u64) + Send>;

/// Talks to a running [`Engine`](crate::Engine). Cheap to clone, may be used from any thread and any async runtime.
#[derive(Debug, Clone)]
pub struct EngineHandle {
    pub(crate) commands: Sender<Command>,
    pub(crate) wake: Arc<OwnedFd>,
    /// Becomes true, or is closed, when the thread has ended.
    pub(crate) ended: watch::Receiver<bool>,
}

impl EngineHandle {
    /// Runs `f` on the forwarding thread, on the switch with this device id, between two packets.
    ///
    /// The closure must be quick (microseconds): no packet moves while it runs. Do parsing and checking before it.
    /// The request is sent when this function is called, not when the future is first polled.
    pub fn call<R, F>(&self, device_id: u64, f: F) -> impl Future<Output = Result<R, EngineError>> + Send + use<R, F>
    where
        R: Send + 'static,
        F: FnOnce(&mut Switch, &ControlCtx) -> R + Send + 'static,
    {
        let answer = self.send_call(device_id, f);
        async move { answer.await.unwrap_or(Err(EngineError::Stopped)) }
    }

    /// [`call`](Self::call) for threads outside an async runtime. Never use it inside one.
    pub fn call_blocking<R, F>(&self, device_id: u64, f: F) -> Result<R, EngineError>
    where
        R: Send + 'static,
        F: FnOnce(&mut Switch, &ControlCtx) -> R + Send + 'static,
    {
        self.send_call(device_id, f).blocking_recv().unwrap_or(Err(EngineError::Stopped))
    }

    /// Hands a frame to the switch as if it had come in by the CPU port (P4Runtime packet-out: the controller header
    /// in front, already packed).
    pub fn packet_out(&self, device_id: u64, frame: Vec<u8>) -> Result<(), EngineError> {
        self.send(Box::new(move |core, now_ns| core.packet_out(device_id, &frame, now_ns)))
    }

    /// Every frame the switch sends to its CPU port from now on, controller header in front. A subscriber that does not
    /// keep up loses frames (counted, logged once); forwarding never waits for it. Several may subscribe.
    pub fn subscribe_packet_in(&self, device_id: u64) -> Result<mpsc::Receiver<Vec<u8>>, EngineError> {
        let (sender, receiver) = mpsc::channel(PACKET_IN_BACKLOG);
        self.send(Box::new(move |core, _| core.subscribe_packet_in(device_id, sender)))?;
        Ok(receiver)
    }

    /// Digests and idle time-outs of the switch from now on. Same rules as for packet-in.
    pub fn subscribe_events(&self, device_id: u64) -> Result<mpsc::Receiver<SwitchEvent>, EngineError> {
        let (sender, receiver) = mpsc::channel(EVENT_BACKLOG);
        self.send(Box::new(move |core, _| core.subscribe_events(device_id, sender)))?;
        Ok(receiver)
    }

    /// Ends the forwarding thread. Returns at once; [`Engine::join`](crate::Engine::join) waits for the end.
    pub fn shutdown(&self) {
        // An engine that has already stopped needs no request.
        let _ = self.send(Box::new(|core, _| core.stop()));
    }

    fn send_call<R, F>(&self, device_id: u64, f: F) -> oneshot::Receiver<Result<R, EngineError>>
    where
        R: Send + 'static,
        F: FnOnce(&mut Switch, &ControlCtx) -> R + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        // If this fails, `reply` is dropped with the closure and the receiver reports it.
        let _ = self.send(Box::new(move |core, now_ns| {
            let _ = reply.send(core.with_switch(device_id, now_ns, f));
        }));
        answer
    }

    /// Completes when the forwarding thread has ended, for whatever reason.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.ended.clone();
        async move {
            // An error means that the thread is gone: the wait is over too.
            let _ = ended.wait_for(|ended| *ended).await;
        }
    }

    /// Runs `f` on the forwarding thread, on everything it owns; for threads outside an async runtime.
    pub(crate) fn call_core<R: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Core, u64) -> R + Send + 'static,
    ) -> Result<R, EngineError> {
        let (reply, answer) = oneshot::channel();
        self.send(Box::new(move |core, now_ns| {
            let _ = reply.send(f(core, now_ns));
        }))?;
        answer.blocking_recv().map_err(|_| EngineError::Stopped)
    }

    /// Opens the interface here, so that packets go on meanwhile, and gives it to the switch.
    pub(crate) fn add_port(&self, wanted: Wanted) -> Result<Result<(), String>, EngineError> {
        match wanted.open() {
            Ok(device) => self.call_core(move |core, _| core.attach(wanted, device)),
            Err(reason) => Ok(Err(reason)),
        }
    }

    fn send(&self, command: Command) -> Result<(), EngineError> {
        self.commands.send(command).map_err(|_| EngineError::Stopped)?;
        signal(self.wake.as_raw_fd());
        Ok(())
    }
}

/// Makes an eventfd readable.
pub(crate) fn signal(eventfd: RawFd) {
    let one = 1u64.to_ne_bytes();
    // SAFETY: writes 8 bytes from a live buffer. The only failure of an eventfd write is a full counter, and then it is
    // readable anyway.
    unsafe { libc::write(eventfd, one.as_ptr().cast(), one.len()) };
}

const PACKET_IN_BACKLOG: usize = 16_384;
const EVENT_BACKLOG: usize = 4_096;
