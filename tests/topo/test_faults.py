"""Wanted faults, with stand-ins for the testbed's programs: a killed one is not missed, and one that starts again knows the changes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from common.errors import UserError
from controller import capacity_change
from tests.harness.waiting import wait_for
from tests.topo.test_watch import SLEEPS, Nursery, nursery, watch
from topo.faults import Faults
from topo.watch import Part, Watch

__all__ = ["nursery", "watch"]

CONTROLLER = 'read go; echo "{\\"event\\": \\"ready\\"}"; exec cat'
PLAN = cast(Any, SimpleNamespace(switches={"s1": SimpleNamespace(ports=[SimpleNamespace(number=4)])}))


class Bench:
    """Faults of a testbed whose controllers are stand-ins, ready once they are told `go`."""

    def __init__(self, watch: Watch, nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[tuple[str, int, int]] = []
        self.started_with: list[dict[tuple[str, int], int]] = []

        def tell(_socket: Path, switch: str, port: int, capacity_bps: int) -> dict[str, Any]:
            self.told.append((switch, port, capacity_bps))
            return {}

        def start() -> Part:
            self.started_with.append(dict(self.faults.capacities_bps))
            return watch.add_child(nursery.start("the controller", CONTROLLER))

        monkeypatch.setattr(capacity_change, "set_capacity", tell)
        self.watch = watch
        self.faults = Faults(PLAN, watch, start, Path("nowhere"))
        start()

    def let_go_on(self) -> None:
        """The controller gets ready."""
        part = self.watch.part("controller")
        assert part.child is not None
        part.child.tell("go")

        def is_ready() -> bool:
            self.faults.go_on()
            return part.ready_by_s is None

        wait_for("the controller", is_ready)


@pytest.fixture
def bench(watch: Watch, nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(watch, nursery, monkeypatch)


def test_a_killed_controller_is_not_missed_and_starts_again(bench: Bench) -> None:
    bench.faults.kill("the controller")
    bench.watch.check()
    bench.faults.go_on()
    first = bench.watch.parts["controller"]
    assert not first.is_running
    bench.faults.restart("controller")
    bench.watch.check()
    second = bench.watch.parts["controller"]
    assert second is not first
    assert second.ready_by_s is not None
    bench.let_go_on()
    assert [event["event"] for event in bench.watch.take_events()] == ["killed", "restarted", "ready"]


def test_a_running_controller_is_ended_before_another_one_starts(bench: Bench) -> None:
    first = bench.watch.parts["controller"]
    bench.faults.restart("controller")
    assert first.is_let_go
    assert not first.is_running
    assert bench.watch.parts["controller"].is_running


def test_a_capacity_is_told_at_once_or_with_the_next_start(bench: Bench) -> None:
    bench.faults.set_capacity("s1", 4, 20_000_000)
    assert bench.told == [("s1", 4, 20_000_000)]
    bench.faults.kill("controller")
    bench.faults.set_capacity("s1", 4, 10_000_000)
    bench.faults.restart("controller")
    assert bench.started_with == [{}, {("s1", 4): 10_000_000}]
    assert len(bench.told) == 1


def test_a_capacity_that_comes_while_the_controller_starts_is_told_once_it_is_ready(bench: Bench) -> None:
    bench.faults.restart("controller")
    bench.faults.set_capacity("s1", 4, 10_000_000)
    assert bench.told == []
    bench.let_go_on()
    assert bench.told == [("s1", 4, 10_000_000)]


def test_only_the_controller_can_be_restarted(bench: Bench, nursery: Nursery) -> None:
    bench.watch.add_child(nursery.start("the switch", SLEEPS))
    bench.faults.kill("switch")
    bench.watch.check()
    with pytest.raises(UserError, match="the switch cannot be restarted"):
        bench.faults.restart("switch")


def test_what_cannot_be_killed_is_said(bench: Bench, nursery: Nursery) -> None:
    with pytest.raises(UserError, match=r"the testbed has no part 'router'\n  it has controller"):
        bench.faults.kill("router")
    bench.faults.kill("controller")
    with pytest.raises(UserError, match="it has ended already"):
        bench.faults.kill("controller")


@pytest.mark.parametrize(
    ("switch", "port", "rate_bps", "message"),
    [
        ("s9", 4, 1_000_000, "there is no port 4 on a switch 's9'"),
        ("s1", 9, 1_000_000, "there is no port 9 on a switch 's1'"),
        ("s1", 4, 0, "cannot have a capacity of 0 bit/s"),
    ],
)
def test_a_capacity_that_cannot_be(bench: Bench, switch: str, port: int, rate_bps: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        bench.faults.set_capacity(switch, port, rate_bps)
    assert bench.faults.capacities_bps == {}
