"""All that travels between UDP_PORT and UDP_PORT: messages of every version, and telemetry."""

from __future__ import annotations

from protocol.telemetry import Telemetry, decode_telemetry, is_telemetry
from protocol.wire import Message
from protocol.wire_v2 import decode

AnyMessage = Message | Telemetry


def decode_any(data: bytes) -> AnyMessage:
    """The message or the telemetry in a UDP payload.

    Raises:
        protocol.wire.MessageError: it is malformed; with the reason.
    """
    return decode_telemetry(data) if is_telemetry(data) else decode(data)
