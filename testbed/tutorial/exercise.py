"""From an exercise's folder to a scenario for a prompt: its topology, its programs, the entries of each switch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from common.errors import UserError
from common.shown_path import shown
from scenario.data_plane import Contract
from testbed.tutorial.makefile import defines, variables

TOPOLOGY = "topology.json"
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
        defines: what its programs are compiled with.
        programs: every P4 program beside it, by its name without suffix.
    """

    folder: Path
    title: str
    topology: Path
    content: Mapping[str, Any]
    defines: tuple[str, ...]
    programs: Mapping[str, Path]


def read_exercise(folder: Path, *, solution: bool = False) -> Exercise:
    """Read an exercise in p4lang's layout.

    Args:
        folder: with the P4 program, ``topology.json`` (or what the Makefile's TOPO names) and the switches' runtime JSON.
        solution: programs of its folder ``solution`` take the place of those beside it.

    Raises:
        UserError: there is no such folder, no topology in it, or a file of another shape; the message names it.
    """
    if not folder.is_dir():
        raise UserError(f"there is no folder {shown(folder)}", "an exercise is a folder with topology.json and a P4 program")
    folder = folder.resolve()
    known = variables(folder)
    topology = _topology_file(folder, known)
    described = _object(topology, _json(topology))
    programs = {file.stem: file for file in sorted(folder.glob("*.p4"))}
    if solution:
        solved = {file.stem: file for file in sorted((folder / SOLUTION).glob("*.p4"))}
        if not solved and not any((folder / SOLUTION).glob("*")):
            raise UserError(f"{shown(folder)} has no folder {SOLUTION}")
        programs |= solved
    usual = _usual_program(folder, known, programs)
    switches = _object(topology, described.get("switches", {}), "switches")
    own = {name: _switch(folder, topology, str(name), one, programs, usual) for name, one in switches.items()}
    content: dict[str, Any] = {
        "title": folder.name,
        "topology": {
            "kind": "p4lang",
            "machines": {name: _host(topology, name, one) for name, one in _object(topology, described.get("hosts", {}), "hosts").items()},
            "switches": list(switches),
            "links": described.get("links", []),
        },
        "switches": {name: keys for name, keys in own.items() if keys},
        "controller": {"contract": str(Contract.NONE)},
        "testbed_routes": False,
        "run": {"schemes": ["cubic"], "duration_s": DURATION_S},
    }
    return Exercise(folder, folder.name, topology, content, defines(known.get("P4C_ARGS", "")), programs)


def _topology_file(folder: Path, known: Mapping[str, str]) -> Path:
    named = known.get("TOPO", "")
    found = [folder / named] if named else [folder / TOPOLOGY, *sorted(folder.glob(f"*/{TOPOLOGY}"))]
    for file in found:
        if file.is_file():
            return file
    raise UserError(f"{shown(folder)}: there is no {named or TOPOLOGY}", "the Makefile's TOPO names another one")


def _usual_program(folder: Path, known: Mapping[str, str], programs: Mapping[str, Path]) -> Path | None:
    """What a switch runs whose entries name none; None: no program, which a controller brings."""
    if known.get("NO_P4", "").lower() == "true":
        return None
    named = known.get("DEFAULT_PROG", "")
    if named:
        stem = PurePath(named).stem
        if stem not in programs:
            raise UserError(f"{shown(folder)}: there is no {named}, which the Makefile's DEFAULT_PROG names")
        return programs[stem]
    return next(iter(programs.values()), None)


def _switch(folder: Path, topology: Path, name: str, one: Any, programs: Mapping[str, Path], usual: Path | None) -> dict[str, Any]:
    keys = _object(topology, one, f"switches.{name}")
    entries = []
    program = usual
    if "program" in keys:
        program = _program_of(topology, str(keys["program"]), programs)
    if "runtime_json" in keys:
        file = folder / str(keys["runtime_json"])
        entries.append(str(file))
        compiled = _object(file, _json(file)).get("bmv2_json")
        if compiled is not None:
            program = _program_of(file, str(compiled), programs)
    if "cli_input" in keys:
        file = folder / str(keys["cli_input"])
        if not file.is_file():
            raise UserError(f"{shown(topology)}: switches.{name}.cli_input: there is no {shown(file)}")
        entries.append(str(file))
    return {"p4": str(program), "entries": entries} if program is not None else {}


def _program_of(where: Path, named: str, programs: Mapping[str, Path]) -> Path:
    """``build/basic.json`` is compiled of ``basic.p4``."""
    stem = PurePath(named).stem
    if stem not in programs:
        raise UserError(f"{shown(where)}: it names {named}, and there is no {stem}.p4", f"there are: {', '.join(programs) or 'none'}")
    return programs[stem]


def _host(topology: Path, name: str, one: Any) -> dict[str, Any]:
    keys = _object(topology, one, f"hosts.{name}")
    return {key: keys[key] for key in ("ip", "mac", "commands") if key in keys}


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{shown(file)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{shown(file)}: this is not a text file") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{shown(file)}:{error.lineno}: not valid JSON: {error.msg}") from None


def _object(file: Path, value: Any, key: str = "") -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{shown(file)}: {key or 'the file'} is an object of names and values, not {type(value).__name__}")
    return value
