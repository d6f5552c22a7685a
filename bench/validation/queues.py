"""A queue fed by a known process, against theory: M/D/1 and M/M/1 (docs/timing.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.validation import queue_theory
from bench.validation.confidence import Estimate, of_mean
from bench.validation.inside import ACCESS_MBPS, TwoHosts
from bench.validation.machine import Numbers, run
from bench.validation.queue_theory import Service
from engine.collect.samples import Floats

Kind = Literal["M/D/1", "M/M/1"]
RATE_MBPS = 10.0
DELAY_MS = 1.0
MEAN_FRAME_BYTES = 1250
MEAN_S = MEAN_FRAME_BYTES * 8 / (RATE_MBPS * 1e6)
"""Of a service, i.e. a transmission: 1 ms."""

HEADERS_BYTES = 14 + 20 + 8
LEAST_FRAME_BYTES = 60
MOST_FRAME_BYTES = 9000
MTU_BYTES = MOST_FRAME_BYTES - 14
SHARES = (0.5, 0.9, 0.99)
WARM_UP_SHARE = 0.02
LONGEST_WAITS = 14.0
"""The distribution is computed up to so many mean waits."""


@dataclass(frozen=True)
class QueueResult:
    """A queue in virtual time beside theory; all times in mean services (1 ms).

    Attributes:
        wait: mean, measured.
        theory_wait: mean, of Pollaczek and Khinchine.
        quantiles: share of packets, measured, theory.
        at_once: share of packets that found nobody, measured and theory.
        lindley_us: mean and greatest difference from the waits of these very arrivals in a perfect queue, microseconds.
        distribution: of the wait, theory: times and probabilities.
    """

    kind: Kind
    load: float
    packets: int
    wait: Estimate
    theory_wait: float
    quantiles: tuple[tuple[float, float, float], ...]
    at_once: tuple[Estimate, float]
    lindley_us: tuple[float, float]
    waits: Floats
    distribution: tuple[Floats, Floats]


def service(kind: Kind) -> Service:
    """How long transmissions take, in units of their mean; of M/M/1, sizes are cut off where frames can be no shorter or longer."""
    if kind == "M/D/1":
        return queue_theory.constant(1.0)
    return queue_theory.clamped_exponential(MEAN_FRAME_BYTES, LEAST_FRAME_BYTES, MOST_FRAME_BYTES, 1.0 / MEAN_FRAME_BYTES)


def plan(kind: Kind, load: float, packets: int, seed: int) -> Numbers:
    """Gaps (ns) and sizes (UDP payload, bytes): Poisson arrivals, so many that the transmitter is busy for the given share of the time."""
    random = np.random.default_rng([seed, round(100 * load), int(kind == "M/M/1")])
    gap_s = service(kind).moment(1) * MEAN_S / load
    gaps = np.rint(random.exponential(gap_s * 1e9, packets)).astype(np.int64)
    if kind == "M/D/1":
        sizes = np.full(packets, MEAN_FRAME_BYTES, dtype=np.int64)
    else:
        drawn = np.ceil(random.exponential(MEAN_FRAME_BYTES, packets)).astype(np.int64)
        sizes = np.clip(drawn, LEAST_FRAME_BYTES, MOST_FRAME_BYTES)
    return np.stack([gaps, sizes - HEADERS_BYTES], axis=1)


def measure(kind: Kind, load: float, packets: int, *, seed: int = 1) -> QueueResult:
    """Send the packets over the link in virtual time.

    Raises:
        UserError: the run failed, or packets got lost.
    """
    planned = plan(kind, load, packets, seed)
    job = TwoHosts(
        packet_bytes=MTU_BYTES, rate_mbps=RATE_MBPS, delay_ms=DELAY_MS, kind="datagrams", seconds=float(planned[:, 0].sum()) / 1e9
    )
    written = run(job, planned, seed=seed)
    sizes = planned[:, 1] + HEADERS_BYTES
    arrived = _in_order(written.arrivals, sizes)
    without_queue_ns = sizes * 8e3 / RATE_MBPS + DELAY_MS * 1e6 + 2 * sizes * 8e3 / ACCESS_MBPS
    waited_ns = arrived - written.sent - without_queue_ns
    services_ns: Floats = np.asarray(sizes * 8e3 / RATE_MBPS, dtype=np.float64)
    perfect_ns = queue_theory.waits(written.sent.astype(np.float64), services_ns)
    off_us = (waited_ns - perfect_ns) / 1e3
    # The least difference is the way through the kernels, the same for all packets: it is no wait.
    waits = (waited_ns - np.min(off_us) * 1e3)[round(WARM_UP_SHARE * packets) :] / (MEAN_S * 1e9)
    theory = service(kind)
    mean = queue_theory.mean_wait(load, theory)
    distribution = queue_theory.wait_distribution(load, theory, LONGEST_WAITS * mean)
    quantiles = tuple((share, float(np.quantile(waits, share)), queue_theory.quantile(*distribution, share)) for share in SHARES)
    at_once = of_mean((waits < AT_ONCE).astype(float))
    return QueueResult(
        kind, load, waits.size, of_mean(waits), mean, quantiles, (at_once, 1 - load),
        (float(off_us.mean()), float(np.abs(off_us).max())), waits, distribution,
    )  # fmt: skip


AT_ONCE = 0.005
"""A wait as short as this (5 µs) is the sender's own system calls one after the other."""


def _in_order(arrivals: Numbers, sizes: Numbers) -> Numbers:
    """When each datagram arrived, ns."""
    from common.errors import UserError

    data = arrivals[np.isin(arrivals[:, 1], np.unique(sizes))]
    if data.shape[0] != sizes.size or not np.array_equal(data[:, 2], np.arange(sizes.size)):
        raise UserError(f"of {sizes.size} datagrams {data.shape[0]} arrived, or not in order")
    return np.asarray(data[:, 0])
