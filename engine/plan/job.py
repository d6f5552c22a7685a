"""A cell as a file, to be measured somewhere else: everything that a run depends on but the programs.

The paths of p4c's output and of BMv2 are those inside, so that it does not matter where both are installed. p4c itself does not run
there, since it would need a C preprocessor and its own headers: its output goes with the job.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from engine.metrics.measurements import Measurements
from engine.plan.cell import Cell
from scenario.data_plane import SwitchProgram
from scenario.file import Scalar
from scenario.run_request import RunRequest
from scenario.scenario import Scenario
from topo.data_plane import DataPlane
from topo.toolchain import Toolchain


def without_data_plane(scenario: Scenario) -> dict[str, Any]:
    """Keys of a scenario that say where a data plane is outside, emptied; switches keep their CPU ports and interfaces.

    Args:
        scenario: of the cell.
    """
    kept = {name: SwitchProgram(cpu_port=own.cpu_port, cpu_interface=own.cpu_interface) for name, own in scenario.switches.items()}
    switches = {name: one for name, one in kept.items() if one != SwitchProgram()}
    return {"p4": None, "switches": switches, "controller": None, "testbed_routes": None, "p4_defines": []}


class CellJob(BaseModel):
    """A cell, its measurements, and the compiler and switch it runs on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    experiment: str
    scheme: str
    repetition: int
    parameters: dict[str, Scalar]
    scenario: Scenario
    drawn: tuple[str, ...] = ()
    measurements: Measurements
    request: RunRequest
    bmv2: Path | None = None
    compiled: Path | None = None
    data_plane: DataPlane = DataPlane()
    watched: bool = False

    @classmethod
    def of(
        cls,
        cell: Cell,
        measurements: Measurements,
        toolchain: Toolchain,
        request: RunRequest,
        data_plane: DataPlane,
        *,
        watched: bool = False,
    ) -> CellJob:
        """The job of measuring a cell, without anything that its samples cannot depend on.

        Left out are the other schemes that it is compared with, and the scenario's title, source and published values.

        Args:
            measurements: of the cell's samples; not how they are shown.
            toolchain, data_plane: where they are inside.
            request: the person's request.
            watched: the outside is told how its files grow.
        """
        run = cell.scenario.run.model_copy(update={"schemes": [cell.scheme]})
        return cls(
            experiment=cell.experiment,
            scheme=cell.scheme,
            repetition=cell.repetition,
            parameters=dict(cell.parameters),
            scenario=cell.scenario.model_copy(
                update={"run": run, "title": cell.experiment, "source": "", "published": None} | without_data_plane(cell.scenario)
            ),
            drawn=cell.drawn,
            measurements=measurements,
            request=request.inside,
            bmv2=toolchain.bmv2,
            compiled=toolchain.compiled,
            data_plane=data_plane,
            watched=watched,
        )

    @property
    def cell(self) -> Cell:
        """The cell again."""
        return Cell(self.experiment, self.scheme, self.repetition, self.parameters, self.scenario, self.drawn)

    @property
    def toolchain(self) -> Toolchain:
        """Compiler and switch again."""
        return Toolchain(bmv2=self.bmv2, compiled=self.compiled)
