"""Times of waiting in queues: those of the measuring window alone, by link and by queue."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from engine.collect.link_account import LinkAccountant
from engine.collect.run_data import RunData
from engine.collect.values import waits_in_queues
from topo.management import Lateness, LinkStatistics, ManagementClient, Waits

IDLE = LinkStatistics("s1", 3, "s1-s2", "egress", 0, 0, 0, 0, 0, Lateness(0, 0, 0.0, 0.0, 0.0))


class Switches:
    """Stands in for the switch process: so many packets have waited since times were last started afresh."""

    def __init__(self) -> None:
        self.waited = 0
        self.afresh: list[int] = []

    def reset_lateness(self) -> None:
        """Nobody is late."""

    def reset_waits(self) -> None:
        """Starts afresh."""
        self.afresh.append(self.waited)
        self.waited = 0

    def link_statistics(self) -> list[LinkStatistics]:
        """The only link."""
        return [replace(IDLE, waits=Waits(packets=self.waited))]


@pytest.mark.parametrize(("end_s", "counted"), [(30.0, 20), (60.0, 30)])
def test_the_window_is_that_of_the_measurement(end_s: float, counted: int) -> None:
    """A packet waits each second from 0 to 40; the window begins at 10 s and ends at 30 s, or with the run."""
    switches = Switches()
    accountant = LinkAccountant(cast(ManagementClient, switches))
    accountant.watch_window(10.0, end_s)
    for second in range(1, 41):
        switches.waited += 1
        accountant.look(float(second))
    account = accountant.close()
    assert switches.afresh == [10]
    assert account.in_window is not None
    assert account.in_window[0].waits.packets == counted


def test_without_a_window_there_are_no_times() -> None:
    switches = Switches()
    assert LinkAccountant(cast(ManagementClient, switches)).close().in_window is None


def test_values_name_link_and_queue() -> None:
    """Links to hosts, the other direction, and links on which nothing waited are left out."""
    used = replace(IDLE, waits=Waits(10, 1000.0, 900.0, 2000.0, 3000.0), waits_of_queues={1: Waits(5, 500.0, 400.0, 1500.0, 1600.0)})
    others = [replace(used, name="s1-h1"), replace(used, direction="ingress"), replace(IDLE, name="s2-s1")]

    links = SimpleNamespace(in_window=[used, *others])
    run = SimpleNamespace(links=links, scenario=SimpleNamespace(layout=SimpleNamespace(switches=["s1", "s2"])))
    assert waits_in_queues(cast(RunData, run)) == {
        "queue_wait_mean_ms.s1-s2": 1.0, "queue_wait_mean_ms.s1-s2.1": 0.5,
        "queue_wait_p99_ms.s1-s2": 2.0, "queue_wait_p99_ms.s1-s2.1": 1.5,
    }  # fmt: skip
