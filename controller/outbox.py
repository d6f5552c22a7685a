"""Packet-out entries that wait to be sent, and their encoding into batches.

A later reduce of the same record replaces an earlier one that was not sent yet, and cancels a waiting increase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final

from common.units import US_PER_S
from controller.records import Record
from protocol.codes import EntryType
from protocol.constants import MAX_BATCH_ENTRIES
from protocol.headers import ENTRY_BYTES, Entry, TransmissionId
from protocol.packet_out import encode_entries

_TYPE: Final = Struct("!H")
_VALUE: Final = Struct("!I")
_REDUCE: Final = _TYPE.pack(EntryType.REDUCE)
_INCREASE: Final = _TYPE.pack(EntryType.INCREASE)


@dataclass(frozen=True, slots=True)
class Batch:
    """Payload of one packet-out."""

    count: int
    payload: bytes


class Outbox:
    """The entries that wait for one switch. They are sent in this order: reduces, increases, everything else, port reads."""

    def __init__(self, *, reads_with_each_batch: bool = False) -> None:
        """``reads_with_each_batch``: every batch ends with reads of the ports that it is about, not the last one alone."""
        self._reads_with_each_batch = reads_with_each_batch
        self._reduces: dict[Record, int] = {}
        self._increases: dict[Record, int] = {}
        self._others: list[Entry] = []
        self._port_reads: dict[int, None] = {}

    def __bool__(self) -> bool:
        return bool(self._reduces or self._increases or self._others or self._port_reads)

    def reduce(self, record: Record, speed_kbps: int) -> None:
        """Lower the record in the data plane and tell its sender; the port's totals are read back afterwards."""
        self._increases.pop(record, None)
        self._reduces[record] = speed_kbps
        self._port_reads[record.data_port] = None

    def reduce_all(self, reduces: Mapping[Record, int]) -> None:
        """The same for many records, each with its speed: a thousand of them are on the way of every admission."""
        for record in self._increases.keys() & reduces.keys():
            del self._increases[record]
        self._reduces.update(reduces)
        self._port_reads.update(dict.fromkeys({record.data_port for record in reduces}))

    def increase(self, record: Record, speed_kbps: int) -> None:
        """Tell the record's sender that it may ask for this rate."""
        self._increases[record] = speed_kbps

    def expire(self, record: Record, unseen_s: float) -> None:
        """Remove the record from the data plane if that has not seen it for ``unseen_s`` seconds."""
        self._others.append(
            Entry(
                EntryType.EXPIRE,
                record.data_port,
                record.id,
                record.sender_ip,
                record.receiver_ip,
                round(unseen_s * US_PER_S),
            )
        )

    def set_keys(self, keys: Sequence[int]) -> None:
        """Give the pipeline its secret keys, in their order."""
        self._others.extend([Entry(EntryType.SET_KEY, 0, TransmissionId(key, 0), value=number) for number, key in enumerate(keys)])

    def take_back(self, record: Record) -> None:
        """Lower the record's reserve to its reduced rate, if its sender had the time to obey; sent after its reduce."""
        self._others.append(Entry(EntryType.TAKE_BACK, record.data_port, record.id, record.sender_ip, record.receiver_ip))

    def read_slots(self, slots: range) -> None:
        """Read these record slots of the data plane."""
        self._others.extend([Entry(EntryType.READ_SLOT, 0, value=slot) for slot in slots])

    def read_port(self, port: int) -> None:
        """Read a port's totals, after everything else that waits here."""
        self._port_reads[port] = None

    def forget(self, record: Record) -> None:
        """The record is gone: nothing has to be sent about it any more."""
        self._reduces.pop(record, None)
        self._increases.pop(record, None)

    def has_reduces(self, port: int) -> bool:
        """Whether reduces of this port wait to be sent."""
        return any(record.data_port == port for record in self._reduces)

    def clear(self) -> None:
        """Drop everything: the switch is gone."""
        self._reduces.clear()
        self._increases.clear()
        self._others.clear()
        self._port_reads.clear()

    def take(self) -> tuple[list[Batch], list[int]]:
        """Everything that waits, as batches in the order they must be sent, and the ports that they read."""
        if self._reads_with_each_batch:
            return self._take_with_reads()
        value = _VALUE.pack
        pieces = [_REDUCE + record.wire + value(speed) for record, speed in self._reduces.items()]
        pieces += [_INCREASE + record.wire + value(speed) for record, speed in self._increases.items()]
        ports = list(self._port_reads)
        rest = encode_entries([*self._others, *(Entry(EntryType.READ_PORT, port) for port in ports)])
        self.clear()
        data = b"".join(pieces) + rest
        step = MAX_BATCH_ENTRIES * ENTRY_BYTES
        batches = [data[start : start + step] for start in range(0, len(data), step)]
        return [Batch(len(payload) // ENTRY_BYTES, payload) for payload in batches], ports

    def _take_with_reads(self) -> tuple[list[Batch], list[int]]:
        """Batches go round the pipeline side by side: the reads at the end of one say nothing of the others."""
        reduces = [(_REDUCE, record, speed) for record, speed in self._reduces.items()]
        adjustments = reduces + [(_INCREASE, record, speed) for record, speed in self._increases.items()]
        pieces = [(kind + record.wire + _VALUE.pack(speed), record.data_port, kind == _REDUCE) for kind, record, speed in adjustments]
        pieces += [(encode_entries([entry]), entry.data_port, False) for entry in self._others]
        wanted = list(self._port_reads)
        self.clear()
        batches: list[Batch] = []
        all_reads: list[int] = []
        position = 0
        while position < len(pieces) or wanted:
            data: list[bytes] = []
            reads: dict[int, None] = {}
            while position < len(pieces):
                piece, port, is_read_back = pieces[position]
                needed = reads | {port: None} if is_read_back else reads
                if len(data) + 1 + len(needed) > MAX_BATCH_ENTRIES:
                    break
                data.append(piece)
                reads = needed
                position += 1
            if position == len(pieces):
                room = MAX_BATCH_ENTRIES - len(data) - len(reads)
                left = [port for port in wanted if port not in reads]
                reads |= dict.fromkeys(left[:room])
                wanted = left[room:]
            payload = b"".join(data) + encode_entries([Entry(EntryType.READ_PORT, port) for port in reads])
            batches.append(Batch(len(payload) // ENTRY_BYTES, payload))
            all_reads += reads
        return batches, all_reads
