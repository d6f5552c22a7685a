"""A person's request to the testbed: one model, from the command line, make or Python, through the kernel, to the network.

A new option is one field here. The command line makes its options from the fields (testbed/command_line/from_request.py). Variables of make
have their names, and ``python3 -m scenario.run_request COMMAND`` refuses those that a command would ignore. Standard library only, since
make asks before it has installed anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from common.command_end import end_with
from common.command_line import run_command
from common.errors import UserError

RUN, CLI, TUTORIAL, REPRODUCE, LAB = "run", "cli", "tutorial", "reproduce", "lab"
REFUSED = {
    RUN: "a scenario's file says what is run",
    CLI: "the prompt is one network on this machine; it is for `make run`",
    TUTORIAL: "an exercise brings its own network, and has a prompt in virtual time",
    REPRODUCE: "a paper is many runs and its files say how they are made; it is for `make run`",
    LAB: "a check measures what it needs; `make replay RUN=results/labs/NAME` shows it",
}
"""Why a command lacks an option that others have."""

EVERY_NETWORK = (RUN, CLI, TUTORIAL, REPRODUCE)

GRPC_BASE_PORT = 50051
EMBEDDED = "embedded"
REAL = "real"
EMULATE = "emulate"


class Size(StrEnum):
    """How much of a file is measured: all sizes but the normal one have a table of their name, which is merged over the file."""

    QUICK = "quick"
    NORMAL = "normal"
    FULL = "full"


@dataclass(frozen=True)
class Wish:
    """A field's description for the command line.

    Args:
        help: for people.
        of: the commands that have it.
        positional: the commands where it is an argument without a name.
        inside: samples may depend on it, so it goes with a cell wherever that is measured.
        least, most: bounds of a number.
    """

    help: str
    of: tuple[str, ...] = (RUN, CLI, REPRODUCE)
    positional: tuple[str, ...] = ()
    inside: bool = False
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class RunRequest:
    """A request. Every field has a default that asks for nothing."""

    scenario: Annotated[str, Wish("a scenario file, or the name of one in scenario/examples/", (RUN, CLI), positional=(RUN, CLI))] = (
        "staggered"
    )
    p4app: Annotated[
        str,
        Wish(
            "an exercise: a folder in p4lang's or p4-utils' layout, or its network file; left out, the folder here",
            (TUTORIAL,),
            positional=(TUTORIAL,),
        ),
    ] = ""
    solution: Annotated[bool, Wish("with the solution of the exercise or lab", (TUTORIAL, LAB))] = False
    paper: Annotated[
        str, Wish("which paper, a folder of reports/papers/; all: every one of them", (REPRODUCE,), positional=(REPRODUCE,))
    ] = "nodectl"
    only: Annotated[str, Wish("only these experiments, separated by commas", (REPRODUCE,))] = ""
    cell: Annotated[str, Wish("measure this one cell again: EXPERIMENT/POINT/SCHEME-REPETITION, as in its record", (REPRODUCE,))] = ""
    schemes: Annotated[str, Wish("replace the scenario's schemes: nodectl,cubic,bbr", (RUN, CLI))] = ""
    seed: Annotated[int | None, Wish("replace the scenario's seed of random choices", (RUN,), least=0, most=2**31 - 1)] = None
    repetitions: Annotated[
        int, Wish("runs of every cell; 0: the files' number, else 3, or 1 for a quick look", (RUN, REPRODUCE), least=0, most=100)
    ] = 0
    quick: Annotated[bool, Wish("a coarser grid and shorter runs, for a look", (RUN, REPRODUCE))] = False
    full: Annotated[bool, Wish("the published sizes, which take long", (RUN, REPRODUCE))] = False
    switch: Annotated[str, Wish("embedded, or bmv2 where p4c and simple_switch_grpc are installed", EVERY_NETWORK)] = EMBEDDED
    compiler: Annotated[str, Wish("embedded or p4c; left out, the one that goes with the switch", EVERY_NETWORK)] = ""
    grpc_base_port: Annotated[int, Wish("P4Runtime port of the first switch; the others follow", inside=True, least=1024, most=65000)] = (
        GRPC_BASE_PORT
    )
    time: Annotated[str, Wish("virtual, or real (as root); left out, virtual where it can be had", (RUN, CLI, REPRODUCE, LAB))] = ""
    cluster: Annotated[
        str, Wish("in virtual time: the address of a Ray cluster to hand cells to, or auto for a Ray on this machine", (RUN, REPRODUCE))
    ] = ""
    kernel: Annotated[
        str, Wish("in virtual time: the hosts' Linux, a release or the path of its sources (docs/kernels.md)", (RUN, CLI, REPRODUCE))
    ] = ""
    kernels: Annotated[str, Wish("in virtual time: several of them, compared in one table: 6.12,7.3", (RUN, REPRODUCE))] = ""
    emulate: Annotated[bool, Wish("in an emulated x86-64 machine (QEMU), where there is no such Linux", (RUN, REPRODUCE, LAB))] = False
    emulate_kernel: Annotated[
        str, Wish("with --emulate: its Linux, a kernel or a Debian package of one; left out, the newest in /boot", (RUN, REPRODUCE, LAB))
    ] = ""
    entries: Annotated[bool, Wish("in virtual time: count how often programs inside are entered and left (docs/cost.md)", (RUN,))] = False
    capture: Annotated[str, Wish("ends of links whose frames are recorded: s1-s2,h1-s1, or all", (RUN, CLI), inside=True)] = ""
    live: Annotated[bool, Wish("serve a page beside the run, and print its address (docs/live-page.md)", (RUN, CLI, TUTORIAL))] = False
    listen: Annotated[str, Wish("with --live: ADDRESS, :PORT or ADDRESS:PORT instead of 127.0.0.1:8765", (RUN, CLI, TUTORIAL))] = ""
    script: Annotated[str, Wish("a file with lines for the prompt; in virtual time", (CLI, TUTORIAL))] = ""
    trace: Annotated[
        str, Wish("packets to trace: a transmission's name, or a filter such as 'src h1 udp count 5'", (RUN,), inside=True)
    ] = ""
    fresh: Annotated[bool, Wish("measure again, also cells with results", (REPRODUCE,))] = False
    keep_samples: Annotated[bool, Wish("keep the raw samples of every cell", (REPRODUCE,))] = False
    report_only: Annotated[bool, Wish("measure nothing; write the report of the kept results", (REPRODUCE,))] = False
    reports: Annotated[Path | None, Wish("keep the reports in this folder instead of beside the results", (REPRODUCE,))] = None

    @classmethod
    def from_python(cls, command: str, given: Mapping[str, Any]) -> RunRequest:
        """The request of a call: fields by name; several texts instead of one with commas, and None for a field's default.

        Args:
            command: which fields it has.
            given: their values.

        Raises:
            UserError: the command has no such field, or a value is of another type.
        """
        offered = [name for name, wish in wishes().items() if command in wish.of and command not in wish.positional]
        offered = [name for name in offered if not name.startswith(EMULATE)]  # it takes a command line into another machine
        types = get_type_hints(cls)
        found: dict[str, Any] = {}
        for name, value in given.items():
            if name not in offered:
                raise UserError(f"{command} takes no {name!r}", f"it takes {', '.join(offered)}")
            if isinstance(value, (list, tuple)):
                value = ",".join(map(str, value))
            wanted = types[name]
            if isinstance(value, str) and Path in get_args(wanted):
                value = Path(value)
            if value is not None:
                if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
                    raise UserError(f"{name}={value!r} is not of the type that {command} takes: {getattr(wanted, '__name__', wanted)}")
                found[name] = value
        return cls(**found)

    @property
    def size(self) -> Size:
        """How much of the files is measured.

        Raises:
            UserError: both a look and the published sizes are wanted.
        """
        if self.quick and self.full:
            raise UserError(
                "QUICK=1 and FULL=1 contradict each other",
                "choose one: QUICK=1 for a look in minutes, FULL=1 for the published sizes, or neither for the normal size",
            )
        return Size.QUICK if self.quick else Size.FULL if self.full else Size.NORMAL

    @property
    def inside(self) -> RunRequest:
        """The part of it that samples may depend on; the rest has its defaults."""
        return RunRequest(**{name: getattr(self, name) for name, wish in wishes().items() if wish.inside})

    @property
    def ends(self) -> tuple[str, ...]:
        """The ends of links that ``capture`` names."""
        return tuple(name.strip() for name in self.capture.split(",") if name.strip())

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that ``only`` names."""
        return tuple(name.strip() for name in self.only.split(",") if name.strip())

    @property
    def hosts_kernels(self) -> tuple[str, ...]:
        """Each Linux that hosts are to have; empty: as the scenario says.

        Raises:
            UserError: one is wanted, and several, or one of several twice.
        """
        if self.kernel and self.kernels:
            raise UserError("KERNEL= and KERNELS= contradict each other", "KERNELS=6.12,7.3 runs everything on each and compares them")
        named = tuple(name.strip() for name in self.kernels.split(",")) if self.kernels else (self.kernel,)
        if len(set(named)) != len(named):
            raise UserError(f"KERNELS={self.kernels} names a kernel twice")
        return tuple(filter(None, named))

    @property
    def only_virtual(self) -> str:
        """The wishes that only virtual time can fulfil, as make takes them; empty: none."""
        given = {"CLUSTER": self.cluster, "ENTRIES": "1" if self.entries else "", "KERNEL": self.kernel, "KERNELS": self.kernels}
        return " ".join(f"{name}={value}" for name, value in given.items() if value)

    @property
    def page(self) -> list[str] | None:
        """Options of the page that is served beside a run; None: none is.

        Raises:
            UserError: there is no page, but a place for it.
        """
        if self.listen and not self.live:
            raise UserError(f"LISTEN={self.listen} names the live page's address, but there is no page", "add LIVE=1")
        return (["--listen", self.listen] if self.listen else []) if self.live else None


@cache
def wishes() -> dict[str, Wish]:
    """Each field's description for the command line, by name."""
    hints = get_type_hints(RunRequest, include_extras=True)
    return {field.name: next(one for one in hints[field.name].__metadata__ if isinstance(one, Wish)) for field in fields(RunRequest)}


def meant_command(command: str, named: Collection[str]) -> str:
    """The command that carries a make target out: `make run P4APP=FOLDER` opens an exercise.

    Args:
        command: the target.
        named: the variables that make was given.
    """
    return TUTORIAL if command == RUN and "P4APP" in named else command


def words_of_make(command: str, environment: Mapping[str, str]) -> list[str]:
    """The command line of a make target, whose variables are in its environment: ``SCHEMES=reno`` is ``--schemes reno``.

    Args:
        command: its name.
        environment: where make has put the variables that were given.
    """
    named: list[str] = []
    positional: list[str] = []
    for name, wish in wishes().items():
        value = environment.get(name.upper(), "")
        if not value or command not in wish.of:
            continue
        option = f"--{name.replace('_', '-')}"
        if command in wish.positional:
            positional.append(value)
        else:
            named += [option] if isinstance(getattr(RunRequest, name), bool) else [option, value]
    return [*named, *(["--", *positional] if positional else [])]


def check_make_variables(command: str, environment: Mapping[str, str]) -> None:
    """A wish that a target would ignore is a mistake.

    Raises:
        UserError: make has been given a variable that another command has and this one has not.
    """
    meant = meant_command(command, {name for name, value in environment.items() if value})
    ignored = [name.upper() for name, wish in wishes().items() if environment.get(name.upper()) and meant not in wish.of]
    if ignored:
        target = command if meant == command else f"{command} P4APP={environment['P4APP']}"
        raise UserError(f"make {target} knows no {' '.join(f'{name}=' for name in ignored)}: {REFUSED[meant]}")


def variables_of_make() -> str:
    """The variables of make with their purposes, a line each."""
    return "\n".join(
        f"  {name.upper() + ('=1' if isinstance(getattr(RunRequest, name), bool) else '='):<18} {wish.help} ({', '.join(wish.of)})"
        for name, wish in wishes().items()
    )


if __name__ == "__main__":
    words = sys.argv[1:]
    end_with(lambda: run_command(lambda: check_make_variables(words[0], os.environ) if words else print(variables_of_make())))
