"""``python -m tests.beside_load``: tests again and again beside changing load; none may fail in any of the rounds.

A test that fails once in twenty rounds is worse than one that always fails: nobody believes it. The command prints a line for each part of
a round, and each failure with its words. `make beside-load` does it with all tests of `make test` that are not in virtual time.
"""

from __future__ import annotations

import argparse
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from common.command_line import let_signals_interrupt, run_command
from tests.beside_load.loads import busy_loops, changing_load
from tests.harness.switches import REPOSITORY

ENDS_WELL = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
FAILURE = re.compile(r"^(FAILED|ERROR) |^thread '.*' panicked at ")
"""Of pytest, of cargo."""


def main() -> int:
    """Run them; 1 if a round has a failure."""
    let_signals_interrupt()
    parser = argparse.ArgumentParser(prog="python -m tests.beside_load", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="how often")
    parser.add_argument("--busy", type=int, default=4, help="busy loops beside")
    parser.add_argument("--seed", type=int, default=1, help="the order of the other loads follows from it")
    parser.add_argument("--log", type=Path, help="add all that failed rounds say to this file")
    parser.add_argument(
        "--part", action="append", required=True, help="a command in one string, as pytest's or cargo's; a round has all parts"
    )
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="beside-load-") as folder, busy_loops(options.busy):
        for number in range(1, options.rounds + 1):
            with changing_load(Path(folder), options.seed + number):
                done = [_part(number, shlex.split(part), options.log) for part in options.part]
                failed += not all(done)
    print(f"{options.rounds} rounds, {failed} with failures")
    return 1 if failed else 0


def _part(number: int, command: list[str], log: Path | None) -> bool:
    begin_s = time.monotonic()
    output, status = _carried_out(command)
    said = output.strip().splitlines()
    print(f"round {number:2}: {time.monotonic() - begin_s:4.0f} s  {said[-1] if said else ''}", flush=True)
    well = status in ENDS_WELL
    if not well:
        print("\n".join(line for line in said if FAILURE.search(line)), flush=True)
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(f"=== round {number}\n{output}\n")
    return well


def _carried_out(command: Sequence[str]) -> tuple[str, int]:
    """All that a command says, and its exit code; on Ctrl-C it ends as it does by itself, with all that its tests have made."""
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as part:
        try:
            output, _ = part.communicate()
        except KeyboardInterrupt:
            part.send_signal(signal.SIGINT)
            part.communicate()
            raise
        return output, part.returncode


if __name__ == "__main__":
    from common.command_end import end_with

    end_with(lambda: run_command(main))
