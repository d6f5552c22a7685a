//! The state of an endpoint, shared by its RPCs and its background tasks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use p4runtime_proto::runtime::{StreamMessageResponse, stream_message_response::Update};
use tokio::sync::{mpsc, watch};
use tonic::Status;

use crate::arbitration::{Arbiter, ClientId, Notice};
use crate::device::Device;
use crate::digests::DigestLists;
use crate::pipeline::Pipelines;
use crate::schema::Schema;

/// Messages that may wait for one client. Further ones are dropped: packet-ins are not worth waiting for.
const OUTBOX: usize = 32_768;

/// A message that a stream sends, or the status that ends it.
pub type Outgoing = Result<StreamMessageResponse, Status>;

/// One endpoint.
pub struct Server {
    /// The device id that requests must name.
    pub device_id: u64,
    /// The CPU port, if there is one.
    pub cpu_port: Option<u16>,
    /// The switch.
    pub device: Device,
    /// Pipelines and the state that belongs to them. Each request that reads or writes entities holds this to its end,
    /// so requests are serial.
    pub pipelines: Arc<tokio::sync::Mutex<Pipelines>>,
    /// The running pipeline's schema, for packets, which do not wait for requests.
    active: RwLock<Option<Arc<Schema>>>,
    arbiter: Mutex<Arbiter>,
    outboxes: Mutex<HashMap<ClientId, mpsc::Sender<Outgoing>>>,
    digests: Mutex<DigestLists>,
    next_client: AtomicU64,
    /// Becomes true when the server is to end.
    pub stopping: watch::Receiver<bool>,
}

impl Server {
    /// An endpoint without clients.
    pub fn new(device_id: u64, cpu_port: Option<u16>, device: Device, stopping: watch::Receiver<bool>) -> Self {
        Server {
            device_id,
            cpu_port,
            device,
            pipelines: Arc::default(),
            active: RwLock::default(),
            arbiter: Mutex::new(Arbiter::new(device_id)),
            outboxes: Mutex::default(),
            digests: Mutex::default(),
            next_client: AtomicU64::new(1),
            stopping,
        }
    }

    /// The arbitration. Hold it only for a moment, never across an await.
    pub fn arbiter(&self) -> MutexGuard<'_, Arbiter> {
        self.arbiter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The digest lists. As for [`arbiter`](Self::arbiter).
    pub fn digests(&self) -> MutexGuard<'_, DigestLists> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The schema of the running pipeline.
    pub fn active_schema(&self) -> Option<Arc<Schema>> {
        self.active.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another pipeline runs.
    pub fn set_active_schema(&self, schema: Arc<Schema>) {
        *self.active.write().unwrap_or_else(PoisonError::into_inner) = Some(schema);
        self.digests().clear();
    }

    /// Adds a stream.
    pub fn connect(&self) -> (ClientId, mpsc::Receiver<Outgoing>) {
        let client = self.next_client.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel(OUTBOX);
        self.outboxes().insert(client, sender);
        (client, receiver)
    }

    /// Removes a stream; with a status, that is the last thing it sends.
    pub async fn disconnect(&self, client: ClientId, status: Option<Status>) {
        let outbox = self.outboxes().remove(&client);
        if let (Some(outbox), Some(status)) = (outbox, status) {
            // A full or closed outbox means that nobody listens.
            let _ = outbox.try_send(Err(status));
        }
        let notices = self.arbiter().disconnect(client);
        self.notify(notices).await;
    }

    /// Sends arbitration notices. A new primary is told last, after the requests that have started are done.
    pub async fn notify(&self, notices: Vec<Notice>) {
        for notice in notices {
            if notice.new_primary {
                drop(self.pipelines.lock().await);
            }
            self.send(notice.client, Update::Arbitration(notice.update));
        }
    }

    /// Sends a message to a client, unless it is gone or far behind.
    pub fn send(&self, client: ClientId, update: Update) {
        if let Some(outbox) = self.outboxes().get(&client) {
            let _ = outbox.try_send(Ok(StreamMessageResponse { update: Some(update) }));
        }
    }

    /// Completes when the server is to end.
    pub async fn stopped(&self) {
        // An error means that nobody can stop the server any more: that is an end too.
        let _ = self.stopping.clone().wait_for(|stop| *stop).await;
    }

    fn outboxes(&self) -> MutexGuard<'_, HashMap<ClientId, mpsc::Sender<Outgoing>>> {
        self.outboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
