"""Data planes that are compiled and checked, and their files. Preparing them takes P4Runtime's modules, and most runs do not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from common.shown_path import shown
from common.write_errors import cannot_write
from scenario.scenario import Scenario
from topo.data_plane import DataPlane, SwitchPipeline
from topo.toolchain import Toolchain

FOLDER = "data-plane"
"""Where the files are, in a run's folder and among those of a job."""

DIGITS = 12
PROGRAM_SUFFIX = ".json"


@dataclass(frozen=True)
class PreparedDataPlane:
    """A data plane and its files; places in it are relative to a folder for them."""

    plane: DataPlane
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """A checksum of all that it consists of; empty: it is the testbed's own."""
        if self.plane == DataPlane():
            return ""
        hashed = hashlib.sha256(repr(self.plane).encode())
        for name, content in sorted(self.files.items()):
            hashed.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
        return hashed.hexdigest()[:DIGITS]

    def with_program(self, source: Path, compiled: Mapping[str, bytes], switches: Iterable[str]) -> PreparedDataPlane:
        """With a program that a scheme brings on all switches that have none of the scenario's.

        Args:
            source: the P4 program.
            compiled: BMv2 JSON and P4Info, by their places.
            switches: of the network.
        """
        places = {Path(name).suffix: Path(name) for name in compiled}
        pipeline = SwitchPipeline(shown(source), places[PROGRAM_SUFFIX], next(one for end, one in places.items() if end != PROGRAM_SUFFIX))
        plane = replace(self.plane, switches=dict.fromkeys(switches, pipeline) | self.plane.switches)
        return PreparedDataPlane(plane, {**self.files, **compiled})

    def written_to(self, folder: Path) -> DataPlane:
        """Write the files; the data plane with its places there.

        Raises:
            UserError: they cannot be written.
        """
        try:
            for name, content in self.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
        except OSError as error:
            raise cannot_write(error) from None
        return self.plane.below(folder)


class DataPlanes:
    """Prepared data planes of one series of runs: cells often have the same one.

    Args:
        toolchain: whose compiler.
    """

    def __init__(self, toolchain: Toolchain) -> None:
        self._toolchain = toolchain
        self._lock = Lock()
        self._prepared: dict[str, PreparedDataPlane] = {}

    def of(self, scenario: Scenario) -> PreparedDataPlane:
        """See :func:`engine.plan.prepare_data_plane.prepare_data_plane`."""
        if not scenario.has_own_data_plane:
            return PreparedDataPlane(DataPlane())
        from engine.plan.prepare_data_plane import prepare_data_plane  # imports P4Runtime's modules, which few runs need here

        described = {"p4", "switches", "controller", "testbed_routes", "topology", "variant", "without", "p4_defines"}
        key = scenario.model_dump_json(include=described | ({"seed"} if scenario.discipline_programs else set()))
        with self._lock:
            if key not in self._prepared:
                self._prepared[key] = prepare_data_plane(scenario, self._toolchain)
            return self._prepared[key]
