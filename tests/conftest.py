"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from protocol.variant import DATA_PLANE, DEPLOYABLE, FAIR_LEVEL, Decision, Variant
from tests.harness.bmv2_switch import Bmv2Process, Bmv2Switch
from tests.harness.long_tests import LongTests
from tests.harness.rerun_budget import RerunBudget
from tests.harness.skip_guard import SkipGuard, allowed_here
from tests.harness.switches import COMBINATIONS, REPOSITORY, Combination, EmbeddedSwitch, P4Switch, compile_program, not_collected, require

NewSwitch = Callable[[], P4Switch]
"""Starts a switch; the fixture that gave it ends all of them."""


settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile("repeatable")
"""The same random sequences in every run, so that a change is what makes a test fail. To look further: --hypothesis-profile=random."""


def pytest_configure(config: pytest.Config) -> None:
    """Prepare a session, and register the plugins that watch it."""
    # A shell starts its background programs with Ctrl-C ignored, and programs that a test starts would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As in the Makefile: rustup says where cargo is in the start-up files of a shell, which not every shell reads.
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path.home() / ".cargo" / "bin")])
    config.pluginmanager.register(LongTests())
    config.pluginmanager.register(RerunBudget())
    config.pluginmanager.register(SkipGuard(allowed_here()))


WHOLE_PROGRAMS = {"virtual_time", "packages", "testbed", "end_to_end"}
"""Folders whose files have few tests, each of which runs whole programs for seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slowest files: with one of them last, a processor would be idle meanwhile."""
    items.sort(key=lambda item: item.path.parent.name not in WHOLE_PROGRAMS)


def pytest_report_header() -> list[str]:
    """A line about the compiler or switch that tests compare with and this machine lacks."""
    return [line] if (line := not_collected()) else []


@pytest.fixture(scope="session", params=COMBINATIONS, ids=str)
def combination(request: pytest.FixtureRequest) -> Combination:
    """Each test that drives a switch runs on every compiler and switch, or says which is not there."""
    wanted: Combination = request.param
    require(wanted)
    return wanted


def _factory(source: Path, directory: Path, combination: Combination, defines: Sequence[str] = ()) -> Iterator[NewSwitch]:
    program = compile_program(source, directory, combination.compiler, defines)
    if combination.switch == "bmv2":
        process = Bmv2Process(program, directory)
        yield lambda: Bmv2Switch(process)
        process.close()
        return
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
def new_nodectl_switch(combination: Combination, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch with nodectl.p4, and ends the one before."""
    yield from _factory(REPOSITORY / "p4src" / "nodectl.p4", tmp_path_factory.mktemp(str(combination)), combination)


LETTER = Variant(DATA_PLANE - {Decision.V_Q})
STORES = [Variant(way_bits=2), Variant(way_bits=14), Variant(way_bits=16)]
VARIANTS = [Variant.lacking(decision) for decision in sorted(DATA_PLANE)] + [Variant(DATA_PLANE), LETTER] + STORES
"""The P4 program without each decision that can be left out, without all of them, without all
that are not the paper's, and with smaller and larger stores."""


@pytest.fixture(scope="session", params=VARIANTS, ids=lambda variant: variant.name)
def variant(request: pytest.FixtureRequest) -> Variant:
    """Each test of a variant runs with every one."""
    assert isinstance(request.param, Variant)
    return request.param


@pytest.fixture(scope="session")
def new_variant_switch(combination: Combination, variant: Variant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch with what a decision was left out of, or whose store has another size, and ends the one before."""
    directory = tmp_path_factory.mktemp(f"variant-{combination}")
    yield from _factory(REPOSITORY / "p4src" / variant.design.program, directory, combination, variant.defines)


@pytest.fixture(scope="session")
def new_deployable_switch(combination: Combination, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch with nodectl_deployable.p4, and ends the one before."""
    directory = tmp_path_factory.mktemp(f"deployable-{combination}")
    yield from _factory(REPOSITORY / "p4src" / DEPLOYABLE.design.program, directory, combination, DEPLOYABLE.defines)


@pytest.fixture(scope="session")
def new_fair_level_switch(combination: Combination, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch with nodectl_fair_level.p4, and ends the one before."""
    directory = tmp_path_factory.mktemp(f"fair-level-{combination}")
    yield from _factory(REPOSITORY / "p4src" / FAIR_LEVEL.design.program, directory, combination, FAIR_LEVEL.defines)


@pytest.fixture(scope="session")
def new_division_switch(combination: Combination, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewSwitch]:
    """Starts a fresh switch that divides (tests/differential/division_test.p4), and ends the one before."""
    source = REPOSITORY / "tests" / "differential" / "division_test.p4"
    yield from _factory(source, tmp_path_factory.mktemp(f"division-{combination}"), combination)
