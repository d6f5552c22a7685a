"""How cells are measured."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console

from engine.execute.attempts import RepetitionTime
from engine.plan.programs import Programs
from scenario.run_request import RunRequest
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
        programs: what is run instead of the testbed's own data plane and controller.
        watched: files of the run can be read while they grow, in virtual time too; in real time they always can.
    """

    request: RunRequest
    console: Console
    toolchain: Toolchain = field(default_factory=Toolchain)
    virtual: bool = False
    repetition_time: RepetitionTime = field(default_factory=RepetitionTime)
    programs: Programs = Programs()
    watched: bool = False

    @classmethod
    def of(cls, request: RunRequest, console: Console, *, virtual: bool) -> RunOptions:
        """What a request says of it.

        Raises:
            UserError: a toolchain is wished for that is not there.
        """
        return cls(request, console, choose(request.switch, request.compiler), virtual)
