"""``python -m tests.page_commands``: every command of README and the other pages, in a new clone that has only been through `make setup`.

Part of `make test-all`. It prints a line for each command, with its real and its processor seconds, and the commands that failed.
``--only PATTERN`` runs those that match. ``--clone FOLDER`` takes an existing clone, or makes one there that stays. ``--log FILE`` goes on
where the last run with this file was, without the commands that have passed. ``--smaller`` takes the smaller forms that known.toml has of
the longest commands, and runs with one scheme.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from common.command_line import let_signals_interrupt
from tests.harness.switches import REPOSITORY
from tests.page_commands.known import Way, way_of
from tests.page_commands.log import Log
from tests.page_commands.running import Outcome, environment, run
from tests.page_commands.typed import Typed, typed_commands
from virtual_time.scratch import scratch_folder

SETUP = Typed("make setup", ("README.md",))
SETUP_MIN = 90.0
BELOW = REPOSITORY / "build"
"""Where the clone is: hand-ins are checked in a sandbox that has a /tmp of its own."""


def main() -> int:
    """Run them; 1 if one fails."""
    let_signals_interrupt()  # commands too, which are ended by Ctrl-C
    parser = argparse.ArgumentParser(prog="python -m tests.page_commands", description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression: run commands in which it is found")
    parser.add_argument("--clone", type=Path, help="a clone that is there, after `make setup`; else it is made there, and stays")
    parser.add_argument("--log", type=Path, help="add what became of each command to this file, and leave out what has passed by it")
    parser.add_argument("--smaller", action="store_true", help="run the smaller forms of those that take long, where known.toml has one")
    parser.add_argument("--list", action="store_true", help="only list what would be run")
    options = parser.parse_args()
    log = Log(options.log)
    here = _still_to_run(log, re.compile(options.only), options.smaller)
    if options.list:
        for one, way in here:
            print(way.instead or one.words)
        return 0
    with ExitStack() as stack:
        clone = options.clone or stack.enter_context(scratch_folder(BELOW)) / "clone"
        failed = [] if clone.exists() else _set_up(clone, log)
        failed += [] if failed else _failures(here, clone, log)
    print(f"{len(here) - len(failed)} passed, {len(failed)} failed")
    for words in failed:
        print(f"  failed: {words}")
    return 1 if failed else 0


def _still_to_run(log: Log, only: re.Pattern[str], smaller: bool) -> list[tuple[Typed, Way]]:
    chosen = [one for one in typed_commands() if only.search(one.words) and one.words != SETUP.words]
    left = [(one, way) for one in chosen if (way := way_of(one)).is_run_here and not log.has_passed(one, way)]
    if not smaller:
        return left
    return [(one, way) for one, whole in left if not log.has_passed(one, way := whole.in_smaller_form(one))]


def _set_up(clone: Path, log: Log) -> list[str]:
    """Make a clone; return the commands that failed."""
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)], env=environment(), check=True)
    return _failures([(SETUP, Way(typed=[SETUP.words], limit_min=SETUP_MIN))], clone, log)


def _failures(commands: list[tuple[Typed, Way]], clone: Path, log: Log) -> list[str]:
    failed = []
    outcomes: dict[str, Outcome] = {}
    for command, way in commands:
        outcome = outcomes.get(way.what_runs)
        if outcome is not None:
            print(f"{'as above':>33}  {command.words} (as `{way.instead}`)", flush=True)
            failed += [command.words] if outcome.failure else []
            log.add(command, way, replace(outcome, took_s=0.0, processor_s=0.0))
            continue
        outcome = run(command, way, clone)
        log.add(command, way, outcome)
        if way.instead:
            outcomes[way.what_runs] = outcome
        instead = f" (as `{way.instead}`)" if way.instead else ""
        print(f"{outcome.took_s:7.0f} s {outcome.processor_s:7.0f} processor s  {command.words}{instead}", flush=True)
        if outcome.failure:
            failed.append(command.words)
            print(f"FAILED: {outcome.failure} ({', '.join(command.pages)})\n{outcome.said}", flush=True)
    return failed
