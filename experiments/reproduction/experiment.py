"""What an experiment has to say about itself, and a paper about its experiments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from experiments.reproduction.cell import Cell, Measurement
from experiments.reproduction.document import Block
from experiments.reproduction.network import RunningNetwork
from experiments.reproduction.results import Results
from topo.network_plan import NetworkPlan


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Args:
        quick: a coarser grid and shorter runs, for a look; all experiments of a paper together take under 10 minutes.
        repetitions: of every cell.
    """

    quick: bool = False
    repetitions: int = 3


@dataclass(frozen=True)
class NetworkSpec:
    """A network that one or more cells need.

    Two cells whose specs have the same ``key`` are measured on the same running network, one after the other; link settings
    can differ between them (``RunningNetwork.set_link``). The bottleneck's rate is better kept in the key: the controller is
    told the ports' capacities when it starts.

    Args:
        key: names the network; equal keys mean equal networks.
        build: makes the plan; its argument is the P4Runtime port of the first switch.
        schemes: congestion controls that will be used on it; those that the kernel lacks are registered while it is up.
        options: further fields of ``TestbedOptions``, e.g. ``{"variant": Variant.lacking("D3")}``.
    """

    key: str
    build: Callable[[int], NetworkPlan] = field(compare=False)
    schemes: tuple[str, ...] = field(default=(), compare=False)
    options: Mapping[str, Any] = field(default_factory=dict, compare=False)


def once_a_scheme(experiment: str, schemes: Iterable[str], effort: Effort, **parameters: Any) -> list[Cell]:
    """The cells of a grid of one point: each scheme once a repetition."""
    schemes = tuple(schemes)
    return [Cell(experiment, scheme, repetition, parameters) for repetition in range(1, effort.repetitions + 1) for scheme in schemes]


class Experiment(ABC):
    """One table of a paper, with the figure that belongs to it."""

    name: ClassVar[str]
    """What ``ONLY=`` calls it, e.g. ``table4``; also a folder."""
    title: ClassVar[str]
    source: ClassVar[str]
    """Where in the paper, e.g. ``section 6.2.2: figure 6 and table 4``."""

    @abstractmethod
    def cells(self, effort: Effort) -> list[Cell]:
        """Everything that is to be measured, in the order in which it makes most sense to a reader of the progress line."""

    @abstractmethod
    def network(self, cell: Cell) -> NetworkSpec:
        """The network a cell is measured on."""

    @abstractmethod
    def duration_s(self, cell: Cell) -> float:
        """About how long measuring it takes, for the time left that is shown; seconds."""

    @abstractmethod
    def measure(self, network: RunningNetwork, cell: Cell, folder: Path) -> Measurement:
        """Measure a cell once. Links are as planned when this is called, whatever an earlier cell did to them.

        Args:
            network: up and idle.
            cell: what to measure.
            folder: empty, for samples; removed afterwards unless samples are to be kept.

        Raises:
            UserError: the hosts could not do it.
        """

    @abstractmethod
    def report(self, results: Results) -> list[Block]:
        """The part of the report, from whatever has been measured so far."""


@dataclass(frozen=True)
class Paper:
    """A paper and its experiments.

    Args:
        name: what ``PAPER=`` calls it.
        title: title and authors.
        experiments: in the order of the paper.
        sections: further parts of the report, made from all results, keyed by experiment name.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    sections: tuple[Callable[[Mapping[str, Results]], list[Block]], ...] = ()
