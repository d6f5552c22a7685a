"""Sums of allocated rates over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.nodectl_paper.rate_steps import add_up, seconds_above, settled_s, steps_of
from experiments.reproduction.transfers import Outcome, Sending
from experiments.samples import Series


def outcome(rates: list[tuple[float, float]], end_s: float) -> Outcome:
    summary: dict[str, Any] = {"rates": rates, "end_s": end_s}
    return Outcome(Sending("A", "h1", "h2", "nodectl"), Path(), summary, Series(np.empty(0), np.empty(0)), None)


def test_rates_add_up_and_end() -> None:
    first, second = outcome([(1.0, 30.0), (2.0, 20.0)], 5.0), outcome([(1.5, 20.0)], 4.0)
    total = add_up([steps_of(first), steps_of(second)])
    assert total == [(1.0, 30.0), (1.5, 50.0), (2.0, 40.0), (4.0, 20.0), (5.0, 0.0)]
    assert seconds_above(total, 45.0) == pytest.approx(0.5)
    assert seconds_above(total, 60.0) == 0.0


def test_settled_when_the_last_one_is() -> None:
    first, second = outcome([(1.0, 30.0), (2.0, 20.0)], 5.0), outcome([(1.5, 19.0), (3.0, 20.0), (3.5, 20.1)], 5.0)
    assert settled_s([first, second], 20.0, 0.02, 1.0) == pytest.approx(2.0)
    assert settled_s([first, outcome([(1.0, 18.0)], 5.0)], 20.0, 0.02, 1.0) is None
    assert settled_s([outcome([], 5.0)], 20.0, 0.02, 1.0) is None
