"""Packet-outs, the controller's requests to the pipeline (docs/protocol/wire-format.md, "Packet-out: batches").

A packet-out is the header `PacketOutHeader` (protocol/headers.py), followed by 1 to MAX_BATCH_ENTRIES times `Entry`; the pipeline
works the entries off in order. Over P4Runtime the header travels as packet metadata, named as its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from protocol.constants import MAX_BATCH_ENTRIES, PACKET_OUT_MAGIC
from protocol.headers import ENTRY_BYTES, PACKET_OUT_HEADER_BYTES, Entry, PacketOutHeader
from protocol.layout import FieldError, layout_of

_ENTRY = layout_of(Entry)
_HEADER = layout_of(PacketOutHeader)


class PacketOutError(ValueError):
    """Bytes that are no packet-out."""


def encode_entries(entries: Iterable[Entry]) -> bytes:
    """The entries' bytes: the payload of a P4Runtime packet-out. Raises protocol.layout.FieldError if a field does not fit."""
    pack = _ENTRY.pack
    return b"".join([pack(entry) for entry in entries])


def packet_out_metadata(count: int) -> dict[str, int]:
    """The P4Runtime packet metadata of a packet-out with `count` entries."""
    return _HEADER.numbers(PacketOutHeader(count=count))


def encode_packet_outs(entries: Sequence[Entry]) -> list[tuple[dict[str, int], bytes]]:
    """(metadata, payload) of as many packet-outs as the entries need, in order."""
    return [(packet_out_metadata(len(batch)), encode_entries(batch)) for batch in _batches(entries)]


def encode_packet_out_frames(entries: Sequence[Entry]) -> list[bytes]:
    """The same packet-outs as the pipeline receives them on the CPU port (header and entries)."""
    return [PacketOutHeader(count=len(batch)).encode() + encode_entries(batch) for batch in _batches(entries)]


def _batches(entries: Sequence[Entry]) -> Iterable[Sequence[Entry]]:
    return (entries[start : start + MAX_BATCH_ENTRIES] for start in range(0, len(entries), MAX_BATCH_ENTRIES))


def decode_packet_out(frame: bytes) -> list[Entry]:
    """The entries of a packet-out frame (tests, logs); PacketOutError if it is not one."""
    try:
        header = PacketOutHeader.decode(frame)
    except FieldError as error:
        raise PacketOutError(f"packet-out is shorter than its header: {error}") from None
    if header.magic != PACKET_OUT_MAGIC:
        raise PacketOutError("frame does not start with the packet-out mark")
    entries = decode_entries(frame[PACKET_OUT_HEADER_BYTES:])
    if len(entries) != header.count:
        raise PacketOutError(f"packet-out has {len(entries)} entries and says {header.count}")
    return entries


def decode_entries(payload: bytes) -> list[Entry]:
    """The entries in a packet-out's payload; PacketOutError if there are parts of one, or one of unknown type."""
    try:
        return [Entry.decode(payload[start:]) for start in range(0, len(payload), ENTRY_BYTES)]
    except ValueError as error:
        raise PacketOutError(f"packet-out entries cannot be read: {error}") from None
