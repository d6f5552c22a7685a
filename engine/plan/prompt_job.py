"""A prompt as a file, to be opened in a kernel of its own: the network, and the data plane of its switches."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from engine.plan.job import without_data_plane
from scenario.run_request import RunRequest
from scenario.scenario import Scenario
from topo.data_plane import DataPlane
from topo.toolchain import Toolchain


class PromptJob(BaseModel):
    """Of a scenario."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scenario: Scenario
    request: RunRequest
    data_plane: DataPlane
    bmv2: Path | None = None
    folder: Path | None = None
    """Where hosts' commands begin; None: where the testbed is."""
    watched: bool = False
    command_s: float | None = None
    """How long a host's command may take by the clock inside, before it is ended as by Ctrl-C; None: somebody is there for that."""

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        toolchain: Toolchain,
        request: RunRequest,
        data_plane: DataPlane,
        folder: Path | None,
        *,
        watched: bool,
        command_s: float | None,
    ) -> PromptJob:
        """The job of opening a prompt.

        Args:
            scenario: its network.
            toolchain, data_plane, folder: where they are inside.
            request: the person's request.
            watched: the outside is told how its files grow.
            command_s: how long a host's command may take.
        """
        inside = scenario.model_copy(update=without_data_plane(scenario))
        return cls(
            scenario=inside,
            request=request.inside,
            data_plane=data_plane,
            bmv2=toolchain.bmv2,
            folder=folder,
            watched=watched,
            command_s=command_s,
        )
