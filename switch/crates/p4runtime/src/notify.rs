//! The switch's notifications to its controllers: packets, digests, idle entries.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use engine::{SwitchEvent, clock};
use p4runtime_proto::runtime::{self, stream_message_response::Update};
use tokio::sync::mpsc;
use v1model::IdleTimeout;

use crate::data_type::Leaf;
use crate::digests::{Fields, List};
use crate::read::entry_message;
use crate::schema::Schema;
use crate::server::Server;

/// Events handled in one go.
const BATCH: usize = 1024;

/// Turns frames on the CPU port into packet-ins, until the server or the engine ends.
pub async fn packets(server: Arc<Server>, mut frames: mpsc::Receiver<Vec<u8>>) {
    loop {
        let frame = tokio::select! {
            frame = frames.recv() => frame,
            () = server.stopped() => None,
        };
        let Some(frame) = frame else { return };
        let Some(schema) = server.active_schema() else { continue };
        let Some(packet) = schema.packet_in.take_off(Bytes::from(frame), &schema.translations) else {
            tracing::debug!("a frame on the CPU port is shorter than the packet-in header: not reported");
            continue;
        };
        let primaries: Vec<_> = {
            let arbiter = server.arbiter();
            arbiter.primaries().filter(|(_, access)| access.receives(&packet)).map(|(client, _)| client).collect()
        };
        for client in primaries {
            server.send(client, Update::Packet(packet.clone()));
        }
    }
}

/// Turns digests and idle time-outs into messages, until the server or the engine ends.
pub async fn events(server: Arc<Server>, mut events: mpsc::Receiver<SwitchEvent>) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let due = next_due(&server).await;
        tokio::select! {
            received = events.recv_many(&mut batch, BATCH) => if received == 0 { return },
            () = sleep_until(due) => {}
            () = server.stopped() => return,
        }
        handle(&server, batch.drain(..)).await;
    }
}

async fn next_due(server: &Server) -> Option<u64> {
    let pipelines = server.pipelines.lock().await;
    server.digests().next_due_ns(&pipelines.extras.digests)
}

async fn sleep_until(due_ns: Option<u64>) {
    match due_ns {
        Some(due_ns) => tokio::time::sleep(Duration::from_nanos(due_ns.saturating_sub(clock::monotonic_ns()))).await,
        None => std::future::pending().await,
    }
}

async fn handle(server: &Server, batch: impl Iterator<Item = SwitchEvent>) {
    let Some(schema) = server.active_schema() else { return };
    let mut idle = Vec::new();
    let mut lists = Vec::new();
    {
        let pipelines = server.pipelines.lock().await;
        let settings = &pipelines.extras.digests;
        let mut digests = server.digests();
        let now_ns = clock::monotonic_ns();
        for event in batch {
            match event {
                SwitchEvent::IdleTimeout(timeout) => idle.push(timeout),
                SwitchEvent::Digest(digest) => {
                    let found = schema.digests.iter().find(|(_, known)| *known.name == *digest.name);
                    let Some((id, known)) = found else { continue };
                    // Not enabled by the controller: not wanted.
                    let Some(settings) = settings.get(id) else { continue };
                    let leaf = |(pattern, valid): &(Vec<u8>, bool)| (pattern.clone(), *valid);
                    let fields = digest.fields.iter().map(leaf).collect();
                    let write = |fields: &Fields| {
                        let mut leaves = fields.iter().map(|(pattern, valid)| Leaf { pattern, valid: *valid });
                        known.data.write(&mut leaves, &schema.translations)
                    };
                    lists.extend(digests.offer(*id, settings, fields, write, now_ns));
                }
            }
        }
        lists.extend(digests.due(settings, now_ns));
    }
    for list in lists {
        send_digests(server, list);
    }
    if !idle.is_empty() {
        send_idle(server, &schema, idle).await;
    }
}

fn send_digests(server: &Server, list: List) {
    let message =
        runtime::DigestList { digest_id: list.digest, list_id: list.id, data: list.data, timestamp: wall_clock_ns() };
    for client in primaries_covering(server, list.digest) {
        server.send(client, Update::Digest(message.clone()));
    }
}

async fn send_idle(server: &Server, schema: &Arc<Schema>, idle: Vec<IdleTimeout>) {
    let read = server.device.call(move |switch, _| {
        let entry = |timeout: &IdleTimeout| switch.table_entry(timeout.table, &timeout.key, timeout.priority).ok();
        idle.iter().filter_map(|timeout| Some((timeout.table, entry(timeout)?.entry))).collect::<Vec<_>>()
    });
    let Ok(entries) = read.await else { return };
    for table in schema.tables.values() {
        let of_table = entries.iter().filter(|(slot, _)| *slot == table.slot);
        let table_entry: Vec<_> = of_table.map(|(_, entry)| entry_message(schema, table, entry)).collect();
        if table_entry.is_empty() {
            continue;
        }
        let message = runtime::IdleTimeoutNotification { table_entry, timestamp: wall_clock_ns() };
        for client in primaries_covering(server, table.id) {
            server.send(client, Update::IdleTimeoutNotification(message.clone()));
        }
    }
}

fn primaries_covering(server: &Server, object: u32) -> Vec<u64> {
    let arbiter = server.arbiter();
    arbiter.primaries().filter(|(_, access)| access.covers(Some(object))).map(|(client, _)| client).collect()
}

/// Nanoseconds since 1970, which messages to controllers carry.
fn wall_clock_ns() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
