"""A whole scenario: network, transmissions, events, and how it is run and measured.

Rates are Mbit/s, delays milliseconds one way, loss percent, as in the papers; the suffix of each key says it. Unknown keys and
impossible values are refused with the place and the reason.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from common.installation import PROJECT
from common.units import BITS_PER_MEGABIT
from protocol.frames import payload_share
from protocol.variant import Decision, Variant, VariantName
from scenario.base import Name, SchemeName, Strict
from scenario.computing import Computing
from scenario.data_plane import OwnController, P4File, SwitchProgram, check_switches
from scenario.disciplines.parsing import NONE, parse_discipline
from scenario.events import Event
from scenario.topologies import Layout, Topology
from scenario.transmissions import FOLDER, FileContent, FileName, Program, Transmission
from scenario.workloads import Workload

SCHEMA = 2
Setting = str | int | float
SettingName = Annotated[
    str, Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_-]+)+$", description="a setting's name with dots, as a text", examples=["net.ipv4.tcp_sack"])
]


class Run(Strict):
    """How the transmissions are run and measured; seconds after the start of the transmissions."""

    schemes: list[SchemeName] = Field(min_length=1)
    """Each runs the whole scenario, one after the other."""
    duration_s: float = Field(gt=0, le=3600)
    """When everything ends; transmissions of a given size may all have ended before."""
    measure_from_s: float = Field(default=0.0, ge=0)
    """Means are taken from here on."""
    measure_to_s: float | None = Field(default=None, gt=0)
    """Means are taken up to here; without, up to the end."""
    repetitions: int = Field(default=1, ge=1, le=100)
    """How often each scheme runs, with seeds that follow one another."""
    start_jitter_ms: Annotated[float, Field(ge=0, le=60_000)] | Literal["rtt"] = 0.0
    """Every transmission of the file starts later by a time drawn from the seed, up to this; "rtt": up to its path's round trip."""
    fair_share_held_s: float = Field(default=5.0, gt=0, le=3600)
    """How long a transmission has to stay within 10 % of its max-min fair share to have it."""
    sample_ms: float = Field(default=10.0, ge=1, le=1000)
    """How often a sender's connection is looked at. Each look takes processor time; rates and losses are counted all the same."""
    attempts: int = Field(default=3, ge=1, le=10)
    """Runs that the fidelity verdict may reject before there is no result."""
    kernel: str = Field(default="", examples=["7.3"])
    """The hosts' Linux, in virtual time: a release, or the path of its sources (docs/kernels.md); empty: the usual one."""

    @field_validator("schemes")
    @classmethod
    def _no_scheme_twice(cls, schemes: list[str]) -> list[str]:
        if len(set(schemes)) != len(schemes):
            raise ValueError("a scheme is named twice")
        return schemes

    @model_validator(mode="after")
    def _window_is_inside(self) -> Run:
        if not self.measure_from_s < self.measured_to_s <= self.duration_s:
            raise ValueError("measure_from_s, measure_to_s and duration_s are not in this order")
        return self

    @property
    def measured_to_s(self) -> float:
        """Where the measuring window ends."""
        return self.measure_to_s or self.duration_s


class Scenario(Strict):
    """A scenario whose expressions have been computed."""

    title: str = Field(min_length=1, examples=["Two transmissions, one of them far away"])
    """Stands above the run's table and picture."""
    source: str = Field(default="", examples=["table 7"])
    """Where the scenario comes from: a paper's table or figure."""
    packet_bytes: int = Field(default=1500, ge=128, le=9000)
    """Size of a full data packet at the IP layer, in bytes: the hosts' MTU."""
    initial_window_packets: int = Field(default=10, ge=1, le=100)
    """Packets that a new connection sends before its first acknowledgement."""
    socket_buffer_mb: float = Field(default=10, gt=0, le=1000)
    """Largest buffer of a host's socket, for sending and for receiving."""
    quick_ack: bool = False
    """Every packet is acknowledged by itself."""
    sysctl: dict[SettingName, Setting] = Field(default={}, examples=[{"net.ipv4.tcp_sack": 0}])
    """Settings of every host's network namespace."""
    sysctl_of: dict[Name, dict[SettingName, Setting]] = Field(default={}, examples=[{"h1": {"net.ipv4.tcp_sack": 0}}])
    """Settings of single hosts, over those of all."""
    kernel_parameters: dict[SettingName, Setting] = Field(default={}, examples=[{"tcp_cubic.hystart": 0}])
    """Parameters of the kernel's modules; the run sets them back at its end."""
    seed: int = Field(default=1, ge=0, lt=2**31)
    """Seed of every random choice in the first repetition; each further repetition has the next one."""
    variant: VariantName = VariantName.PAPER
    """The design of Nodectl that switches, hosts and controller run (docs/protocol.md)."""
    without: list[Decision] = Field(default=[])
    """Decisions (docs/decisions/index.md) that are left out, to see what they change; also as a text with commas."""
    tells_traces: bool = True
    """Whether the controller is told the rates of links' traces, as those of events; else it knows what the links' descriptions say."""
    published: str | None = Field(
        default=None, pattern=r"^([a-z-]+/[A-Za-z0-9_.%]+)?$", description="PAPER/TABLE, as a text", examples=["nodectl/table7"]
    )
    """Table of published values to show beside, ``PAPER/TABLE`` of reports/papers/PAPER/published.toml."""
    computing: Computing = Computing()
    """How long controller and switches take; a key left out is as measured in virtual time, and the machine's own time in real time."""
    topology: Topology
    """The network: switches, hosts, links."""
    p4: P4File | None = None
    """The program that all switches run instead of the testbed's own (docs/own-program.md)."""
    p4_defines: list[str] = Field(default=[], examples=[["DEBUG", "SIZE=16"]])
    """Definitions for the preprocessor of such programs, as with ``-D``."""
    switches: dict[Name, SwitchProgram] = Field(default={}, examples=[{"s1": {"p4": "my.p4"}}])
    """Programs, entries, multicast groups and clone sessions of single switches."""
    controller: OwnController | None = Field(default=None, examples=["my_controller.py"])
    """The controller of the switches, instead of the testbed's."""
    testbed_routes: bool | None = None
    """Whether the testbed writes routes into a table ``ipv4_lpm`` of such programs; left out: into those of switches without entries."""
    transmissions: list[Transmission] = Field(default=[], examples=[[{"name": "A", "sender": "h1", "receiver": "h3"}]])
    """Transmissions from one host to another."""
    workloads: list[Workload] = Field(default=[])
    """Transmissions that arrive by a seeded process."""
    programs: list[Program] = Field(default=[])
    """Ordinary programs instead of transmissions; a negotiating scheme serves them by the host service (docs/host-service.md)."""
    files: dict[FileName, FileContent] = Field(default={})
    """Files for the programs: their content, or their size in bytes."""
    events: list[Event] = Field(default=[], examples=[[{"at_s": 5, "link_down": ["s1", "s2"]}]])
    """Faults and changes during the run."""
    run: Run
    """Schemes, duration, and measurements."""

    @field_validator("without", mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @property
    def nodectl(self) -> Variant:
        """The Nodectl that is run."""
        return Variant.named(self.variant, self.without)

    @cached_property
    def layout(self) -> Layout:
        """Switches, hosts and links of the topology."""
        return self.topology.layout()

    @cached_property
    def disciplines(self) -> list[str]:
        """The disciplines of switches' queues, each once, without DropTail."""
        to_hosts = [end.link.back for end in (*self.layout.hosts, *self.layout.interfaces)]
        trunks = [direction for trunk in self.layout.trunks for direction in (trunk.link.there, trunk.link.back)]
        texts = dict.fromkeys(direction.discipline for direction in (*to_hosts, *trunks))
        return [text for text in texts if text != NONE]

    @cached_property
    def discipline_programs(self) -> dict[Path, str]:
        """P4 programs of the testbed's that switches' queues need, each with the discipline that needs it."""
        programs = {text: program for text in self.disciplines if (program := parse_discipline(text).program) is not None}
        return {PROJECT / "p4src" / program: text for text, program in programs.items()}

    @property
    def queue_defines(self) -> tuple[str, ...]:
        """Compiler options that put the queue discipline of the scenario's links into another program (p4src/queue.p4)."""
        return tuple(f'QUEUE="{program.stem}_queue.p4"' for program in self.discipline_programs)

    @property
    def common_p4(self) -> Path | None:
        """The program of all switches that have none of their own: the scenario's, or that of a discipline; None: the schemes'."""
        return self.p4 or next(iter(self.discipline_programs), None)

    @property
    def has_own_data_plane(self) -> bool:
        """Whether something of switches or controller is not the testbed's."""
        return self.common_p4 is not None or bool(self.switches) or self.controller is not None

    @property
    def has_nothing_to_do(self) -> bool:
        """Whether it is a network alone, for a prompt."""
        return not (self.transmissions or self.workloads or self.programs)

    @property
    def p4_programs(self) -> list[Path]:
        """The P4 programs that it brings, each once."""
        found = [self.common_p4, *(switch.p4 for switch in self.switches.values())]
        return list(dict.fromkeys(program for program in found if program is not None))

    @cached_property
    def all_transmissions(self) -> list[Transmission]:
        """Those of the file and those of the workloads, drawn from the scenario's seed."""
        drawn = [one for workload in self._full_workloads for one in workload.transmissions(self.seed, self.run.duration_s)]
        return [*self.transmissions, *drawn]

    @cached_property
    def loaded_links(self) -> list[tuple[str, str]]:
        """The links that the first workload of which the file says so is to load, in the data's direction."""
        loads = (workload.among(self.topology.hosts).loaded_links(self._access) for workload in self.workloads)
        return next((links for links in loads if links), [])

    @cached_property
    def loading_s(self) -> tuple[float, float]:
        """From when until when the transmissions of that workload arrive, seconds after the start; without such a workload, all the run."""
        full = zip(self.workloads, self._full_workloads, strict=True)
        loading = (one for described, one in full if described.among(self.topology.hosts).loaded_links(self._access))
        return next((one.arriving_s(self.seed, self.run.duration_s) for one in loading), (0.0, self.run.duration_s))

    @property
    def _full_workloads(self) -> list[Workload]:
        """With all hosts where the file names none, and with rates of arrivals where it names loads."""
        full = [workload.among(self.topology.hosts) for workload in self.workloads]
        return [one.at_load(sum(self._payload_bps(*link) for link in one.loaded_links(self._access))) for one in full]

    def with_seed(self, seed: int) -> Scenario:
        """The same with another seed."""
        return Scenario.model_validate(self.model_dump(exclude={"topology"}) | {"topology": self.topology, "seed": seed})

    def with_kernel(self, kernel: str) -> Scenario:
        """The same on hosts with another Linux."""
        return self.model_copy(update={"run": self.run.model_copy(update={"kernel": kernel})})

    def max_rate_bps(self, transmission: Transmission) -> int:
        """The most that a transmission can send, bit/s of the frame: its own limit, else its fastest usable access link's rate."""
        if transmission.max_rate_mbps is not None:
            return round(transmission.max_rate_mbps * BITS_PER_MEGABIT)
        links = [one.link for one in self.layout.hosts if one.host == transmission.sender]
        if transmission.multipath or transmission.other_paths:
            links += [one.link for one in self.layout.interfaces if one.host == transmission.sender]
        return max(link.there.rate_bps for link in links)

    def _access(self, host: str) -> tuple[str, str]:
        """A host's access link, in the direction from it."""
        return next((one.host, one.switch) for one in self.layout.hosts if one.host == host)

    def _payload_bps(self, here: str, there: str) -> float:
        """The payload rate of a direction of a link, bit/s, by its description.

        Raises:
            ValueError: there is no such link.
        """
        directions = {(one.host, one.switch): one.link.there.rate_bps for one in self.layout.hosts}
        directions |= {(one.switch, one.host): one.link.back.rate_bps for one in self.layout.hosts}
        for trunk in self.layout.trunks:
            directions[trunk.first, trunk.second] = trunk.link.there.rate_bps
            directions[trunk.second, trunk.first] = trunk.link.back.rate_bps
        if (here, there) not in directions:
            raise ValueError(f"there is no link {here}–{there}")
        return directions[here, there] * payload_share(self.packet_bytes)

    @model_validator(mode="after")
    def _parts_fit(self) -> Scenario:
        known = set(self.topology.hosts)
        names: set[str] = set()
        self._programs_fit(known)
        for transmission in self.transmissions:
            where = f"transmission {transmission.name!r}"
            if transmission.name in names:
                raise ValueError(f"{where}: the name is used twice")
            names.add(transmission.name)
            _refuse_strangers(where, [transmission.sender, transmission.receiver], known)
            if transmission.other_paths and not any(one.host == transmission.sender for one in self.layout.interfaces):
                raise ValueError(f"{where}: other_paths is for hosts with more_interfaces, and {transmission.sender} has one alone")
            if transmission.start_s >= self.run.duration_s:
                raise ValueError(f"{where}: it starts at {transmission.start_s:g} s but the run ends before that")
            if (transmission.stop_s or 0) > self.run.duration_s:
                raise ValueError(f"{where}: it stops at {transmission.stop_s:g} s but the run ends before that")
        for workload in self.workloads:
            _refuse_strangers(f"workload {workload.name!r}", [*workload.senders, *workload.receivers], known)
            for link in workload.loaded_links(self._access):
                self._payload_bps(*link)
        _refuse_strangers("sysctl_of", self.sysctl_of, known)
        check_switches(self.switches, self.layout.switches, self._neighbours())
        self._events_fit()
        return self

    def _neighbours(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {switch: set() for switch in self.layout.switches}
        for one in [*self.layout.hosts, *self.layout.interfaces]:
            found[one.switch].add(one.host)
        for trunk in self.layout.trunks:
            found[trunk.first].add(trunk.second)
            found[trunk.second].add(trunk.first)
        return found

    def _programs_fit(self, known: set[str]) -> None:
        if self.programs and (self.transmissions or self.workloads or self.events):
            raise ValueError("programs stand alone: no transmissions, workloads or events beside them")
        if self.programs and all(program.listens_on is not None for program in self.programs):
            raise ValueError("all programs are servers: nothing would ever end")
        values = dict.fromkeys(known, "") | {FOLDER: ""}
        names: set[str] = set()
        for program in self.programs:
            _refuse_strangers(f"program {program.name!r}", [program.host], known)
            program.words(1, values)
            if names & set(program.names):
                raise ValueError(f"program {program.name!r}: the name is used twice")
            names |= set(program.names)
            if program.start_s >= self.run.duration_s:
                raise ValueError(f"program {program.name!r}: it starts at {program.start_s:g} s but the run ends before that")

    def _events_fit(self) -> None:
        joined = {frozenset((one.host, one.switch)) for one in self.layout.hosts}
        joined |= {frozenset((trunk.first, trunk.second)) for trunk in self.layout.trunks}
        for event in self.events:
            if event.at_s >= self.run.duration_s:
                raise ValueError(f"event {event} at {event.at_s:g} s: the run ends before that")
            if event.ends and frozenset(event.ends) not in joined:
                raise ValueError(f"event {event} at {event.at_s:g} s: there is no such link")


def _refuse_strangers(where: str, hosts: Any, known: set[str]) -> None:
    for host in hosts:
        if host not in known:
            raise ValueError(f"{where}: there is no host {host!r}; this topology has {', '.join(sorted(known))}")
