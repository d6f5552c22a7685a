"""Confidence intervals of means of values that depend on each other: batch means."""

from __future__ import annotations

from dataclasses import dataclass

from engine.collect.samples import Floats

BATCHES = 20
STUDENT_95 = 2.093
"""Student's t for 95 % on both sides together, with one degree of freedom less than there are batches."""


@dataclass(frozen=True)
class Estimate:
    """A mean and half the width of its 95 % confidence interval."""

    mean: float
    half_width: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.half_width:.3f}"

    def contains(self, value: float, times: float = 1.0) -> bool:
        """Whether a value is in the interval, made so many times as wide."""
        return abs(value - self.mean) <= times * self.half_width


def of_mean(values: Floats) -> Estimate:
    """Of values in the order in which they were measured; an incomplete last batch is left out of the width.

    The values of a batch depend on each other, the batches hardly: each has to be much longer than the influence of one value lasts.
    """
    length = values.size // BATCHES
    batches = values[: length * BATCHES].reshape(BATCHES, length).mean(axis=1)
    return Estimate(float(values.mean()), STUDENT_95 * float(batches.std(ddof=1)) / BATCHES**0.5)
