"""How cells are measured."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console

from experiments.run.attempts import RepetitionTime
from experiments.run.programs import Programs
from scenario.run_request import RunRequest
from topo.toolchain import Toolchain, choose


@dataclass(frozen=True)
class RunOptions:
    """How cells are measured.

    Args:
        toolchain: whose compiler and switch.
        grpc_base_port: P4Runtime port of the first switch; the others follow.
        console: where progress is shown.
        keep_samples: leave the raw samples of every cell.
        repetition_time: for rejected runs of all cells together; None: no limit.
        virtual: in virtual time, each cell in a kernel of its own; else on this machine's kernel.
        cluster: address of a Ray cluster to measure on, or "auto", in virtual time only; empty: none.
        programs: what is run instead of the testbed's own data plane and controller.
        capture: ends of links whose frames are recorded, with the logs (topo/frame_capture.py).
        watched: files of the run can be read while they grow, in virtual time too; in real time they always can.
        trace: which packets the switches trace (docs/toolchain/debug.md); empty: none.
    """

    toolchain: Toolchain
    grpc_base_port: int
    console: Console
    keep_samples: bool = False
    repetition_time: RepetitionTime = field(default_factory=RepetitionTime)
    virtual: bool = False
    cluster: str = ""
    programs: Programs = Programs()
    capture: tuple[str, ...] = ()
    watched: bool = False
    trace: str = ""

    @classmethod
    def of(cls, request: RunRequest, console: Console, *, virtual: bool) -> RunOptions:
        """What a request says of it.

        Raises:
            UserError: a toolchain is wished for that is not there.
        """
        return cls(
            choose(request.switch, request.compiler),
            request.grpc_base_port,
            console,
            request.keep_samples,
            virtual=virtual,
            cluster=request.cluster,
        )
