"""An experiment: a scenario file, its grid, and how much of it is measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from common.errors import UserError
from engine.metrics.measurements import Measurements
from engine.plan.cell import Cell
from engine.plan.queue_programs import with_queues
from engine.plan.random_draws import MACHINE, drawn, with_drawn_starts
from engine.plan.schemes import variant_of, with_schemes, with_variant
from scenario.file import Point, ScenarioFile
from scenario.run_request import RunRequest, Size
from scenario.scenario import Scenario

KERNEL = "kernel"
"""The variable of the grid by which several kernels are told apart."""


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Args:
        size: with the file's ``[quick]`` or ``[full]`` table, or with neither.
        repetitions: of every cell; None: as the file says.
        schemes: instead of the file's, with commas between them.
        seed: instead of the file's, of the first repetition; None: as the file says.
        usual_repetitions: of every cell, where neither ``repetitions`` nor the file says it.
        kernels: each Linux that hosts have; several: every point of the grid with each, as ``kernel``; empty: as the file says.
        virtual: in virtual time, where a cell that draws nothing is measured once; in real time the machine is never the same twice.
    """

    size: Size = Size.NORMAL
    repetitions: int | None = None
    schemes: str = ""
    seed: int | None = None
    usual_repetitions: int = 1
    kernels: tuple[str, ...] = ()
    virtual: bool = True

    @classmethod
    def of(cls, request: RunRequest, *, virtual: bool, usual_repetitions: int = 1) -> Effort:
        """The effort that a request asks for.

        Raises:
            UserError: its wishes contradict one another.
        """
        return cls(
            request.size, request.repetitions or None, request.schemes, request.seed, usual_repetitions, request.hosts_kernels, virtual
        )


@dataclass(frozen=True)
class Experiment:
    """A file read for an effort, and the measurements of its runs."""

    file: ScenarioFile
    effort: Effort
    measurements: Measurements

    @property
    def name(self) -> str:
        """Its name in ``ONLY=`` and in results."""
        return self.file.name

    @cached_property
    def scenarios(self) -> list[tuple[Point, Scenario]]:
        """Each point of the grid with its scenario.

        Raises:
            UserError: several kernels are wanted, and the file's grid has some already.
        """
        found: list[tuple[Point, Scenario]] = [(point, self._chosen(self.file.scenario(point))) for point in self.file.points()]
        kernels = self.effort.kernels
        if not kernels:
            return found
        if any(KERNEL in point for point, _ in found):
            raise UserError(f"{self.file.path}: the grid has kernels of its own", "leave out KERNEL= and KERNELS=")
        told_apart = len(kernels) > 1
        return [
            ({**point, KERNEL: kernel} if told_apart else point, scenario.with_kernel(kernel))
            for kernel in kernels
            for point, scenario in found
        ]

    def _chosen(self, scenario: Scenario) -> Scenario:
        chosen = with_schemes(scenario, self.effort.schemes)
        return chosen if self.effort.seed is None else chosen.with_seed(self.effort.seed)

    @property
    def is_quick(self) -> bool:
        """Whether its runs are those of a quick look."""
        return self.effort.size is Size.QUICK

    @property
    def title(self) -> str:
        """The title of its first scenario."""
        return self.scenarios[0][1].title

    @property
    def source(self) -> str:
        """Where its setting comes from."""
        return self.scenarios[0][1].source

    @property
    def schemes(self) -> list[str]:
        """All schemes that are compared, in the order of the file."""
        return list(dict.fromkeys(scheme for _, scenario in self.scenarios for scheme in scenario.run.schemes))

    def cells(self) -> list[Cell]:
        """Everything to measure: repetition by repetition, point by point, schemes that are compared side by side.

        A cell that draws nothing from its seed is there once.

        Raises:
            UserError: there is no such scheme.
        """
        return list(self._cells)

    @cached_property
    def _cells(self) -> tuple[Cell, ...]:
        @cache
        def of_seed(number: int, repetition: int) -> Scenario:
            scenario = self.scenarios[number][1]
            return with_drawn_starts(scenario.with_seed(scenario.seed + repetition - 1))

        variants = {scheme: variant_of(scheme) for scheme in self.schemes}
        wanted = [
            (number, point, scheme, found, self._repetitions(scenario) if found else 1)
            for number, (point, scenario) in enumerate(self.scenarios)
            for scheme in scenario.run.schemes
            for found in [self._drawn(scenario, scheme)]
        ]
        return tuple(
            Cell(
                self.name,
                scheme,
                repetition,
                point,
                with_queues(with_variant(of_seed(number, repetition), variants[scheme]), scheme),
                found,
            )
            for repetition in range(1, max(repetitions for *_, repetitions in wanted) + 1)
            for number, point, scheme, found, repetitions in wanted
            if repetition <= repetitions
        )

    def _drawn(self, scenario: Scenario, scheme: str) -> tuple[str, ...]:
        return (*drawn(scenario, scheme), *(() if self.effort.virtual else (MACHINE,)))

    def _repetitions(self, scenario: Scenario) -> int:
        if self.effort.repetitions is not None:
            return self.effort.repetitions
        return scenario.run.repetitions if "repetitions" in scenario.run.model_fields_set else self.effort.usual_repetitions
