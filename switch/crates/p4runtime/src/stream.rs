//! StreamChannel: arbitration, packet-out, digest acknowledgements.

use std::sync::Arc;

use p4runtime_proto::runtime::{
    self, StreamError, StreamMessageRequest, stream_error::Details, stream_message_request, stream_message_response,
};
use tonic::{Status, Streaming};

use crate::arbitration::ClientId;
use crate::failure::{Failure, Outcome};
use crate::server::Server;

/// Handles the messages of one client, in order, until the stream ends.
pub async fn run(server: Arc<Server>, client: ClientId, mut incoming: Streaming<StreamMessageRequest>) {
    let end = loop {
        let message = tokio::select! {
            message = incoming.message() => message,
            () = server.stopped() => break Some(Status::unavailable("the switch is shutting down")),
        };
        match message {
            Ok(Some(message)) => {
                if let Err(status) = handle(&server, client, message).await {
                    break Some(status);
                }
            }
            Ok(None) => break None,
            // The client has gone, or has sent something that is no message.
            Err(status) => break Some(status),
        }
    };
    server.disconnect(client, end).await;
}

/// Handles one message. An error ends the stream.
async fn handle(server: &Server, client: ClientId, message: StreamMessageRequest) -> Result<(), Status> {
    use stream_message_request::Update;
    match message.update {
        Some(Update::Arbitration(update)) => {
            let notices = server.arbiter().update(client, &update)?;
            server.notify(notices).await;
        }
        Some(Update::Packet(packet)) => {
            if let Err(failure) = packet_out(server, client, &packet) {
                let details = Details::PacketOut(runtime::PacketOutError { packet_out: Some(packet) });
                report(server, client, failure, details);
            }
        }
        Some(Update::DigestAck(ack)) => {
            if let Err(failure) = acknowledge(server, client, ack) {
                let details = Details::DigestListAck(runtime::DigestListAckError { digest_list_ack: Some(ack) });
                report(server, client, failure, details);
            }
        }
        Some(Update::Other(other)) => {
            let failure = Failure::unimplemented("v1model has no stream messages of its own");
            report(server, client, failure, Details::Other(runtime::StreamOtherError { other: Some(other) }));
        }
        None => {
            let failure = Failure::invalid("the message is empty");
            report(server, client, failure, Details::Other(runtime::StreamOtherError::default()));
        }
    }
    Ok(())
}

fn packet_out(server: &Server, client: ClientId, packet: &runtime::PacketOut) -> Outcome<()> {
    if server.arbiter().primary_access(client).is_none() {
        return Err(Failure::denied("only a primary client may send packets"));
    }
    let schema = server.active_schema();
    let schema = schema.ok_or_else(|| Failure::precondition("no forwarding pipeline config is set"))?;
    if server.cpu_port.is_none() {
        return Err(Failure::precondition("the switch has no CPU port: start it with one (--cpu-port)"));
    }
    let frame = schema.packet_out.put_on(packet, &schema.translations)?;
    server
        .device
        .packet_out(frame)
        .map_err(|status| Failure { code: status.code(), message: status.message().to_owned() })
}

fn acknowledge(server: &Server, client: ClientId, ack: runtime::DigestListAck) -> Outcome<()> {
    if server.arbiter().primary_access(client).is_none() {
        return Err(Failure::denied("only a primary client may acknowledge digests"));
    }
    if !server.active_schema().is_some_and(|schema| schema.digests.contains_key(&ack.digest_id)) {
        return Err(crate::entity::unknown("digest", ack.digest_id));
    }
    server.digests().acknowledge(ack.digest_id, ack.list_id);
    Ok(())
}

fn report(server: &Server, client: ClientId, failure: Failure, details: Details) {
    let error = StreamError {
        canonical_code: failure.code as i32,
        message: failure.message,
        space: String::new(),
        code: 0,
        details: Some(details),
    };
    server.send(client, stream_message_response::Update::Error(error));
}
