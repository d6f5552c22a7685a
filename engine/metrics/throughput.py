"""Throughput in Mbit/s; ``counted`` says whether of payload, of IP packets or of frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.collect.samples import Series
from engine.collect.statistics import BITS_PER_BYTE, mean_bps
from engine.metrics.counting import file_bytes, per_payload
from engine.metrics.registry import Scalar, metric

if TYPE_CHECKING:
    from engine.collect.run_data import RunData, TransmissionData

MEGABIT = 1e6


def window_s(run: RunData, from_s: float | None = None, to_s: float | None = None) -> tuple[float, float]:
    """An interval given in seconds after the start, by default the measuring window, on the clock of the samples."""
    begin_s, end_s = run.window_s
    return begin_s if from_s is None else run.start_s + from_s, end_s if to_s is None else run.start_s + to_s


@metric
def mean_mbps(
    run: RunData, _point: Mapping[str, Scalar], *, of: str, from_s: float | None = None, to_s: float | None = None, counted: str = "payload"
) -> float:
    """The receiver's throughput, by default in the measuring window; ``from_s`` and ``to_s`` are seconds after the run's start."""
    return mean_bps(run[of].received, *window_s(run, from_s, to_s)) * per_payload(run.scenario, counted) / MEGABIT


@metric
def program_mbps(run: RunData, _point: Mapping[str, Scalar], *, of: str, moved_bytes: float) -> float | None:
    """The goodput of a program that moves so many bytes, from its start to its end; None: it failed, had not ended, or there is none."""
    program = run.programs.get(of)
    if program is None or not program.took_s or not program.has_succeeded:
        return None
    return moved_bytes * BITS_PER_BYTE / program.took_s / MEGABIT


@metric
def total_percent(
    run: RunData,
    _point: Mapping[str, Scalar],
    *,
    of_mbps: float,
    from_s: float | None = None,
    to_s: float | None = None,
    counted: str = "payload",
) -> float:
    """Throughput delivered to all receivers together, in percent of a rate, by default in the measuring window.

    Counted as payload, a full link of that rate comes to payload / frame; counted as frames, to 100: its share of that ceiling.
    """
    return 100 * delivered_bps(run, *window_s(run, from_s, to_s)) * per_payload(run.scenario, counted) / (of_mbps * MEGABIT)


def delivered_bps(run: RunData, begin_s: float, end_s: float) -> float:
    """Payload that links delivered to all receivers together, in bit/s, within an interval on the clock of the samples.

    Where a sender was not sampled, the bytes that its receiver read count. They may come to more, when a lost packet releases bytes that
    came before the interval.
    """
    return sum(mean_bps(_delivered(one), begin_s, end_s) for one in run.transmissions.values())


def _delivered(data: TransmissionData) -> Series:
    try:
        return data.delivered
    except OSError:
        return data.received


@metric
def subflow_mbps(run: RunData, _point: Mapping[str, Scalar], *, of: str, subflow: int) -> float | None:
    """Payload of one subflow (1, 2, …) that was acknowledged to the sender in the measuring window; None if there is no such subflow."""
    acknowledged = subflow_acknowledged(run, of, subflow)
    return None if acknowledged is None else mean_bps(acknowledged, *run.window_s) / MEGABIT


def subflow_acknowledged(run: RunData, of: str, subflow: int) -> Series | None:
    """Cumulative bytes of a subflow (1, 2, …) that were acknowledged."""
    try:
        return run[of].column("bytes_acked", subflow - 1)
    except OSError:
        return None


@metric
def mbps_since_connected(run: RunData, _point: Mapping[str, Scalar], *, of: str, percent_of_mbps: float | None = None) -> float | None:
    """Payload read from the connection being ESTABLISHED to the run's end, in percent of a rate if one is given; None if it never was."""
    if math.isnan(run[of].connected_s):
        return None
    took_s = run.start_s + run.scenario.run.duration_s - run[of].connected_s
    mbps = run[of].received_bytes * BITS_PER_BYTE / took_s / MEGABIT
    return mbps if percent_of_mbps is None else 100 * mbps / percent_of_mbps


@metric
def file_mbps(
    run: RunData, _point: Mapping[str, Scalar], *, of: str, counted: str = "payload", percent_of_mbps: float | None = None
) -> float | None:
    """Size of a file over the time from the connection being ESTABLISHED to its last byte being read; None if it did not arrive whole."""
    took_s = run[of].took_s
    if took_s is None:
        return None
    mbps = file_bytes(run.scenario, run[of].received_bytes, counted) * BITS_PER_BYTE / took_s / MEGABIT
    return mbps if percent_of_mbps is None else 100 * mbps / percent_of_mbps
