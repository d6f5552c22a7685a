"""Nothing before a run begins changes its samples: neither what programs import and look for, nor what else the image holds."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rich.console import Console

from common.installation import PROJECT
from common.rounds import until_next_round_s
from engine.collect.record import INPUTS, SAMPLES
from engine.collect.store import ResultStore
from engine.execute.runner import Runner
from engine.execute.start_moment import BESIDE_NS, PERIOD_NS, next_moment_ns
from engine.plan.experiment import Effort
from engine.plan.options import RunOptions
from reports.experiment import ReportedExperiment
from scenario.run_request import RunRequest
from tests.harness.long_tests import LONG, only_long
from tests.virtual_time.altered import CONSUMES, LOOKS, NOTHING, TAKES_TIME, altered_files, session_with
from tests.virtual_time.inside import needs_virtual_time
from virtual_time.file_system.image import BUILT
from virtual_time.job import Job, Outside
from virtual_time.session import Session

pytestmark = pytest.mark.timeout(900)

SCENARIO = Path(__file__).with_name("moment.toml")
SCHEMES = "" if LONG else "nodectl"
"""Empty: all of the file."""

Samples = dict[str, str | None]
Measure = Callable[[Mapping[str, Path]], Samples]

UNUSED = {f"{folder}/unused_{number}.py": f"VALUE = {'1' * 100 * number}\n" for folder in ("hosts", "engine") for number in range(9)}
LONGER = {f"{BUILT}/nodectl.json": " " * 12_345 + "\n"}


PORTS = """
import socket, struct, sys
from engine.execute.start_moment import _forget_what_was_drawn
server = socket.create_server(("127.0.0.1", 5000))
def port():
    with socket.create_connection(server.getsockname()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # no port stays in use
        return connection.getsockname()[1]
before = [port() for _ in range(int(sys.argv[1]))]
_forget_what_was_drawn()
print(*[port() for _ in range(3)])
"""
"""Connects a number of times before the moment, and three times after it."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measure:
    """Gives the checksums of the samples, by scheme, with files over those of the image."""

    def measure(files: Mapping[str, Path]) -> Samples:
        folder = tmp_path_factory.mktemp("altered")
        session = session_with(folder, files) if files else Session.prepare()
        experiment, store = ReportedExperiment.read(SCENARIO, Effort(schemes=SCHEMES)), ResultStore(folder / "results")
        options = RunOptions(RunRequest(), Console(file=io.StringIO()), virtual=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Session, "prepare", lambda **_: session)
            Runner(store, options).run([experiment])
        records = store.records(experiment.cells())
        assert all(one.is_result for one in records), [one.failure for one in records]
        assert all(str(one.facts[INPUTS]).startswith(str(session.inputs)) for one in records)
        return {one.scheme: one.facts.get(SAMPLES) for one in records}

    return measure


@pytest.fixture(scope="module")
def usual(measured: Measure) -> Samples:
    """Of an image as it is."""
    return measured({})


def longer_built() -> dict[str, str]:
    """The compiler's JSON with white space behind it."""
    return {name: (PROJECT / name).read_text(encoding="utf-8") + more for name, more in LONGER.items()}


@needs_virtual_time
def test_ports_of_connections_do_not_depend_on_earlier_ones() -> None:
    """Neither on their number nor on their being there at all: where there were none, the kernel has drawn nothing yet."""

    def ports(connections: int) -> list[str]:
        text: list[str] = []
        assert Session.prepare().run(Job(["python3", "-c", PORTS, str(connections)], seed=1), Outside(on_text=text.append)) == 0, text
        return text

    first = ports(0)
    assert len(set(first[0].split())) == 3
    assert ports(1) == ports(7) == first


@needs_virtual_time
def test_whatever_comes_before(measured: Measure, usual: Samples, tmp_path: Path) -> None:
    """All of it at once; the tests below tell what it was if this one fails."""
    assert len(usual) == len(set(usual.values())) >= 1
    files = altered_files(tmp_path, LOOKS + CONSUMES + TAKES_TIME, files=UNUSED | longer_built())
    assert measured(files) == usual


@only_long
@needs_virtual_time
@pytest.mark.parametrize(
    "module",
    [NOTHING, LOOKS, CONSUMES, TAKES_TIME, TAKES_TIME * 7],
    ids=["an-import", "a-thousand-looks", "what-is-drawn-and-taken", "time", "more-time"],
)
def test_what_programs_do_before(measured: Measure, usual: Samples, tmp_path: Path, module: str) -> None:
    assert measured(altered_files(tmp_path, module)) == usual


@only_long
@needs_virtual_time
@pytest.mark.parametrize("files", [UNUSED, longer_built()], ids=["unused-modules", "longer-json"])
def test_what_else_is_in_the_image(measured: Measure, usual: Samples, tmp_path: Path, files: dict[str, str]) -> None:
    assert measured(altered_files(tmp_path, None, files=files)) == usual


@only_long
@needs_virtual_time
def test_what_comes_after_does_change_them(measured: Measure, usual: Samples, tmp_path: Path) -> None:
    """Else the tests above would show nothing: the same sleep, after the run has begun."""
    late = (PROJECT / "engine/execute/measure.py").read_text(encoding="utf-8")
    later = late.replace("moment_s = wait_for_moment(", "moment_s = 0.0371234 + wait_for_moment(")
    assert later != late
    changed = measured(altered_files(tmp_path, None, files={"engine/execute/measure.py": later}))
    assert all(changed[scheme] != usual[scheme] for scheme in usual)


def test_runs_begin_at_the_same_times_but_with_no_round_of_a_program() -> None:
    first = next_moment_ns(1, interfaces=6)
    assert first == next_moment_ns(PERIOD_NS - 1, interfaces=99) == PERIOD_NS + BESIDE_NS
    assert next_moment_ns(first, interfaces=6) == first + PERIOD_NS
    assert next_moment_ns(first, interfaces=250) == 3 * PERIOD_NS + BESIDE_NS
    assert until_next_round_s(first / 1e9, 0.01) not in (0.0, 0.01)


@pytest.mark.parametrize(("now_s", "left_s"), [(0.0, 0.5), (0.2, 0.3), (0.5, 0.5), (12.4, 0.1)])
def test_rounds_are_multiples_of_their_period(now_s: float, left_s: float) -> None:
    assert until_next_round_s(now_s, 0.5) == pytest.approx(left_s)


def test_a_timer_that_wakes_early_makes_no_second_round() -> None:
    assert until_next_round_s(0.4999999, 0.5) == pytest.approx(0.5, abs=1e-5)
