"""The packet tests of p4src/ (STF files beside this one), run by p4test."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from protocol.variant import DEPLOYABLE, DESIGNS, FAIR_LEVEL
from tests.harness.switches import REPOSITORY, compile_program

HERE = Path(__file__).parent
P4TEST = REPOSITORY / "switch" / "target" / "release" / "p4test"
PROGRAMS = {
    "nodectl": REPOSITORY / "p4src" / "nodectl.p4",
    "ecn": REPOSITORY / "p4src" / "ecn.p4",
    "division": REPOSITORY / "tests" / "differential" / "division_test.p4",
}
TESTS = sorted(HERE.glob("*/*.stf"))
EXIT_FAILED = 1

DECLARES_ONLY = {
    "constants.p4", "event_fields.p4", "headers.p4", "headers_v2.p4", "ipv4.p4", "message.p4", "message_v2.p4", "metadata_fields.p4",
    "ports.p4", "queue_ticks.p4", "rate_units.p4", "registers.p4",
}  # fmt: skip
PARSES_ONLY = {"parser.p4", "parser_v2.p4", "parser_states.p4", "ipv4_checksum.p4", "router.p4"}
COMPOSES_ONLY = {design.program for design in DESIGNS.values()} - {"nodectl.p4"}
NEEDS_TIME = {"int.p4", "managed_port.p4", "rcp.p4", "rate_law.p4", "rate_questions.p4", "telemetry.p4", "xcp.p4", "xcp_law.p4"}
"""An STF file has no clock: tests/differential/test_rate_law.py, test_xcp_law.py and test_telemetry_router.py run these."""
QUEUES = {
    "managed_router.p4", "tell_sender.p4", "drop_tail_queue.p4", "queue_length.p4", "random_number.p4", "codel_decision.p4",
    "inverse_square_root.p4", "queue.p4", "base_probability.p4",
    *(f"{name}{end}.p4" for name in ("codel", "fq_codel", "red", "pie", "dualpi2") for end in ("", "_queue")),
}  # fmt: skip
"""Queues and their time: tests/differential/test_codel.py and test_queue_models.py run these."""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: compile_program(source, tmp_path_factory.mktemp(name)) for name, source in PROGRAMS.items()}


def p4test(program: Path, test: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([P4TEST, program, test, *options], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("test", TESTS, ids=[f"{test.parent.name}-{test.stem}" for test in TESTS])
def test_packets(compiled: dict[str, Path], test: Path) -> None:
    result = p4test(compiled[test.parent.name], test)
    assert result.returncode == 0, result.stderr
    assert "checks passed" in result.stdout


def test_every_file_of_the_data_plane_is_executed(compiled: dict[str, Path], tmp_path: Path) -> None:
    """Each file of p4src/ has a statement that these tests run; the parser's states have no lines, but they are seen."""
    executed: set[str] = set()
    has_parsed = False
    for test in (test for test in TESTS if PROGRAMS[test.parent.name].parent.name == "p4src"):
        trace = tmp_path / "trace.json"
        assert p4test(compiled[test.parent.name], test, "--trace=count 1000", "--trace-json", str(trace)).returncode == 0
        for line in trace.read_text().splitlines():
            event = json.loads(line)
            has_parsed |= event["event"] == "parser_state" and event["state"] == "parse_nodectl"
            if source := event.get("source"):
                executed.add(Path(source["file"]).name)
    files = {file.name for file in (REPOSITORY / "p4src").glob("*.p4")}
    assert has_parsed
    without_statements = PARSES_ONLY | DECLARES_ONLY | COMPOSES_ONLY
    assert files - executed - without_statements - _of_other_variants(tmp_path, compiled) - NEEDS_TIME - QUEUES == set()


def _of_other_variants(folder: Path, compiled: Mapping[str, Path]) -> set[str]:
    """Files that the paper's program is without: tests/differential/test_deployable.py, test_load.py, test_fair_level.py and
    tests/protocol/test_attacks.py run these."""
    name = re.compile(r'"filename" *: *"(?:[^"]*/)?([^"/]+)"')
    has_not = set(name.findall(compiled["nodectl"].read_text()))
    has: set[str] = set()
    for variant in (DEPLOYABLE, FAIR_LEVEL):
        program = REPOSITORY / "p4src" / variant.design.program
        has |= set(name.findall(compile_program(program, folder).read_text()))
    assert has - has_not
    return has - has_not


@pytest.mark.parametrize("program", ["nodectl", "division"])
def test_a_wrong_expectation_fails_with_both_packets_shown(compiled: dict[str, Path], program: str, tmp_path: Path) -> None:
    test = next(test for test in TESTS if test.parent.name == program)
    lines = test.read_text().splitlines()
    number = next(number for number, line in enumerate(lines) if line.startswith("expect"))
    words = lines[number].split()
    last = words[-2]
    words[-2] = last[:-1] + ("0" if last[-1] != "0" else "1")
    lines[number] = " ".join(words)
    wrong = tmp_path / "wrong.stf"
    wrong.write_text("\n".join(lines))
    result = p4test(compiled[program], wrong)
    assert result.returncode == EXIT_FAILED
    where = f"{wrong}: line {number + 1}: the packet at port"
    assert where in result.stderr
    assert "differs from byte" in result.stderr
    shown = result.stderr.split(where, 1)[1].splitlines()
    expected = next(index for index, line in enumerate(shown) if line.endswith("expected"))
    assert shown[expected + 1].endswith("received")
    # One digit is marked, under the last byte.
    assert shown[expected + 2].strip() == "^"
    assert "1 of" in result.stderr
