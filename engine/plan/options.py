"""Options of a run, for all its cells: request, switch, time, limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from rich.console import Console

from engine.plan.data_plane import DataPlanes
from engine.plan.repetition_time import RepetitionTime
from scenario.run_request import RunRequest
from topo.data_plane import DataPlane
from topo.toolchain import Toolchain, choose


@dataclass(frozen=True)
class RunOptions:
    """The options of a run, the same for all its cells.

    Args:
        request: the person's request, whole; it goes with every cell to its network.
        console: shows progress and remarks; a quiet one shows nothing.
        toolchain: compiler and switch: the embedded ones by default, BMv2 or p4c if the request wishes.
        virtual: True: each cell in a user-mode kernel of its own. False: on the kernel that this process runs on, which needs root.
        repetition_time: real seconds that are left for repeating rejected runs, over all cells together; by default without limit.
        data_plane: of all cells, where it is prepared already; None: each cell has that of its scenario.
        watched: True: in virtual time too, the files of a run can be read while they grow, at some cost. In real time they always can.
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
        """Prepared data planes of the cells' scenarios."""
        return DataPlanes(self.toolchain)

    @classmethod
    def of(cls, request: RunRequest, console: Console, *, virtual: bool) -> RunOptions:
        """The options that a request asks for.

        Args:
            request: names switch and compiler.
            console: for progress and remarks.
            virtual: as above; the request's own wish is not looked at.

        Raises:
            UserError: a toolchain is wished for that is not there.
        """
        return cls(request, console, choose(request.switch, request.compiler), virtual)
