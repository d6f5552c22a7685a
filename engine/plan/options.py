"""How cells are measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from rich.console import Console

from engine.execute.attempts import RepetitionTime
from engine.plan.data_plane import DataPlanes
from scenario.run_request import RunRequest
from topo.data_plane import DataPlane
from topo.toolchain import Toolchain, choose


@dataclass(frozen=True)
class RunOptions:
    """How cells are measured.

    Args:
        request: what was asked for; it goes with every cell to its network.
        console: where progress is shown.
        toolchain: whose compiler and switch, as the request wishes.
        virtual: in virtual time, each cell in a kernel of its own; else on this machine's kernel.
        repetition_time: for rejected runs of all cells together; None: no limit.
        data_plane: of all cells, where it is prepared already; None: what each cell's scenario says.
        watched: files of the run can be read while they grow, in virtual time too; in real time they always can.
    """

    request: RunRequest
    console: Console
    toolchain: Toolchain = field(default_factory=Toolchain)
    virtual: bool = False
    repetition_time: RepetitionTime = field(default_factory=RepetitionTime)
    data_plane: DataPlane | None = None
    watched: bool = False

    @cached_property
    def data_planes(self) -> DataPlanes:
        """What cells' scenarios say of switches and controllers, prepared."""
        return DataPlanes(self.toolchain)

    @classmethod
    def of(cls, request: RunRequest, console: Console, *, virtual: bool) -> RunOptions:
        """What a request says of it.

        Raises:
            UserError: a toolchain is wished for that is not there.
        """
        return cls(request, console, choose(request.switch, request.compiler), virtual)
