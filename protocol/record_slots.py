"""Where a record, or a group of records, may stand in a switch: its key's hashes, as the P4 program computes them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

from protocol.constants import SLOTS_PER_WAY
from protocol.headers import TransmissionId
from protocol.layout import U16, Header, layout_of
from protocol.units import BITS_PER_BYTE


@dataclass(frozen=True, slots=True)
class RecordKey(Header):
    """What is hashed for a record. For a group it is the same without the subflow."""

    id: TransmissionId
    data_port: U16


_SUBFLOW = next(field for field in layout_of(RecordKey).fields if field.name == "subflow")
_SUBFLOW_BEGIN: Final = _SUBFLOW.offset_bits // BITS_PER_BYTE
_SUBFLOW_END: Final = _SUBFLOW_BEGIN + _SUBFLOW.bits // BITS_PER_BYTE


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


def candidate_slots(transmission: TransmissionId, data_port: int) -> tuple[int, int, int, int]:
    """The slots a record may stand in, one in each way."""
    return _slots(RecordKey(transmission, data_port).encode())


def candidate_group_slots(transmission: TransmissionId, data_port: int) -> tuple[int, int, int, int]:
    """The slots that the group of a transmission's subflows may stand in, one in each way."""
    key = RecordKey(transmission, data_port).encode()
    return _slots(key[:_SUBFLOW_BEGIN] + key[_SUBFLOW_END:])


def _slots(key: bytes) -> tuple[int, int, int, int]:
    return slots_of(zlib.crc32(key), crc16(key))


def slots_of(crc32: int, short: int) -> tuple[int, int, int, int]:
    """One slot in each way, from 48 bits of hash: 32 and 16."""
    indices = (crc32 & 0xFFF, crc32 >> 12 & 0xFFF, (crc32 >> 24) << 4 | short >> 12, short & 0xFFF)
    return (
        indices[0],
        SLOTS_PER_WAY + indices[1],
        2 * SLOTS_PER_WAY + indices[2],
        3 * SLOTS_PER_WAY + indices[3],
    )
