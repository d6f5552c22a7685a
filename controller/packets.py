"""Events and packet-outs as P4Runtime messages, without finsy's general (and slower) encoding: this is the fast path."""

from __future__ import annotations

from finsy import P4Schema
from finsy.proto import p4r

from common.units import BITS_PER_BYTE
from controller.outbox import Batch
from controller.pipeline import metadata_names, sends_events, tells_reserves
from protocol.constants import MAX_BATCH_ENTRIES
from protocol.deployable_headers import EXTENDED_FRAME_BYTES, VERSION_2
from protocol.events import deployable_event_from_metadata, event_from_metadata
from protocol.headers import Event, MessageHeader
from protocol.layout import layout_of
from protocol.packet_out import packet_out_metadata
from protocol.wire import FRAME_BYTES, MESSAGE_BYTES, MessageError, Negotiation
from protocol.wire_v2 import decode

_PAYLOAD_AT = FRAME_BYTES - MESSAGE_BYTES
_VERSION_AT = _PAYLOAD_AT + next(field for field in layout_of(MessageHeader).fields if field.name == "version").offset_bits // BITS_PER_BYTE


class PacketCodec:
    """Translates between the core's events and batches and the messages of one pipeline's stream."""

    def __init__(self, schema: P4Schema) -> None:
        self._names = metadata_names(schema, "packet_in")
        self._event = deployable_event_from_metadata if tells_reserves(schema) else event_from_metadata
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
        event = self._event(
            {names[field.metadata_id]: int.from_bytes(field.value, "big") for field in packet.metadata if field.metadata_id in names}
        )
        return event, _negotiation(packet.payload)

    def packet_out(self, batch: Batch) -> p4r.StreamMessageRequest:
        """The stream message that carries the batch."""
        return p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=batch.payload, metadata=self._metadata[batch.count]))


def _negotiation(frame: bytes) -> Negotiation | None:
    if len(frame) < FRAME_BYTES:
        return None
    end = EXTENDED_FRAME_BYTES if frame[_VERSION_AT] == VERSION_2 else FRAME_BYTES
    try:
        message = decode(frame[_PAYLOAD_AT:end])
    except MessageError:
        return None
    return message if isinstance(message, Negotiation) else None
