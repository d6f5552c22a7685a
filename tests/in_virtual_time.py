"""``python -m tests.in_virtual_time``: the tests over time, in virtual time, in several kernels side by side.

Which tests these are, the marker ``real_time`` says: they pass in real time too, on a quiet machine, as root. ``KERNEL=7.3`` runs them
on another Linux.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from common.errors import EXIT_CANNOT_RUN, UserError
from engine.plan.module_files import environment_with_modules, module_files
from engine.plan.program_files import PROGRAMS, libbpf, service_environment, service_files
from hosts.cca.kernel_tree import KernelTree
from hosts.cca.modules import CACHE_FOLDER, build
from hosts.cca.scheme_names import parse_all
from hosts.cca.sources import available
from tests.harness.bmv2_switch import bmv2_command
from tests.harness.virtual_time import SCHEMES_WITH_CONSTANTS
from virtual_time.job import Job, Outside
from virtual_time.session import Session

MARKED = "real_time and not this_machine"
COMMANDS = ("iperf3", "curl", "nginx")
"""Programs that tests call inside, besides those of a run and BMv2."""

TESTS_A_KERNEL = 8
"""Files with fewer share a kernel, since to start it takes seconds too."""

KERNEL = "KERNEL"
"""Environment variable: the Linux they run on (virtual_time/kernel/choice.py)."""

MEMORY_MB = 4096
PATIENCE_S = 240.0
SKIPPED = "SKIPPED "
"""How a line of pytest's summary begins that says what was skipped and why."""

NOTHING_COLLECTED = 5
"""pytest's exit code."""


class Collector:
    """Which files have tests that are marked, and how many."""

    def __init__(self) -> None:
        self.tests: dict[str, int] = defaultdict(int)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count them."""
        for item in session.items:
            self.tests[item.nodeid.partition("::")[0]] += 1

    def batches(self) -> list[list[str]]:
        """The files of each kernel. Those with few tests come first: these are whole runs, for which nothing else is to wait in the end."""
        found: list[list[str]] = []
        for file in sorted(self.tests, key=lambda one: self.tests[one]):
            if found and sum(self.tests[one] for one in [*found[-1], file]) <= TESTS_A_KERNEL:
                found[-1].append(file)
            else:
                found.append([file])
        return found


@dataclass(frozen=True)
class Part:
    """The outcome of one kernel's tests."""

    files: list[str]
    status: int
    text: str


def main(arguments: Sequence[str]) -> int:
    """Run them all; returns 0 if all passed."""
    collector = Collector()
    status = pytest.main(["--collect-only", "-qq", "-m", MARKED, *arguments], plugins=[collector])
    if status not in (0, NOTHING_COLLECTED) or not collector.tests:
        print("no tests over time are found")
        return int(status)
    try:
        commands = [Path(found) for name in COMMANDS if (found := shutil.which(name, path=PROGRAMS))]
        commands.append(libbpf())
        if (bmv2 := bmv2_command()) is not None:
            commands.append(bmv2)
        session = Session.prepare(kernel=os.environ.get(KERNEL, ""), with_tests=True, commands=commands)
        schemes = parse_all([*available(), *SCHEMES_WITH_CONSTANTS])
        modules = build(schemes, KernelTree(session.kernel.objects), CACHE_FOLDER, jobs=session.side_by_side)
    except UserError as error:
        print(error, file=sys.stderr)
        return EXIT_CANNOT_RUN
    files: dict[str, Path | bytes] = {**module_files(modules.values()), **service_files()}
    with ThreadPoolExecutor(session.side_by_side) as pool:
        parts = list(pool.map(lambda batch: _run(session, batch, files), collector.batches()))
    bad = [part for part in parts if part.status != 0]
    for part in bad:
        print(f"\n=== {' '.join(part.files)}: exit code {part.status}\n{part.text}")
    where = f"{len(collector.tests)} files, in {len(parts)} kernels of virtual time"
    print(f"{sum(collector.tests.values())} tests over time in {where}: {len(bad)} kernels with failures")
    return 1 if bad else 0


def _run(session: Session, batch: list[str], files: dict[str, Path | bytes]) -> Part:
    text: list[str] = []
    begin_s = time.monotonic()
    environment = environment_with_modules() | service_environment()
    command = ["python3", "-m", "pytest", "-q", "-m", MARKED, "-p", "no:cacheprovider", "--timeout=0", "--tb=short", *batch]
    try:
        status = session.run(Job(command, 1, MEMORY_MB, PATIENCE_S, files=files, environment=environment), Outside(on_text=text.append))
    except UserError as error:
        status = 1
        text.append(str(error))
    took_s = time.monotonic() - begin_s
    skipped = "".join(f"\n    {line.strip()}" for line in text if line.startswith(SKIPPED))
    print(f"{'passed' if status == 0 else 'FAILED'} ({took_s:.0f} s) {' '.join(batch)}{skipped}", flush=True)
    return Part(batch, status, "\n".join(text))


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: main(sys.argv[1:]))
