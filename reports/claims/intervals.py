"""Confidence intervals of means over seeds, and of differences between schemes that were measured with the same seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev, variance

CONFIDENCE = 0.95
RESAMPLES = 399
"""Samples of a bootstrap: enough to know the part of them in which a rule holds to a quarter of a percent."""

RESAMPLING_SEED = 1
HOW = (
    "a value is the mean of its runs ± half of its 95 % confidence interval (Student's t over seeds). Two schemes are compared by the "
    "differences of runs with the same seed. A rule over several values is tried on "
    f"{RESAMPLES} bootstrap samples of the seeds, and holds if it does in at least {50 * (1 + CONFIDENCE):g} % of them"
)


@dataclass(frozen=True)
class Interval:
    """A range; ``low`` and ``high`` belong to it."""

    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether the sign of the estimated value is known."""
        return self.low > 0 or self.high < 0


def half_width(values: Sequence[float]) -> float | None:
    """Half of the 95 % confidence interval of the mean, by Student's t with n - 1 degrees of freedom; None of fewer than two values."""
    if len(values) < 2:
        return None
    return _student_t(len(values) - 1) * stdev(values) / sqrt(len(values))


def _student_t(freedom: float) -> float:
    """The t of :data:`CONFIDENCE` on both sides together."""
    from scipy.stats import t  # it takes a third of a second to load

    return float(t.ppf((1 + CONFIDENCE) / 2, freedom))


def difference(pairs: Sequence[tuple[float, float]]) -> Interval | None:
    """The 95 % confidence interval of the mean difference, first minus second, of paired values; None of fewer than two pairs."""
    differences = [first - second for first, second in pairs]
    half = half_width(differences)
    return None if half is None else Interval(fmean(differences) - half, fmean(differences) + half)


def difference_unpaired(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """The 95 % confidence interval of a difference of means, first minus second, of runs that have nothing in common (Welch 1947).

    None of fewer than two values on a side.
    """
    if min(len(first), len(second)) < 2:
        return None
    parts = [(variance(values) / len(values), len(values) - 1) for values in (first, second)]
    between, of_mean = fmean(first) - fmean(second), sum(part for part, _ in parts)
    if of_mean == 0:
        return Interval(between, between)
    freedom = of_mean**2 / sum(part**2 / degrees for part, degrees in parts)
    half = _student_t(freedom) * sqrt(of_mean)
    return Interval(between - half, between + half)


def support(holds: Callable[[Sequence[int]], bool], seeds: int) -> float:
    """The part of bootstrap samples (Efron 1979) in which something holds, 0 to 1.

    Args:
        holds: told the positions of the seeds that a sample has, each as often as it was drawn, in their order.
        seeds: how many there are.
    """
    import numpy as np
    from scipy.stats import bootstrap

    def statistic(samples: np.ndarray, axis: int) -> np.ndarray:
        assert axis == -1
        # Of few seeds there are few samples that differ in more than their order.
        different, of_each = np.unique(np.sort(np.atleast_2d(samples), axis=-1), axis=0, return_inverse=True)
        held = np.array([float(holds(one)) for one in different.tolist()])
        return held[of_each.reshape(samples.shape[:-1])]

    found = bootstrap(
        (np.arange(seeds),),
        statistic,
        n_resamples=RESAMPLES,
        vectorized=True,
        method="percentile",
        rng=np.random.default_rng(RESAMPLING_SEED),
    )
    return float(found.bootstrap_distribution.mean())
