"""Where a record, or a group of records, may stand in a switch: its key's hashes, as the P4 program computes them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from common.units import BITS_PER_BYTE
from protocol.constants import WAY_BITS
from protocol.headers import TransmissionId
from protocol.layout import U16, Header, layout_of


@dataclass(frozen=True, slots=True)
class RecordKey(Header):
    """The key that is hashed for a record. For a group it is the same without the subflow."""

    id: TransmissionId
    data_port: U16


_SUBFLOW = next(field for field in layout_of(RecordKey).fields if field.name == "subflow")
_FIELD_ENDS: Final = (0, *((field.offset_bits + field.bits) // BITS_PER_BYTE for field in layout_of(RecordKey).fields))


def _crc16_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(BITS_PER_BYTE):
            byte = byte >> 1 ^ (0xA001 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC16: Final = _crc16_table()


def crc16(data: bytes) -> int:
    """CRC-16/ARC: polynomial 0x8005 reflected, initial value 0. v1model's HashAlgorithm.crc16."""
    crc = 0
    for byte in data:
        crc = crc >> 8 ^ _CRC16[(crc ^ byte) & 0xFF]
    return crc


def candidate_slots(transmission: TransmissionId, data_port: int, way_bits: int = WAY_BITS) -> tuple[int, int, int, int]:
    """The slots a record may stand in, one in each way of 2**way_bits."""
    return _slots(_fields(RecordKey(transmission, data_port).encode()), way_bits)


def candidate_group_slots(transmission: TransmissionId, data_port: int, way_bits: int = WAY_BITS) -> tuple[int, int, int, int]:
    """The slots that the group of a transmission's subflows may stand in, one in each way of 2**way_bits."""
    fields = _fields(RecordKey(transmission, data_port).encode())
    return _slots([field for name, field in zip(layout_of(RecordKey).names, fields, strict=True) if name != _SUBFLOW.name], way_bits)


def _fields(key: bytes) -> list[bytes]:
    return [key[begin:end] for begin, end in pairwise(_FIELD_ENDS)]


def _slots(fields: Sequence[bytes], way_bits: int) -> tuple[int, int, int, int]:
    key = b"".join(fields)
    more = crc16(b"".join(reversed(fields))) if way_bits > WAY_BITS else 0
    return slots_of(zlib.crc32(key) | crc16(key) << 32 | more << 48, way_bits)


def slots_of(hashed: int, way_bits: int = WAY_BITS) -> tuple[int, int, int, int]:
    """One slot in each way of 2**way_bits, from 64 bits of hash: 12 for each way, and above those 4 more for ways that are larger."""
    low = (hashed & 0xFFF, hashed >> 12 & 0xFFF, (hashed >> 24 & 0xFF) << 4 | hashed >> 44 & 0xF, hashed >> 32 & 0xFFF)
    mask = (1 << way_bits) - 1
    first, second, third, fourth = (
        way << way_bits | (hashed >> 48 + 4 * way & 0xF) << 12 & mask | index & mask for way, index in enumerate(low)
    )
    return first, second, third, fourth
