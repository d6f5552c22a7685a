"""Fixtures that several folders of tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.harness.switches import KINDS, REPOSITORY, EmbeddedSwitch, P4Switch, compile_program, require

NewSwitch = Callable[[], P4Switch]
"""Starts a switch; the fixture that gave it ends all of them."""


@pytest.fixture(scope="session", params=KINDS)
def switch_kind(request: pytest.FixtureRequest) -> str:
    """Each test that drives a switch runs on every kind, or says that it is not there."""
    kind = str(request.param)
    require(kind)
    return kind


def _factory(source: Path, directory: Path) -> Iterator[NewSwitch]:
    program = compile_program(source, directory)
    switches: list[P4Switch] = []

    def start() -> P4Switch:
        for old in switches:
            old.close()
        switches[:] = [EmbeddedSwitch(program)]
        return switches[0]

    yield start
    for switch in switches:
        switch.close()


@pytest.fixture(scope="session")
def new_nodectl_switch(switch_kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch with nodectl.p4, and ends the one before."""
    yield from _factory(REPOSITORY / "p4src" / "nodectl.p4", tmp_path_factory.mktemp(switch_kind))


@pytest.fixture(scope="session")
def new_division_switch(switch_kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch that divides (tests/differential/division_test.p4), and ends the one before."""
    source = REPOSITORY / "tests" / "differential" / "division_test.p4"
    yield from _factory(source, tmp_path_factory.mktemp(f"division-{switch_kind}"))
