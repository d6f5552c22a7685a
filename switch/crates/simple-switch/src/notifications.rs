//! `--notifications-addr`: digests for clients of BMv2's Thrift services, over a Unix socket.
//!
//! Such clients subscribe by nanomsg's SUB to a PUB of the switch. Of nanomsg's protocols this is the least: both sides greet with the
//! number of their protocol; then the publisher sends messages, each with its length. Each digest is a message of its own, as soon as
//! it comes, with BMv2's header. Nothing is done about digests before somebody subscribes.

use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bmv2_thrift::Learning;
use engine::{EngineHandle, SwitchEvent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use v1model::{Digest, Switch};

use crate::LaunchError;

/// The beginning of an address.
const SCHEME: &str = "ipc://";

/// nanomsg's greeting up to the protocol's number.
const GREETING: [u8; 4] = [0, b'S', b'P', 0];
const PUBLISHER: u16 = 32;
const SUBSCRIBER: u16 = 33;
/// The first byte of a message on a Unix socket, before its length.
const MESSAGE: u8 = 1;
/// A subscriber that is further behind loses messages.
const BACKLOG: usize = 4096;
/// Topic of BMv2's messages about digests.
const LEARNING: &[u8; 4] = b"LEA|";

/// The address of a switch that is given none.
#[must_use]
pub fn usual_address(device_id: u64) -> String {
    format!("{SCHEME}{}", std::env::temp_dir().join(format!("bmv2-{device_id}-notifications.ipc")).display())
}

/// Publishes until it is dropped, which removes the socket.
#[derive(Debug)]
pub struct Publisher {
    path: PathBuf,
    task: JoinHandle<()>,
}

impl Publisher {
    /// Publishes a switch's digests at an address `ipc://PATH`. Must be called in a tokio runtime.
    ///
    /// # Errors
    /// It is no such address, or another switch publishes there.
    pub fn open(
        address: &str,
        handle: &EngineHandle,
        device_id: u64,
        learning: Arc<Learning>,
    ) -> Result<Self, LaunchError> {
        let other = || LaunchError::Usage(format!("--notifications-addr {address}: it has to be {SCHEME}/PATH"));
        let path = Path::new(address.strip_prefix(SCHEME).filter(|path| path.starts_with('/')).ok_or_else(other)?);
        if StdStream::connect(path).is_ok() {
            return Err(LaunchError::Usage(format!("--notifications-addr {address}: another switch publishes there")));
        }
        let failed = |source| LaunchError::File { path: path.to_owned(), source };
        // The socket that a killed process has left behind.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let source = Source { handle: handle.clone(), device_id, learning };
        Ok(Self { path: path.to_owned(), task: tokio::spawn(publish(listener, source)) })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Where digests come from.
#[derive(Debug, Clone)]
struct Source {
    handle: EngineHandle,
    device_id: u64,
    learning: Arc<Learning>,
}

async fn publish(listener: UnixListener, source: Source) {
    let (messages, _) = broadcast::channel(BACKLOG);
    let is_listening = Arc::new(AtomicBool::new(false));
    loop {
        let Ok((client, _)) = listener.accept().await else {
            // No file descriptor is left, for example.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            continue;
        };
        if !is_listening.swap(true, Ordering::Relaxed) {
            tokio::spawn(follow(source.clone(), messages.clone()));
        }
        tokio::spawn(serve(client, messages.subscribe()));
    }
}

/// Makes messages of a switch's digests until the engine stops.
async fn follow(source: Source, messages: broadcast::Sender<Arc<Vec<u8>>>) {
    let Ok(mut events) = source.handle.subscribe_events(source.device_id) else { return };
    while let Some(event) = events.recv().await {
        let SwitchEvent::Digest(digest) = event else { continue };
        let name = digest.name.clone();
        let list_of = move |switch: &mut Switch| {
            let program = switch.program()?;
            program.digest_lists().find(|(_, list)| **list == *name).map(|(id, _)| id)
        };
        let Ok(found) = source.handle.call(source.device_id, move |switch, _| list_of(switch)).await else { return };
        let Some(list) = found else { continue };
        let sample = sample_of(&digest);
        if messages.receiver_count() > 0
            && let Some(buffer) = source.learning.buffer_for(list, &sample)
        {
            // Without a subscriber nobody misses it.
            let _ = messages.send(Arc::new(message(source.device_id, list, buffer, &sample)));
        }
    }
}

/// The fields' bytes, one after the other.
fn sample_of(digest: &Digest) -> Vec<u8> {
    digest.fields.iter().flat_map(|(bytes, _)| bytes.iter().copied()).collect()
}

/// BMv2's message about one sample: 32 bytes of header, in the byte order of the machine, and the sample.
fn message(device_id: u64, list: u32, buffer: u64, sample: &[u8]) -> Vec<u8> {
    const CONTEXT: u32 = 0;
    const SAMPLES: u32 = 1;
    let mut message = LEARNING.to_vec();
    message.extend(device_id.to_le_bytes());
    message.extend(CONTEXT.to_le_bytes());
    message.extend(list.to_le_bytes());
    message.extend(buffer.to_le_bytes());
    message.extend(SAMPLES.to_le_bytes());
    message.extend(sample);
    message
}

async fn serve(mut client: UnixStream, mut messages: broadcast::Receiver<Arc<Vec<u8>>>) {
    let mut greeting = [0; 8];
    if client.write_all(&greeting_of(PUBLISHER)).await.is_err() || client.read_exact(&mut greeting).await.is_err() {
        return;
    }
    if greeting != greeting_of(SUBSCRIBER) {
        tracing::warn!(?greeting, "not a subscriber of nanomsg: the connection is closed");
        return;
    }
    let (mut reader, mut writer) = client.into_split();
    let mut nothing = [0; 64];
    loop {
        tokio::select! {
            message = messages.recv() => match message {
                Ok(message) => {
                    let mut frame = vec![MESSAGE];
                    frame.extend((message.len() as u64).to_be_bytes());
                    frame.extend_from_slice(&message);
                    if writer.write_all(&frame).await.is_err() {
                        return;
                    }
                }
                Err(broadcast::error::RecvError::Lagged(count)) => {
                    tracing::warn!(count, "a subscriber does not keep up: digests are lost");
                }
                Err(broadcast::error::RecvError::Closed) => return,
            },
            // Subscribers say nothing: it has gone.
            read = reader.read(&mut nothing) => if !matches!(read, Ok(1..)) {
                return;
            },
        }
    }
}

fn greeting_of(protocol: u16) -> [u8; 8] {
    let [zero, s, p, version] = GREETING;
    let [high, low] = protocol.to_be_bytes();
    [zero, s, p, version, high, low, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_bmv2s() {
        let message = message(7, 2, 5, &[1, 2, 3]);
        assert_eq!(message.len(), 32 + 3);
        assert_eq!(&message[..12], b"LEA|\x07\0\0\0\0\0\0\0");
        assert_eq!(&message[16..20], [2, 0, 0, 0]);
        assert_eq!(&message[20..28], [5, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(&message[28..], [1, 0, 0, 0, 1, 2, 3]);
        assert_eq!(greeting_of(SUBSCRIBER), [0, b'S', b'P', 0, 0, 33, 0, 0]);
    }
}
