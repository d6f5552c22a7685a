"""The programs of a network's switches, and their controller, ready to be loaded: files of compiled programs and of entries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from scenario.data_plane import Contract


@dataclass(frozen=True)
class SwitchPipeline:
    """The program and entries of one switch.

    Args:
        source: the P4 program, for people.
        program: the compiled program, BMv2 JSON.
        p4info: its P4Info, protobuf text.
        updates: those that are written into it (controller/entries/written.py); None: none.
        commands: of ``simple_switch_CLI`` (controller/entries/written.py); None: none.
        commands_may_fail: one that the switch refuses is shown, and the others are carried out.
        routes: whether the testbed writes routes into its table ``ipv4_lpm``.
    """

    source: str
    program: Path
    p4info: Path
    updates: Path | None = None
    commands: Path | None = None
    commands_may_fail: bool = False
    routes: bool = True

    def below(self, folder: Path) -> SwitchPipeline:
        """The same with its files below a folder."""
        updates = None if self.updates is None else folder / self.updates
        commands = None if self.commands is None else folder / self.commands
        return replace(self, program=folder / self.program, p4info=folder / self.p4info, updates=updates, commands=commands)


@dataclass(frozen=True)
class ControllerProgram:
    """A controller in the testbed's place (scenario/data_plane.py, ``OwnController``)."""

    program: Path | None = None
    arguments: tuple[str, ...] = ()
    contract: Contract = Contract.P4RUNTIME
    sets_pipelines: bool = True
    ready_s: float = 30.0


@dataclass(frozen=True)
class DataPlane:
    """The programs of all switches, and their controller.

    Args:
        switches: by name; one that is not there runs the testbed's program.
        controller: None: the testbed's.
    """

    switches: dict[str, SwitchPipeline] = field(default_factory=dict)
    controller: ControllerProgram | None = None

    def below(self, folder: Path) -> DataPlane:
        """The same with all files below a folder."""
        controller = self.controller
        if controller is not None and controller.program is not None:
            controller = replace(controller, program=folder / controller.program)
        return DataPlane({name: one.below(folder) for name, one in self.switches.items()}, controller)


TESTBEDS = DataPlane()
"""The testbed's own program and controller."""
