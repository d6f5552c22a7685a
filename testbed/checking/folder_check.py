"""All parts of a check, in the order in which a mistake is told soonest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from common.errors import UserError
from common.shown_path import shown
from scenario.file import read_scenario_file
from testbed.checking.finding import Finding, Tell, Verdict
from testbed.checking.packet_tests import check_by_pytest, check_packet_test, packet_tests_in, program_of, pytest_files_in
from testbed.checking.programs import check_program, programs_in
from testbed.checking.scenario_check import SCENARIO, check_run, check_scenario, program_of_switch
from topo.toolchain import Toolchain


def check_folder(folder: Path, tell: Tell, *, run: bool = True, switch: str = "") -> bool:
    """Check the contents of a folder.

    Args:
        folder: with P4 programs, packet tests, ``run.toml``, or some of these.
        tell: told of each finding when it is there.
        run: carry the scenario out, where nothing before it has failed.
        switch: of the scenario: only its program is compiled and given to the packet tests; empty: all are.

    Returns:
        Whether nothing failed.

    Raises:
        UserError: there is no such folder, nothing in it that could be checked, or no such switch.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {shown(folder)}", "testbed new makes one")
    passed = True
    for finding in _findings_of_switch(folder, switch) if switch else _findings(folder, run=run):
        tell(finding)
        passed &= finding.verdict is not Verdict.FAILED
    return passed


def _findings(folder: Path, *, run: bool) -> Iterator[Finding]:
    scenario = folder / SCENARIO
    toolchain, failed = Toolchain(), 0
    sources, tests, by_pytest = programs_in(folder), packet_tests_in(folder), pytest_files_in(folder)
    if not (sources or tests or by_pytest or scenario.is_file()):
        raise UserError(f"{shown(folder)}: there is nothing to check: no P4 program, no packet test, no {SCENARIO}")
    programs: dict[Path, Path | None] = {}
    for source in sources:
        checked = check_program(source, _defines(scenario), toolchain)
        programs[source] = checked.compiled
        failed += checked.compiled is None
        yield checked.finding
    for finding in chain(
        (check_packet_test(test, programs) for test in tests),
        (check_by_pytest(file) for file in by_pytest),
        (_scenario(file, toolchain, programs) for file in [scenario] if file.is_file()),
    ):
        failed += finding.verdict is not Verdict.PASSED
        yield finding
    if run and scenario.is_file():
        yield from [Finding(Verdict.LEFT_OUT, f"run of {SCENARIO}", "an earlier step has failed")] if failed else check_run(scenario)


def _findings_of_switch(folder: Path, switch: str) -> Iterator[Finding]:
    scenario = folder / SCENARIO
    program = program_of_switch(scenario, switch)
    checked = check_program(program, _defines(scenario), Toolchain())
    yield checked.finding
    own = {program: checked.compiled}
    for test in packet_tests_in(folder):
        named = program_of(test, programs_in(folder))
        if named is not None and named.resolve() != program.resolve():
            yield Finding(Verdict.LEFT_OUT, test.name, f"it is for {named.name}; {switch} runs {program.name}")
        else:
            yield check_packet_test(test, own)
    yield from (check_by_pytest(file, program) for file in pytest_files_in(folder))


def _scenario(file: Path, toolchain: Toolchain, programs: Mapping[Path, Path | None]) -> Finding:
    broken = [source.name for source, compiled in programs.items() if compiled is None]
    return Finding(Verdict.LEFT_OUT, file.name, f"{broken[0]} does not compile") if broken else check_scenario(file, toolchain)


def _defines(scenario: Path) -> list[str]:
    """The scenario's ``p4_defines``; a scenario that cannot be read has none here, since a later part tells of it."""
    try:
        defines = read_scenario_file(scenario).content.get("p4_defines", []) if scenario.is_file() else []
    except UserError:
        return []
    return [one for one in defines if isinstance(one, str)] if isinstance(defines, list) else []
