"""Scenario files: one short TOML file says which network, which transmissions, which schemes.

A scenario file is data only. Rates are Mbit/s, delays milliseconds one way, loss percent, as in the papers;
the suffix of each key says it. Unknown keys and impossible values are refused with the place and the reason.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from protocol.errors import UserError
from protocol.variant import Decision, Variant
from scenario.base import BITS_PER_MEGABIT, LinkParameters, Name, PositiveRate, SchemeName, Strict, refuse_unknown_hosts
from scenario.topologies.graph import Graph

BYTES_PER_MEGABYTE = 1_000_000


class Dumbbell(Strict):
    """``pairs`` senders — s1 — bottleneck — s2 — ``pairs`` receivers (seed 003, figure 4).

    Senders are h1…hN, receivers h(N+1)…h(2N).
    """

    kind: Literal["dumbbell"] = "dumbbell"
    pairs: int = Field(ge=1, le=60)
    access: LinkParameters
    bottleneck: LinkParameters
    more_interfaces: dict[Name, Annotated[int, Field(ge=1, le=7)]] = Field(default={})
    """How many access links a host has besides its first one."""

    @model_validator(mode="after")
    def _interfaces_belong_to_hosts(self) -> Dumbbell:
        refuse_unknown_hosts(self.more_interfaces, self.hosts)
        return self

    @property
    def hosts(self) -> list[str]:
        """Host names in order: all senders, then all receivers."""
        return [f"h{number}" for number in range(1, 2 * self.pairs + 1)]


TOPOLOGY_KINDS = ("dumbbell", "graph")
Topology = Annotated[Dumbbell | Graph, Field(discriminator="kind")]


class Transmission(Strict):
    """One transmission: who sends to whom, and when (seconds after the run's start)."""

    name: Name
    sender: Name
    receiver: Name
    start_s: float = Field(default=0.0, ge=0)
    stop_s: float | None = Field(default=None, gt=0)
    size_bytes: int | None = Field(default=None, gt=0)
    min_rate_mbps: float = Field(default=0.0, ge=0)
    max_rate_mbps: PositiveRate | None = None
    multipath: bool = False
    """With MPTCP, over a subflow from each interface of the sender."""


class Run(Strict):
    """How the transmissions are run and measured."""

    schemes: list[SchemeName] = Field(min_length=1)
    duration_s: float = Field(gt=0, le=3600)
    measure_last_s: float = Field(gt=0)
    repetitions: int = Field(default=1, ge=1, le=100)
    attempts: int = Field(default=3, ge=1, le=10)
    """Runs that the fidelity verdict may reject before the scheme is given up."""

    @field_validator("schemes")
    @classmethod
    def _no_scheme_twice(cls, schemes: list[str]) -> list[str]:
        if len(set(schemes)) != len(schemes):
            raise ValueError("a scheme is named twice")
        return schemes


class Scenario(Strict):
    """A whole scenario file."""

    title: str = Field(min_length=1)
    source: str = ""
    packet_bytes: int = Field(default=1052, ge=128, le=9000)
    """Size of a full data packet at the IP layer, in bytes: the hosts' MTU."""
    initial_window_packets: int = Field(default=10, ge=1, le=100)
    socket_buffer_mb: float = Field(default=10, gt=0, le=1000)
    seed: int = Field(default=1, ge=0, lt=2**31)
    reallocate_on_departure: bool = True
    without: list[Decision] = Field(default=[])
    """Decisions of docs/protocol.md that are left out, to see what they change."""
    published: str | None = Field(default=None, pattern=r"^[a-z_]+/[A-Za-z0-9_.%]+$")
    """Table of published values to show beside, as ``paper/table`` of experiments/published.json."""
    topology: Topology
    transmissions: list[Transmission] = Field(min_length=1)
    run: Run

    @property
    def variant(self) -> Variant:
        """The Nodectl that is run."""
        return Variant.lacking(*self.without, *([] if self.reallocate_on_departure else [Decision.D3]))

    @property
    def measured_together(self) -> list[str]:
        """Names of the transmissions that may still send in the measured last seconds."""
        measured_from_s = self.run.duration_s - self.run.measure_last_s
        return [t.name for t in self.transmissions if (t.stop_s or self.run.duration_s) > measured_from_s]

    @model_validator(mode="after")
    def _transmissions_fit(self) -> Scenario:
        known = set(self.topology.hosts)
        names: set[str] = set()
        for transmission in self.transmissions:
            where = f"transmission {transmission.name!r}"
            if transmission.name in names:
                raise ValueError(f"{where}: the name is used twice")
            names.add(transmission.name)
            for host in (transmission.sender, transmission.receiver):
                if host not in known:
                    raise ValueError(f"{where}: there is no host {host!r}; this topology has {', '.join(sorted(known))}")
            if transmission.sender == transmission.receiver:
                raise ValueError(f"{where}: sender and receiver are the same host")
            if transmission.start_s >= (transmission.stop_s or self.run.duration_s):
                raise ValueError(f"{where}: it starts at {transmission.start_s:g} s but ends before that")
        self._hosts_have_one_part_each()
        if self.run.measure_last_s > self.run.duration_s:
            raise ValueError("run.measure_last_s is longer than run.duration_s")
        return self

    def _hosts_have_one_part_each(self) -> None:
        both = {t.sender for t in self.transmissions} & {t.receiver for t in self.transmissions}
        if both:
            raise ValueError(f"host {min(both)} both sends and receives; only one program a host can have the negotiation port")
        pairs = [(t.sender, t.receiver) for t in self.transmissions]
        for sender, receiver in pairs:
            if pairs.count((sender, receiver)) > 1:
                raise ValueError(f"two transmissions from {sender} to {receiver}: samples tell transmissions apart by their hosts")


__all__ = [
    "BITS_PER_MEGABIT",
    "BYTES_PER_MEGABYTE",
    "Dumbbell",
    "Graph",
    "LinkParameters",
    "Run",
    "Scenario",
    "Transmission",
    "load_scenario",
]


def load_scenario(path: Path) -> Scenario:
    """Read and check a scenario file.

    Raises:
        UserError: the file is missing, not TOML, or says something impossible; the message names file and key.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", "give the path of a scenario file, or a name out of experiments/scenarios/") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: this is not a text file", "a scenario is a TOML file in UTF-8") from None
    try:
        return Scenario.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: not valid TOML: {error}") from None
    except ValidationError as error:
        raise UserError("\n".join(_readable(path, error))) from None


def _readable(path: Path, error: ValidationError) -> list[str]:
    lines = []
    for problem in error.errors():
        # Pydantic puts the kind of topology into the place, which is no key of the file.
        place = [str(part) for position, part in enumerate(problem["loc"]) if not (position == 1 and problem["loc"][0] == "topology")]
        message = re.sub(r"^Value error, ", "", problem["msg"])
        if problem["type"] == "extra_forbidden":
            message = "unknown key"
        elif problem["type"] in ("union_tag_invalid", "union_tag_not_found"):
            place.append("kind")
            message = f"must be one of {', '.join(TOPOLOGY_KINDS)}"
        key = ".".join(place)
        lines.append(f"{path}: {key}: {message}" if key else f"{path}: {message}")
    return lines
