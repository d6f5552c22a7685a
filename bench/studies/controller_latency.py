"""How long the controller takes to reduce everybody when one more transmission is admitted.

    python -m bench.studies.controller_latency [--records 1000] [--rounds 50] [--real]

Measured on the same adjustments (one newcomer, `records` reduces and a port read, 64 entries to a packet-out):

core:        decoding, lists and encoding alone, in this process
controller:  the controller process by its own clock: packet-in taken from gRPC to last packet-out handed to gRPC
switch:      from a P4Runtime server in another process: packet-in queued to last packet-out arrived
network:     with --real (root, embedded toolchain built): request sent by a host to last reduce received by a host, through the
             real pipeline on the embedded switch, as bench/scale.py measures it
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from finsy import P4Schema
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from rich.console import Console
from rich.table import Table

from bench.scale import measure
from bench.studies.controller_bed.controller_process import LIMIT_S, PORT, RTT_US, Setup, ends
from bench.studies.controller_bed.fake_p4runtime import FakeSwitch, p4info_text, packet_in
from bench.studies.controller_bed.model_switch import ModelSwitch
from common.units import BITS_PER_KILOBIT, US_PER_S
from controller.latency import LatencyLog, LatencySummary
from controller.packets import PacketCodec
from protocol.codes import EntryType
from protocol.model.port_model import Record
from protocol.packet_out import decode_entries
from protocol.record_slots import candidate_slots
from protocol.wire import FRAME_BYTES, MESSAGE_BYTES, Flags, MessageType, Negotiation, TransmissionId

CAPACITY_KBPS = 10_000_000
LOOK_S = 0.01
PAUSE_S = 0.1
"""Between newcomers; with the short RTT this keeps Q_T at 1."""


class LazySwitch(FakeSwitch):
    """Only notes when packet-outs arrive, so that its own work does not delay the next one."""

    def __init__(self, capacities_kbps: dict[int, int]) -> None:
        super().__init__(capacities_kbps)
        self.waiting: list[p4r.PacketOut] = []

    def _packet_out(self, packet: p4r.PacketOut) -> None:
        self.packet_outs += 1
        self.last_packet_out_s = time.monotonic()
        self.waiting.append(packet)

    def catch_up(self) -> None:
        """Carry out what has waited."""
        for packet in self.waiting:
            self.carry_out(packet)
        self.waiting.clear()


def fill(switch: FakeSwitch, count: int) -> None:
    """Records 1 … count at an equal share."""
    port = switch.model.ports[PORT]
    rate = CAPACITY_KBPS // count
    for number in range(1, count + 1):
        identity = TransmissionId(number, number, 0)
        slot = next(slot for slot in candidate_slots(identity, PORT) if slot not in switch.model.records)
        record = Record(identity, PORT, *ends(number), slot, rate, True, int(time.monotonic() * US_PER_S), rate)
        switch.model.records[slot] = record
        port.add(record)


def newcomer(number: int) -> Negotiation:
    """A request for more than the port has."""
    return Negotiation(MessageType.REQUEST, TransmissionId(number, number, 0), 4_000_000_000, 0, RTT_US)


def core(records: int, rounds: int) -> tuple[LatencySummary, LatencySummary]:
    """(from packet-in to the last packet-out built, of it the decoding of the packet-in)."""
    schema = P4Schema(text_format.Parse(p4info_text(), p4i.P4Info()), b"{}")
    codec = PacketCodec(schema)
    switch = ModelSwitch(CAPACITY_KBPS)
    switch.acknowledge = False
    switch.fill(records, CAPACITY_KBPS // records)
    whole, decoding = LatencyLog(), LatencyLog()
    for number in range(records + 1, records + rounds + 1):
        switch.request(number)
        event, message = switch.events.popleft()
        assert isinstance(message, Negotiation)
        packet = p4r.PacketIn()
        packet.ParseFromString(packet_in(event, b"\0" * (FRAME_BYTES - MESSAGE_BYTES) + message.encode()).SerializeToString())
        started = time.perf_counter()
        decoded, negotiation = codec.event(packet)
        decoding.add(time.perf_counter() - started)
        switch.state.handle(decoded, negotiation, switch.now_s)
        batches = switch.state.take_batches(switch.now_s)
        for batch in batches:
            codec.packet_out(batch).SerializeToString()
        whole.add(time.perf_counter() - started)
        assert sum(batch.count for batch in batches) == number  # all others and one port read
        for batch in batches:
            switch.carry_out([entry for entry in decode_entries(batch.payload) if entry.type != EntryType.READ_PORT])
        switch.now_s += PAUSE_S
    return whole.summary(), decoding.summary()


async def process(records: int, rounds: int) -> tuple[LatencySummary, LatencySummary]:
    """(controller, switch)."""
    switch = LazySwitch({PORT: CAPACITY_KBPS})
    seen = LatencyLog()
    with tempfile.TemporaryDirectory() as folder:
        setup = Setup(Path(folder), {"s1": await switch.start()}, CAPACITY_KBPS * BITS_PER_KILOBIT)
        async with setup.controller() as controller:
            await controller.ready()
            await settle(switch)
            fill(switch, records)
            async with asyncio.timeout(60):
                while len(await controller.shares()) < records:
                    await settle(switch)
            for number in range(records + 1, records + rounds + 1):
                before = switch.packet_outs
                expected = before + -(-number // 64)
                started = time.monotonic()
                switch.inject(newcomer(number), *ends(number), PORT)
                await until_sent(switch, expected)
                seen.add(switch.last_packet_out_s - started)
                await settle(switch)
                refresh(switch)
                for _ in range(5):
                    await settle(switch)
            answer = await controller.ask("switches")
            latency = answer["switches"][0]["adjustment_latency"]
    await switch.stop()
    return LatencySummary(**latency), seen.summary()


def refresh(switch: LazySwitch) -> None:
    """All senders acknowledge their reduces."""
    for record in list(switch.model.records.values()):
        message = Negotiation(MessageType.REQUEST, record.id, record.rate_kbps, 0, RTT_US, flags=Flags.REFRESH)
        switch.inject(message, record.sender_ip, record.receiver_ip, PORT)


async def until_sent(switch: FakeSwitch, packet_outs: int) -> None:
    """Until the controller has sent so many packet-outs.

    Raises:
        TimeoutError: it has not, for longer than it could take.
    """
    async with asyncio.timeout(LIMIT_S):
        while switch.packet_outs < packet_outs:
            await asyncio.sleep(LOOK_S)


async def settle(switch: LazySwitch) -> None:
    """Let the controller come to rest, and the switch catch up."""
    await asyncio.sleep(PAUSE_S)
    switch.catch_up()
    await asyncio.sleep(PAUSE_S)
    switch.catch_up()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--grpc-port", type=int, default=50051, help="of the embedded switch")
    parser.add_argument("--real", action="store_true", help="with the embedded switch as well")
    options = parser.parse_args()
    whole, decoding = core(options.records, options.rounds)
    controller, switch = asyncio.run(process(options.records, options.rounds))
    table = Table(title=f"{options.records} records reduced, {options.rounds} times (ms)", title_justify="left")
    for name in ("", "mean", "median", "p99", "max", "measured"):
        table.add_column(name)
    rows = [("core", whole), ("  of it decoding", decoding), ("controller", controller), ("switch", switch)]
    for name, summary in rows:
        table.add_row(
            name, *(f"{value:.3f}" for value in (summary.mean_ms, summary.p50_ms, summary.p99_ms, summary.max_ms)), str(summary.count)
        )
    if options.real:
        found = measure(options.records, options.rounds, options.grpc_port)
        table.add_row("controller, real switch", "", f"{found.controller_ms:.3f}", f"{found.controller_p99_ms:.3f}", "", str(found.rounds))
        table.add_row("network", "", f"{found.last_reduce_ms:.3f}", f"{found.last_reduce_p99_ms:.3f}", "", str(found.rounds))
    Console().print(table)


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(main)
