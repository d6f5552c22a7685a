"""Payload that receivers read, of a cell whose hosts have written their samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from common.units import BITS_PER_MEGABIT
from engine.collect.record import CellRecord
from engine.collect.run_data import TransmissionData, read_transmissions
from engine.collect.samples import ReceiverSamples
from engine.collect.statistics import throughput_bps
from scenario.transmissions import Transmission

SERIES, TIME = "throughput.", ".time_s"
Curve = tuple[list[float], list[float]]


def transmissions_of(samples: Path, transmissions: Sequence[Transmission], addresses: Mapping[str, str]) -> dict[str, TransmissionData]:
    """The data of each transmission, from the samples of one attempt.

    Args:
        samples: its folder.
        transmissions: those that were planned.
        addresses: of the hosts.
    """
    senders, receivers = ({getattr(one, end) for one in transmissions} for end in ("sender", "receiver"))
    received = {host: samples / f"receiver-{host}.csv" for host in sorted(receivers)}
    return read_transmissions(
        list(transmissions),
        samples,
        {host: samples / f"summaries-{host}.jsonl" for host in sorted(senders)},
        {host: ReceiverSamples(file) for host, file in received.items() if file.exists()},
        addresses,
    )


def received_of_record(record: CellRecord) -> dict[str, Curve]:
    """By transmission: times in seconds after the start, and Mbit/s of payload; empty if the record has no such curves."""
    names = [name for name in record.series if name.startswith(SERIES) and not name.endswith(TIME)]
    return {name.removeprefix(SERIES): (record.series[f"{name}{TIME}"], record.series[name]) for name in names}


def received_of_samples(transmissions: Mapping[str, TransmissionData], start_s: float, duration_s: float) -> dict[str, Curve]:
    """The same from the hosts' samples, in bins of 100 ms.

    Args:
        transmissions: of the transmissions.
        start_s: CLOCK_MONOTONIC of the run's start.
        duration_s: of the run.
    """
    found = {}
    for name, data in transmissions.items():
        time_s, rate_bps = throughput_bps(data.received, start_s, start_s + duration_s)
        found[name] = (time_s.tolist(), (rate_bps / BITS_PER_MEGABIT).tolist())
    return found
