"""From an exercise's folder to a scenario for a prompt: its topology, its programs, the entries of each switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from common.errors import UserError
from common.shown_path import shown
from scenario.data_plane import Contract
from testbed.tutorial.addresses import HostAddress
from testbed.tutorial.json_file import as_object, read_json
from testbed.tutorial.makefile import defines, variables
from testbed.tutorial.p4app import describes_network, earlier_topology, read_p4app
from testbed.tutorial.p4utils_topology import cpu_interface

TOPOLOGY = "topology.json"
P4APP = "p4app.json"
SOLUTION = "solution"
DURATION_S = 60
"""Of a scenario, which a prompt does not look at."""


@dataclass(frozen=True)
class Exercise:
    """An exercise that has been read.

    Args:
        folder: of the exercise.
        title: its name.
        topology: the file that describes its network.
        content: the keys of a scenario file.
        defines: preprocessor names for its programs.
        programs: every P4 program beside it, by its name without suffix.
        first: lines of the prompt before a user's.
        notes: lines for people about omitted parts of its description.
    """

    folder: Path
    title: str
    topology: Path
    content: Mapping[str, Any]
    defines: tuple[str, ...]
    programs: Mapping[str, Path]
    first: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    addresses: Mapping[str, HostAddress] | None = None
    """Of hosts, in an exercise of p4-utils."""


def read_exercise(folder: Path, *, solution: bool = False) -> Exercise:
    """Read an exercise in p4lang's layout, or in that of p4-utils.

    Args:
        folder: with the P4 program, ``topology.json`` (or the file that the Makefile's TOPO names) and the switches' runtime JSON; or with
            ``p4app.json``; or such a file, where it has another name.
        solution: programs of its folder ``solution`` take the place of those beside it.

    Raises:
        UserError: there is no such folder, no topology in it, or a file of another shape; the message names it.
    """
    if folder.is_file():
        return _of_p4app(folder.resolve(), solution=solution)
    if not folder.is_dir():
        raise UserError(f"there is no folder {shown(folder)}", "an exercise is a folder with topology.json and a P4 program")
    folder = folder.resolve()
    known = variables(folder)
    topology = _topology_file(folder, known)
    if topology.name == P4APP:
        return _of_p4app(topology, solution=solution)
    described = as_object(topology, read_json(topology))
    programs = _programs(folder, solution=solution)
    usual = _usual_program(folder, known, programs)
    switches = as_object(topology, described.get("switches", {}), "switches")
    own = {name: _switch(folder, topology, str(name), one, programs, usual) for name, one in switches.items()}
    content = _content(folder.name, _topology(topology, described, list(switches)), own)
    return Exercise(folder, folder.name, topology, content, defines(known.get("P4C_ARGS", "")), programs)


def _topology(file: Path, described: Mapping[str, Any], switches: list[str]) -> dict[str, Any]:
    hosts = described.get("hosts", {})
    if isinstance(hosts, list):
        return earlier_topology(file, described)
    machines = {name: _host(file, name, one) for name, one in as_object(file, hosts, "hosts").items()}
    return {"kind": "p4lang", "machines": machines, "switches": switches, "links": described.get("links", [])}


def _of_p4app(file: Path, *, solution: bool) -> Exercise:
    folder = file.parent
    app = read_p4app(file, as_object(file, read_json(file)))
    programs = _programs(folder, solution=solution)
    usual = None if app.program is None else _program_of(file, app.program, programs)
    own = {}
    for name, keys in app.switches.items():
        named = keys.get("p4_src", keys.get("program"))
        program = usual if named is None else _program_of(file, str(named), programs)
        if program is not None:
            own[name] = {"p4": str(program), "entries": _commands_of(file, folder, name, keys)}
        if app.addresses is not None and keys.get("cpu_port") is True:
            own.setdefault(name, {})["cpu_interface"] = cpu_interface(name)
    first = tuple(f"sh {command}" for command in app.scripts)
    return Exercise(folder, folder.name, file, _content(folder.name, app.topology, own), (), programs, first, app.notes, app.addresses)


def _programs(folder: Path, *, solution: bool) -> dict[str, Path]:
    programs = {file.stem: file for file in sorted(folder.rglob("*.p4")) if SOLUTION not in file.relative_to(folder).parts[:-1]}
    if not solution:
        return programs
    if not (folder / SOLUTION).is_dir():
        raise UserError(f"{shown(folder)} has no folder {SOLUTION}")
    return programs | {file.stem: file for file in sorted((folder / SOLUTION).rglob("*.p4"))}


def _content(title: str, topology: Mapping[str, Any], switches: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "title": title,
        "topology": dict(topology),
        # A command that a switch refuses is shown and passed over, as by tools that send commands to simple_switch_CLI.
        "switches": {name: {**keys, "commands_may_fail": True} for name, keys in switches.items() if keys},
        "controller": {"contract": str(Contract.NONE)},
        "testbed_routes": False,
        "run": {"schemes": ["cubic"], "duration_s": DURATION_S},
    }


def _topology_file(folder: Path, known: Mapping[str, str]) -> Path:
    named = known.get("TOPO", "")
    app = folder / P4APP
    others = [folder / TOPOLOGY, *sorted(folder.glob(f"*/{TOPOLOGY}"))]
    if app.is_file() and (describes_network(as_object(app, read_json(app))) or not any(file.is_file() for file in others)):
        return app
    for file in [folder / named] if named else others:
        if file.is_file():
            return file
    raise UserError(f"{shown(folder)}: there is no {named or TOPOLOGY}", "the Makefile's TOPO names another one")


def _usual_program(folder: Path, known: Mapping[str, str], programs: Mapping[str, Path]) -> Path | None:
    """The program of a switch whose entries name none; None: it has none, since a controller brings it."""
    if known.get("NO_P4", "").lower() == "true":
        return None
    named = known.get("DEFAULT_PROG", "")
    if named:
        stem = PurePath(named).stem
        if stem not in programs:
            raise UserError(f"{shown(folder)}: there is no {named}, which the Makefile's DEFAULT_PROG names")
        return programs[stem]
    # p4lang's Makefile compiles the programs beside it; a folder below has included files, as a rule.
    return next((file for file in programs.values() if file.parent == folder), next(iter(programs.values()), None))


def _switch(folder: Path, topology: Path, name: str, one: Any, programs: Mapping[str, Path], usual: Path | None) -> dict[str, Any]:
    keys = as_object(topology, one, f"switches.{name}")
    entries = []
    program = usual
    if "program" in keys:
        program = _program_of(topology, str(keys["program"]), programs)
    if "runtime_json" in keys:
        file = folder / str(keys["runtime_json"])
        entries.append(str(file))
        compiled = as_object(file, read_json(file)).get("bmv2_json")
        if compiled is not None:
            program = _program_of(file, str(compiled), programs)
    entries += _commands_of(topology, folder, name, keys)
    cpu_port = keys.get("cpu_port")
    told = {"cpu_port": cpu_port} if isinstance(cpu_port, int) and not isinstance(cpu_port, bool) else {}
    return told | ({"p4": str(program), "entries": entries} if program is not None else {})


def _commands_of(where: Path, folder: Path, name: str, keys: Mapping[str, Any]) -> list[str]:
    if not keys.get("cli_input"):
        return []
    file = folder / str(keys["cli_input"])
    if not file.is_file():
        raise UserError(f"{shown(where)}: switches.{name}.cli_input: there is no {shown(file)}")
    return [str(file)]


def _program_of(where: Path, named: str, programs: Mapping[str, Path]) -> Path:
    """``build/basic.json`` is compiled of ``basic.p4``."""
    stem = PurePath(named).stem
    if stem not in programs:
        raise UserError(f"{shown(where)}: it names {named}, and there is no {stem}.p4", f"there are: {', '.join(programs) or 'none'}")
    return programs[stem]


def _host(topology: Path, name: str, one: Any) -> dict[str, Any]:
    keys = as_object(topology, one, f"hosts.{name}")
    told = {key: keys[key] for key in ("ip", "mac", "commands") if key in keys}
    interface = f"{name}-eth0"  # p4lang renames it to eth0, other projects do not: the commands know
    return told | ({"interface": interface} if any(interface in str(command) for command in keys.get("commands") or []) else {})
