"""Compiles a scenario's programs and reads its entries, before a run: from its own words to files that are loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from finsy.proto import p4i
from google.protobuf import text_format

from common.errors import UserError
from common.shown_path import shown
from common.text_files import read_text
from controller.entries.commands import CommandsAsUpdates
from controller.entries.entry import PlacedUpdate
from controller.entries.place import Place
from controller.entries.reading import is_commands, read_commands, read_updates
from controller.entries.replication import clone_session, multicast_group
from controller.entries.written import to_json
from controller.entries.written_commands import commands_to_json
from controller.pipeline import PipelineSchema, takes_routes
from engine.plan.data_plane import DIGITS, PreparedDataPlane
from engine.plan.discipline_entries import discipline_entries
from scenario.data_plane import Contract, OwnController, Port, SwitchProgram
from scenario.scenario import Scenario
from topo.data_plane import ControllerProgram, DataPlane, SwitchPipeline
from topo.layout import plan_network
from topo.network_plan import SwitchPlan
from topo.toolchain import Toolchain

MOST_BYTES = 50_000_000
"""Of the files beside a controller, which go with it."""

LEFT_OUT = ("__pycache__", "node_modules", "logs", "pcaps")
"""Folders beside a controller that it has not been started with."""


def prepare_data_plane(scenario: Scenario, toolchain: Toolchain) -> PreparedDataPlane:
    """Compile the programs, read the entries, collect the files of a controller.

    Args:
        scenario: one point of a grid, with its data plane.
        toolchain: whose compiler.

    Raises:
        UserError: a program is refused, or a file of entries is wrong; the message names file and line.
    """
    if not scenario.has_own_data_plane:
        return PreparedDataPlane(DataPlane())
    plan = plan_network(scenario)
    files: dict[str, bytes] = {}
    switches: dict[str, SwitchPipeline] = {}
    for name, switch in plan.switches.items():
        own = scenario.switches.get(name, SwitchProgram())
        source = own.p4 or scenario.common_p4
        if source is None:
            if own.entries or own.mirror or own.multicast:
                raise UserError(f"switches.{name}: it runs the testbed's own program, whose controller fills its tables", "give it a p4")
            continue
        controls = scenario.controller
        sets_them = controls is not None and controls.contract is not Contract.NONE and controls.sets_pipelines
        if sets_them and (own.entries or own.mirror or own.multicast):
            raise UserError(
                f"switches.{name}: the controller sets the pipelines, which would take away what the testbed has written",
                "controller = { program = …, sets_pipelines = false }, or leave the entries to the controller",
            )
        program, p4info = toolchain.compile((*scenario.nodectl.defines, *scenario.p4_defines), _there(source))
        compiled = _Compiled(source, program, p4info, has_command_line=toolchain.bmv2 is None)
        entries = discipline_entries(switch, compiled.info, shown(source), plan.mtu_bytes, scenario.seed)
        switches[name] = _pipeline(compiled, own, switch, scenario.testbed_routes, files, entries)
    controller = None if scenario.controller is None else _controller(scenario.controller, files)
    return PreparedDataPlane(DataPlane(switches, controller), files)


@dataclass(frozen=True)
class _Compiled:
    source: Path
    program: Path
    p4info: Path
    has_command_line: bool
    """The switch that loads it carries commands out by itself; BMv2 is given P4Runtime updates in their place."""

    @cached_property
    def info(self) -> p4i.P4Info:
        info = p4i.P4Info()
        text_format.Parse(read_text(self.p4info), info)
        return info


def _there(source: Path) -> Path:
    if not source.is_file():
        raise UserError(f"p4: there is no {shown(source)}", "the path of a P4 program is one from the scenario's file")
    return source


def _pipeline(
    compiled: _Compiled,
    own: SwitchProgram,
    switch: SwitchPlan,
    routes: bool | None,
    files: dict[str, bytes],
    more: Iterable[PlacedUpdate],
) -> SwitchPipeline:
    source, program, p4info, info = compiled.source, compiled.program, compiled.p4info, compiled.info
    place = f"{source.stem}-{hashlib.sha256(program.read_bytes()).hexdigest()[:DIGITS]}"
    files[f"{place}/{program.name}"], files[f"{place}/{p4info.name}"] = program.read_bytes(), p4info.read_bytes()
    updates = [update for file in own.entries if not is_commands(file) for update in read_updates(file, info, shown(source))]
    updates += [*_replication(own, switch), *more]
    commands = [command for file in own.entries if is_commands(file) for command in read_commands(file)]
    if not compiled.has_command_line:
        told, commands = CommandsAsUpdates(info, shown(source)).read(commands, may_fail=own.commands_may_fail)
        updates += told
    if commands:
        files[f"{switch.name}/commands.json"] = commands_to_json(commands).encode()
    if updates:
        files[f"{switch.name}/updates.json"] = to_json(updates).encode()
    fits = takes_routes(PipelineSchema(info))
    if routes and not fits:
        raise UserError(
            f"testbed_routes: {shown(source)} has no table ipv4_lpm of the shape that the testbed writes routes into",
            "docs/own-program.md shows one; or leave testbed_routes out, and give entries",
        )
    return SwitchPipeline(
        source=shown(source),
        program=Path(place, program.name),
        p4info=Path(place, p4info.name),
        updates=Path(switch.name, "updates.json") if updates else None,
        commands=Path(switch.name, "commands.json") if commands else None,
        commands_may_fail=own.commands_may_fail,
        routes=fits and not own.entries if routes is None else routes,
    )


def _replication(own: SwitchProgram, switch: SwitchPlan) -> Iterator[PlacedUpdate]:
    place = Place(Path(f"switches.{switch.name}"))
    for group, ports in own.multicast.items():
        yield multicast_group(place, group, [(_number(port, switch), 1) for port in ports])
    for session, port in own.mirror.items():
        yield clone_session(place, session, [(_number(port, switch), 1)])


def _number(port: Port, switch: SwitchPlan) -> int:
    return port if isinstance(port, int) else switch.port_to(port).number


def _controller(own: OwnController, files: dict[str, bytes]) -> ControllerProgram:
    if own.program is None:
        return ControllerProgram(contract=own.contract)
    if not own.program.is_file():
        raise UserError(f"controller: there is no {shown(own.program)}", "the path of a controller is one from the scenario's file")
    beside, taken = own.program.parent, 0
    for file in sorted(one for one in beside.rglob("*") if one.is_file() and not _is_left_out(one.relative_to(beside))):
        taken += file.stat().st_size
        if taken > MOST_BYTES:
            raise UserError(
                f"controller: the files beside {shown(own.program)} come to more than {MOST_BYTES / 1e6:.0f} MB",
                "put the controller, and the files it needs, into a folder of its own",
            )
        files[f"controller/{file.relative_to(beside)}"] = file.read_bytes()
    return ControllerProgram(Path("controller", own.program.name), tuple(own.arguments), own.contract, own.sets_pipelines, own.ready_s)


def _is_left_out(path: Path) -> bool:
    return any(part in LEFT_OUT or part.startswith(".") for part in path.parts)
