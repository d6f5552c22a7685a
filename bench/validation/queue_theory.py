"""The theory of packets that wait for a transmitter: Poisson arrivals, one server, any distribution of service times (M/G/1).

Times are in any unit, the same for all. Sizes and so service times are whole numbers of a lattice's steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.collect.samples import Floats


@dataclass(frozen=True)
class Service:
    """A distribution of service times: ``probability[n]`` is that of ``n * step``; they add up to 1."""

    step: float
    probability: Floats

    def moment(self, power: int) -> float:
        """The mean of a power of the service time."""
        times = np.arange(self.probability.size) * self.step
        return float(np.sum(times**power * self.probability))


def constant(time: float, steps: int = 200) -> Service:
    """Every service takes ``time``; its wait is looked up in steps of ``time / steps``."""
    probability = np.zeros(steps + 1)
    probability[steps] = 1.0
    return Service(time / steps, probability)


def clamped_exponential(mean: float, least: int, most: int, step: float) -> Service:
    """Sizes ``min(max(ceil(X), least), most)`` of an exponential X, each taking ``step`` a unit of size.

    Args:
        mean: of X, in units of size.
        least, most: units of size; sizes beyond them count as these.
        step: time that a unit of size takes.
    """
    edges = np.exp(-np.arange(most + 1) / mean)
    probability = np.zeros(most + 1)
    probability[1:] = edges[:-1] - edges[1:]
    probability[most] += edges[most]
    probability[least] += probability[:least].sum()
    probability[:least] = 0.0
    return Service(step, probability)


def mean_wait(load: float, service: Service) -> float:
    """Pollaczek and Khinchine: the mean wait before service.

    Args:
        load: share of the time that the server is busy, below 1.
    """
    return load * service.moment(2) / (2 * service.moment(1) * (1 - load))


def wait_distribution(load: float, service: Service, until: float, resolution: int = 4000) -> tuple[Floats, Floats]:
    """The distribution of the wait: times, and the probability of waiting no longer.

    A wait is a geometric number of residual service times (Pollaczek and Khinchine); their sum is computed on a lattice (Panjer).

    Args:
        load: below 1.
        until: the longest wait that is looked at.
        resolution: how many steps there are to ``until``.
    """
    width = until / resolution
    residual = _residual_on(service, width, resolution)
    ratio = load / (1 - load * residual[0])
    found = np.zeros(resolution + 1)
    found[0] = (1 - load) / (1 - load * residual[0])
    longest = int(np.flatnonzero(residual)[-1])
    backwards = residual[longest:0:-1]
    for n in range(1, resolution + 1):
        reach = min(n, longest)
        found[n] = ratio * float(backwards[longest - reach :] @ found[n - reach : n])
    # Half of the probability at a multiple of the width stands for waits just above it; nobody waits less than 0.
    below = np.cumsum(found) - found / 2
    below[0] = found[0]
    times: Floats = np.arange(resolution + 1) * np.float64(width)
    return times, below


def quantile(times: Floats, probability: Floats, share: float) -> float:
    """The wait that a share of the packets does not exceed."""
    return float(np.interp(share, probability, times)) if share > probability[0] else 0.0


def waits(arrivals: Floats, services: Floats) -> Floats:
    """Lindley: the wait of each packet, from the times of arrival and of service of all; the first finds nobody."""
    # wait[n] is how far the sum of (service - gap) is above its lowest value so far.
    sums = np.concatenate(([0.0], np.cumsum(services[:-1] - np.diff(arrivals))))
    return np.asarray(sums - np.minimum.accumulate(sums))


def _residual_on(service: Service, width: float, size: int) -> Floats:
    """Probabilities of a residual service time, rounded to multiples of ``width`` so that its mean is kept."""
    # Its density is P(service > t) / mean, constant within a step of the service's own lattice.
    edges = np.arange(service.probability.size) * service.step
    above = 1.0 - np.cumsum(service.probability)
    # F and the integral of F at any time, from which each multiple of the width gets its hat-weighted share.
    cumulated = np.concatenate(([0.0], np.cumsum(above[:-1]) * service.step)) / service.moment(1)
    twice = np.concatenate(([0.0], np.cumsum((cumulated[:-1] + cumulated[1:]) / 2) * service.step))
    grid = np.arange(-1, size + 2) * width
    fine = np.clip(grid, edges[0], edges[-1])
    position = np.minimum(np.searchsorted(edges, fine, side="right") - 1, edges.size - 2)
    offset = fine - edges[position]
    slope = above[position] / service.moment(1)
    integral = twice[position] + cumulated[position] * offset + slope * offset**2 / 2 + np.maximum(grid - edges[-1], 0.0)
    hats = np.diff(integral, 2) / width
    hats[np.abs(hats) < 1e-15] = 0.0
    return np.asarray(hats)
