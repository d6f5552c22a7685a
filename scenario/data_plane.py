"""P4 programs, entries and a controller for a scenario's switches, where they are not the testbed's own."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from scenario.base import Name, Strict

P4File = Annotated[Path, Field(description="the path of a P4 program, from the scenario's file, as a text", examples=["my.p4"])]
EntryFile = Annotated[
    Path,
    Field(
        description="the path of a file of table entries, from the scenario's file, as a text (.toml, .json, .txtpb or .txt)",
        examples=["s1.toml"],
    ),
]
PythonFile = Annotated[
    Path, Field(description="the path of a Python program, from the scenario's file, as a text", examples=["my_controller.py"])
]
Port = Annotated[int, Field(ge=0, lt=512)] | Name
"""A port by its number, or by the neighbour that it leads to."""


class Contract(StrEnum):
    """How the testbed works together with a controller that is not its own."""

    P4RUNTIME = "p4runtime"
    """It is any P4Runtime client; the run begins when all switches have a pipeline."""
    NONE = "none"
    """There is none: the testbed writes programs and entries where the scenario has them, and leaves the switches to themselves."""
    TESTBED = "testbed"
    """It takes the options of ``python -m controller``, and reports in the same way that it is ready."""


class SwitchProgram(Strict):
    """The data plane of one switch."""

    p4: P4File | None = None
    """The switch's own program, instead of the one that all switches run."""
    entries: list[EntryFile] = Field(default=[])
    """Files of entries, in the order of writing: as TOML, p4lang's runtime JSON, P4Runtime text, or `simple_switch_CLI` commands."""
    commands_may_fail: bool = False
    """A command that the switch refuses is shown, and those behind it are carried out, as `simple_switch_CLI` does it."""
    multicast: dict[int, list[Port]] = Field(default={}, examples=[{"1": ["h1", "h2"]}])
    """Ports of each multicast group."""
    mirror: dict[int, Port] = Field(default={}, examples=[{"100": "h2"}])
    """The port of each clone session."""
    cpu_port: Annotated[int, Field(ge=1, lt=512)] | None = None
    """The controller gets the program's packets to this port as packet-ins; 510, as a rule."""
    cpu_interface: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,15}$")] | None = None
    """An interface beside the network that leads to one more port of the switch, behind the last one: for controllers that listen there."""

    @field_validator("entries", mode="before")
    @classmethod
    def _one_file(cls, value: Any) -> Any:
        return [value] if isinstance(value, str | Path) else value


class OwnController(Strict):
    """A controller in the testbed's place. In a file, its bare path will do."""

    program: PythonFile | None = None
    """The controller, a Python program."""
    arguments: list[str] = Field(default=[], examples=[["--p4info", "{p4info.s1}"]])
    """``{p4info.s1}``, ``{pipeline.s1}``, ``{address.s1}``, ``{device_id.s1}`` and ``{network}`` are replaced."""
    contract: Contract = Contract.P4RUNTIME
    """How testbed and controller work together."""
    sets_pipelines: bool = True
    """Whether it sets the pipelines; else the testbed does it, entries included, before this one starts."""
    ready_s: float = Field(default=30.0, gt=0, le=600)
    """How long it may take until all switches have their pipelines."""

    @model_validator(mode="before")
    @classmethod
    def _from_path(cls, value: Any) -> Any:
        return {"program": value} if isinstance(value, str | Path) else value

    @model_validator(mode="after")
    def _has_a_program(self) -> OwnController:
        if (self.program is None) != (self.contract is Contract.NONE):
            raise ValueError('a controller has a `program`, unless its contract is "none"')
        return self


def check_switches(switches: dict[str, SwitchProgram], known: Iterable[str], neighbours: dict[str, set[str]]) -> None:
    """Every switch and neighbour that a data plane names is there.

    Args:
        switches: by name.
        known: the topology's switches.
        neighbours: of each switch.

    Raises:
        ValueError: one is not.
    """
    names = list(known)
    for name, switch in switches.items():
        if name not in names:
            raise ValueError(f"switches: there is no switch {name!r}; this topology has {', '.join(names)}")
        ports = [("mirror", port) for port in switch.mirror.values()]
        ports += [("multicast", port) for group in switch.multicast.values() for port in group]
        for key, port in ports:
            if isinstance(port, str) and port not in neighbours[name]:
                raise ValueError(f"switches.{name}.{key}: {name} has no neighbour {port!r}; it has {', '.join(sorted(neighbours[name]))}")


def with_paths(content: dict[str, Any], folder: Path) -> None:
    """Make the paths of a scenario file's data plane absolute, in place.

    Args:
        content: the file's keys; a path that is no text stays, and is refused later.
        folder: where relative paths begin.
    """

    def placed(value: Any) -> Any:
        is_path = isinstance(value, str) and value and not value.startswith("=")
        return str((folder / value).resolve()) if is_path else value

    if "p4" in content:
        content["p4"] = placed(content["p4"])
    controller = content.get("controller")
    if isinstance(controller, dict) and "program" in controller:
        content["controller"] = controller | {"program": placed(controller["program"])}
    elif isinstance(controller, str):
        content["controller"] = placed(controller)
    switches = content.get("switches")
    if isinstance(switches, dict):
        content["switches"] = {name: _placed_switch(one, placed) if isinstance(one, dict) else one for name, one in switches.items()}


def _placed_switch(switch: dict[str, Any], placed: Any) -> dict[str, Any]:
    entries = switch.get("entries")
    listed = [placed(one) for one in entries] if isinstance(entries, list) else placed(entries)
    return switch | ({"p4": placed(switch["p4"])} if "p4" in switch else {}) | ({"entries": listed} if "entries" in switch else {})
