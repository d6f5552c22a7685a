"""Events and packet-outs as P4Runtime messages, without finsy's general (and slower) encoding: this is the fast path."""

from __future__ import annotations

from finsy import P4Schema
from finsy.proto import p4r

from controller.outbox import Batch
from controller.pipeline import metadata_names, sends_events
from protocol.constants import MAX_BATCH_ENTRIES
from protocol.events import event_from_metadata
from protocol.headers import Event
from protocol.packet_out import packet_out_metadata
from protocol.wire import FRAME_BYTES, MESSAGE_BYTES, MessageError, Negotiation, decode

_PAYLOAD_AT = FRAME_BYTES - MESSAGE_BYTES


class PacketCodec:
    """Translates between the core's events and batches and the messages of one pipeline's stream."""

    def __init__(self, schema: P4Schema) -> None:
        self._names = metadata_names(schema, "packet_in")
        if not sends_events(schema):  # then nothing is ever sent to it
            self._metadata = {}
            return
        header = schema.controller_packet_metadata["packet_out"]
        self._metadata = {count: header.encode(dict(packet_out_metadata(count))) for count in range(1, MAX_BATCH_ENTRIES + 1)}

    def event(self, packet: p4r.PacketIn) -> tuple[Event, Negotiation | None]:
        """The event in a packet-in, and the negotiation message that caused it if one did.

        Raises:
            protocol.events.EventError: the packet-in is no event.
        """
        names = self._names
        event = event_from_metadata(
            {names[field.metadata_id]: int.from_bytes(field.value, "big") for field in packet.metadata if field.metadata_id in names}
        )
        return event, _negotiation(packet.payload)

    def packet_out(self, batch: Batch) -> p4r.StreamMessageRequest:
        """The stream message that carries the batch."""
        return p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=batch.payload, metadata=self._metadata[batch.count]))


def _negotiation(frame: bytes) -> Negotiation | None:
    if len(frame) < FRAME_BYTES:
        return None
    try:
        message = decode(frame[_PAYLOAD_AT:FRAME_BYTES])
    except MessageError:
        return None
    return message if isinstance(message, Negotiation) else None
