"""A paced connection's gaps where it arrives, against the exact ones (docs/validation.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.validation.inside import TwoHosts
from bench.validation.machine import run
from engine.collect.samples import Floats

FRAME_BYTES = 1514
MSS_BYTES = 1448
LINK_MBPS = 10_000.0
DELAY_MS = 5.0
SETTLED_SHARE = 0.5
TOGETHER_US = 20.0
"""Frames that follow one another sooner than this were sent as one."""


@dataclass(frozen=True)
class PacingResult:
    """Gaps between bursts of a connection, arriving.

    Attributes:
        rate_mbps: payload.
        burst_packets: how many packets the kernel sends at a time.
        exact_us: the gap that the rate asks for after such a burst.
        gaps_us: measured.
        got_mbps: payload that arrived a second.
    """

    rate_mbps: float
    burst_packets: int
    exact_us: float
    gaps_us: Floats
    got_mbps: float


def measure(rate_mbps: float, seconds: float, *, seed: int = 1) -> PacingResult:
    """Send for a while in virtual time; the second half counts.

    Raises:
        UserError: the run failed.
    """
    job = TwoHosts(rate_mbps=LINK_MBPS, delay_ms=DELAY_MS, kind="paced", seconds=seconds, pacing_bytes_per_s=round(rate_mbps * 1e6 / 8))
    arrivals = run(job, seed=seed).arrivals
    at_us = arrivals[arrivals[:, 1] == FRAME_BYTES, 0] / 1e3
    at_us = at_us[at_us > at_us[0] + SETTLED_SHARE * (at_us[-1] - at_us[0])]
    begins = np.flatnonzero(np.diff(at_us, prepend=-np.inf) > TOGETHER_US)
    sizes = np.diff(begins)
    usual = int(np.bincount(sizes).argmax())
    gaps_us = np.diff(at_us[begins])[sizes == usual]
    between_s = (at_us[begins[-1]] - at_us[begins[0]]) / 1e6
    got_mbps = float(sizes.sum()) * MSS_BYTES * 8 / between_s / 1e6
    return PacingResult(rate_mbps, usual, usual * MSS_BYTES * 8 / rate_mbps, np.asarray(gaps_us), got_mbps)
