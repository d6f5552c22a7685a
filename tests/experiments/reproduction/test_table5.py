"""Table 5's throughput range in the bins that no standstill of a processor touched."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.nodectl_paper.table5_fluctuation import without_standstills
from experiments.standstills import Standstill

MIDDLES_S = np.array([10.05, 10.15, 10.25, 10.35])
RATE_BPS = np.array([40e6, 35e6, 45e6, 39e6])


def test_bins_with_a_standstill_do_not_count() -> None:
    values = without_standstills([Standstill(10.12, 0.01, 0), Standstill(10.2, 0.003, 1)], MIDDLES_S, RATE_BPS)
    assert values == {
        "undisturbed_share": 0.5,
        "standstill_max_ms": pytest.approx(10),
        "standstill_total_ms": pytest.approx(13),
        "throughput_range_undisturbed_mbps": pytest.approx(1),
    }


def test_if_all_have_one_there_is_no_range() -> None:
    values = without_standstills([Standstill(10.0, 0.4, 0)], MIDDLES_S, RATE_BPS)
    assert values["undisturbed_share"] == 0
    assert "throughput_range_undisturbed_mbps" not in values
