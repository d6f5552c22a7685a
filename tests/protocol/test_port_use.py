"""The unused part of a port under churn, without and with the decision `nobody-waits-for-what-is-free` (docs/churn.md has the tables)."""

from __future__ import annotations

import pytest

from bench.studies.port_use_study import WAITING_FOR_WHAT_IS_FREE
from bench.studies.simulated_network.churn import CAPACITY_KBPS, SWITCH, Form
from bench.studies.simulated_network.network_simulation import Network
from bench.studies.simulated_network.port_use import Idle, PortUse
from protocol.variant import COMPLETE, DEPLOYABLE
from tests.harness.long_tests import only_long

SECONDS = 4.0


class Watched(PortUse):
    """Looks at the reserves after every step."""

    def _look(self, network: Network) -> None:
        super()._look(network)
        switch = network.switches[SWITCH]
        assert switch.reserving is not None
        assert not switch.reserving.overcommitted
        assert all(kbps <= CAPACITY_KBPS for port, kbps in switch.reserving.reserved_sums_kbps.items() if port in switch.ports)


def test_all_that_is_not_sent_waits_for_something() -> None:
    run = PortUse(Form(), seconds=SECONDS, variant=COMPLETE, ends_late=True)
    run.carry_out()
    parts = [run.unused_percent(why) for why in Idle]
    assert all(part >= 0 for part in parts)
    assert run.unused_percent() == pytest.approx(sum(parts))
    assert 0 < run.unused_percent() < 100
    assert run.unused_percent(Idle.ENDED) > 1


@only_long
def test_less_waits_than_without_it_and_nothing_is_given_out_twice() -> None:
    before, after = (Watched(Form(), seconds=SECONDS, variant=DEPLOYABLE, **given).carry_out() for given in (WAITING_FOR_WHAT_IS_FREE, {}))
    assert all(one.took_s is not None for run in (before, after) for one in run.done)
    assert before.above_s == after.above_s == 0
    assert after.unused_percent(Idle.ENDED) < 0.5 * before.unused_percent(Idle.ENDED)
    assert after.slowdown(50) < 0.9 * before.slowdown(50)
