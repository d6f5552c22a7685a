"""Fixtures that several folders of tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from nodectl.variant import DATA_PLANE, Variant
from tests.harness.switches import KINDS, REPOSITORY, EmbeddedSwitch, P4Switch, compile_program, require

NewSwitch = Callable[[], P4Switch]
"""Starts a switch; the fixture that gave it ends all of them."""


@pytest.fixture(scope="session", params=KINDS)
def switch_kind(request: pytest.FixtureRequest) -> str:
    """Each test that drives a switch runs on every kind, or says that it is not there."""
    kind = str(request.param)
    require(kind)
    return kind


def _factory(source: Path, directory: Path, defines: Sequence[str] = ()) -> Iterator[NewSwitch]:
    program = compile_program(source, directory, defines)
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


VARIANTS = [Variant.lacking(decision) for decision in sorted(DATA_PLANE)] + [Variant(DATA_PLANE)]
"""The P4 program without each decision that can be left out, and without all of them."""


@pytest.fixture(scope="session", params=VARIANTS, ids=lambda variant: variant.name)
def variant(request: pytest.FixtureRequest) -> Variant:
    """Each test of a variant runs with every one."""
    assert isinstance(request.param, Variant)
    return request.param


@pytest.fixture(scope="session")
def new_variant_switch(switch_kind: str, variant: Variant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch with a variant of nodectl.p4, and ends the one before."""
    yield from _factory(REPOSITORY / "p4src" / "nodectl.p4", tmp_path_factory.mktemp(f"variant-{switch_kind}"), variant.defines)


@pytest.fixture(scope="session")
def new_division_switch(switch_kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch that divides (tests/differential/division_test.p4), and ends the one before."""
    source = REPOSITORY / "tests" / "differential" / "division_test.p4"
    yield from _factory(source, tmp_path_factory.mktemp(f"division-{switch_kind}"))
