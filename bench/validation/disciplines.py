"""Queue disciplines in P4 beside those of Linux: the same TCP through a P4 switch, and through a host that routes (docs/disciplines.md).

Seeds draw when connections start, how late each packet leaves its host, and the random numbers of disciplines.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from statistics import fmean, quantiles
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console

from bench.tools import PROJECT
from bench.validation import engine
from common.units import BITS_PER_BYTE, BITS_PER_MEGABIT, MS_PER_S, NS_PER_S
from common.whole_files import write_whole
from engine.collect.record import CellRecord
from protocol.frames import ETHERNET_HEADER_BYTES
from reports.claims.intervals import difference_unpaired

RATE_MBPS = 10
PACKET_BYTES = 1500
FRAME_BYTES = PACKET_BYTES + ETHERNET_HEADER_BYTES
SECONDS = 60.0
"""How long connections send."""

MEASURED_FROM_S = 20.0
SAMPLE_MS = 10
JITTER_US = 20
"""Most extra delay of a packet of a host, so that repetitions differ as those of real hosts do."""

LIMIT_PACKETS = 1000
RTTS_MS = (20, 50, 100)
CONNECTIONS = (1, 10, 50)
COUPLED_RATE_MBPS = 40
COUPLED_RTTS_MS = (10, 25, 100)
COUPLED_CONNECTIONS = (2, 10, 50)
PROGRAMS = PROJECT / "bench" / "validation" / "host_router"
BOTTLENECK = ("s1", "3", "egress")


def packet_ms(rate_mbps: float) -> float:
    """The time that a link needs for a packet, ms.

    Linux's shaper sends the first packet of a burst at once, and takes the next one from the discipline. So packets leave a discipline,
    and arrive, earlier by this time.
    """
    return FRAME_BYTES * BITS_PER_BYTE / (rate_mbps * BITS_PER_MEGABIT) * MS_PER_S


class Pair(NamedTuple):
    """A discipline's text in a scenario, and its words for Linux's ``tc``."""

    in_p4: str
    of_linux: str


def _dualpi2(threshold_us: int = 1000, marks: str = "even") -> Pair:
    thresholds = f"min_threshold_us={threshold_us}, max_threshold_us={threshold_us}"
    return Pair(f"dualpi2(scheduler='round_robin', {thresholds}, marks='{marks}')", "dualpi2")


PAIRS: Mapping[str, Pair] = {
    "codel": Pair(
        "codel(target_ms=5, interval_ms=100)",
        f"codel limit {LIMIT_PACKETS} target {5 - packet_ms(RATE_MBPS):.3f}ms interval 100ms noecn",
    ),
    "fq_codel": Pair(
        "fq_codel",
        f"fq_codel limit {LIMIT_PACKETS} target {5 - packet_ms(RATE_MBPS):.3f}ms interval 100ms quantum {FRAME_BYTES} noecn",
    ),
    "pie": Pair("pie(tick_ms=20)", f"pie limit {LIMIT_PACKETS} target {15 - packet_ms(RATE_MBPS):.3f}ms tupdate 20ms"),
    "red": Pair(
        "red(min_packets=10, max_packets=30, weight_shift=8, idle_decay=false)",
        f"red limit {LIMIT_PACKETS * FRAME_BYTES} min {10 * FRAME_BYTES} max {30 * FRAME_BYTES} avpkt {FRAME_BYTES}"
        f" burst 60 bandwidth {RATE_MBPS}mbit probability 0.1",
    ),
    "dualpi2": _dualpi2(),
    "dualpi2, random marks": _dualpi2(marks="random"),
    "dualpi2, random marks from 0.7 ms": _dualpi2(threshold_us=700, marks="random"),
}
"""Linux's pie ticks in whole jiffies, 20 ms here. Targets of Linux's are shorter by the time of a packet, and the way back is longer
(:func:`packet_ms`). Its red counts the packet that the shaper has, and below a shaper it is never idle.
"""

NETWORK = """
schema = 2
title = "{name}, {where}, {connections} connections, RTT {rtt_ms} ms"
packet_bytes = {packet_bytes}
seed = {seed}
{programs_of_switches}

[topology]
kind = "graph"                      # h1 - s1 - s2 - h2, and r between s1 and s2
switches = ["s1", "s2"]
attached = {{ h1 = "s1", h2 = "s2", r = "s1" }}
more_interfaces = {{ r = ["s2"] }}
access = {{ rate_mbps = 1000, jitter_us = {jitter_us}, queue_packets = 100_000 }}

[[topology.links]]
between = ["s1", "s2"]

[topology.links.link]
rate_mbps = {trunk_mbps}
queue_packets = {limit}
discipline = "{discipline}"
reverse = {{ rate_mbps = 1000, delay_ms = {delay_ms:.4f}, queue_packets = 100_000, discipline = "drop_tail" }}

[files]
"queue_samples.py" = {{ path = "{programs}/queue_samples.py" }}
"tcp_load.py" = {{ path = "{programs}/tcp_load.py" }}

{router}

[[programs]]
name = "server"
host = "h2"
command = ["python3", "$folder/tcp_load.py", "receive", "$h2"]
listens_on = 5201

[[programs]]
name = "client"
host = "h1"
command = ["python3", "$folder/tcp_load.py", "send", "$h2", "{connections}", "{seconds}", "{seed}"{words}]

[run]
schemes = ["{scheme}"]
kernel = "{kernel}"
duration_s = {duration}
sample_ms = {sample_ms}
"""

ROUTER = """
[[programs]]
name = "router"
host = "r"
command = ["python3", "$folder/queue_samples.py", '''{job}''']
starts = ["ip", "tc", "sysctl"]
"""

ENTRIES = """table_add ipv4_lpm forward 10.0.0.1/32 => 1 02:00:00:01:01:01 02:00:00:00:00:01
table_add ipv4_lpm forward 10.0.0.2/32 => 2 02:00:00:01:01:02 02:00:00:00:00:03
"""
"""Of s1, where packets to h2 go by way of r."""


@dataclass(frozen=True)
class Load:
    """Traffic through a queue.

    Args:
        scheme: that hosts have.
        kernel: Linux of the hosts; empty: the usual one.
        schemes: congestion controls of connections, in turn, as the kernel names them; none: the scheme alone.
        in_order: whether all packets wait for all that came before. Then what Linux's shaper does earlier can be made up for.
    """

    scheme: str = "cubic"
    kernel: str = ""
    schemes: tuple[str, ...] = ()
    in_order: bool = True


PRAGUE_AND_CUBIC = Load("prague", "7.3", ("bpf_prague", "cubic"), in_order=False)
LOADS = {name: PRAGUE_AND_CUBIC for name, pair in PAIRS.items() if pair.of_linux == "dualpi2"}
"""Of disciplines that are not for cubic alone. Linux has its dualpi2 since 6.17."""


@dataclass(frozen=True)
class Setting:
    """One comparison.

    Args:
        name: of the discipline.
        rtt_ms: without queueing.
        connections: side by side.
        seed: of a run.
        rate_mbps: of the bottleneck.
    """

    name: str
    rtt_ms: int
    connections: int
    seed: int = 1
    rate_mbps: float = RATE_MBPS

    @property
    def load(self) -> Load:
        """The traffic."""
        return LOADS.get(self.name, Load())


@dataclass(frozen=True)
class Queue:
    """A queue while connections sent.

    Args:
        mean_ms, p99_ms: time of its bytes at the link's rate, over samples.
        dropped_percent: of packets that came.
        mbps, marked_percent: of each congestion control's packets, where connections have several.
    """

    mean_ms: float
    p99_ms: float
    dropped_percent: float
    mbps: Mapping[str, float] = field(default_factory=dict)
    marked_percent: Mapping[str, float] = field(default_factory=dict)


QUEUE_VALUES: Mapping[str, Callable[[Queue], float]] = {
    "mean wait, ms": lambda queue: queue.mean_ms,
    "p99, ms": lambda queue: queue.p99_ms,
    "dropped, %": lambda queue: queue.dropped_percent,
}
ALIKE = 0.05
"""The part of Linux's mean by which P4's may differ."""


class Verdict(StrEnum):
    """A judgement of two means, by the interval of their difference."""

    ALIKE = f"within {100 * ALIKE:g} %"
    UNDECIDED = "with an interval over that bound"
    APART = "apart"


@dataclass(frozen=True)
class Comparison:
    """One setting's queues, in P4 and Linux's own: one a seed each."""

    setting: Setting
    switch: Sequence[Queue]
    router: Sequence[Queue]

    def sides(self, value: Callable[[Queue], float]) -> tuple[list[float], list[float]]:
        """A value of all queues in P4, and of Linux's."""
        return [value(queue) for queue in self.switch], [value(queue) for queue in self.router]

    def is_near(self, value: Callable[[Queue], float]) -> bool:
        """Whether the means of a value differ by at most :data:`ALIKE` of Linux's, as measured."""
        switch, router = map(fmean, self.sides(value))
        return abs(switch - router) <= ALIKE * abs(router)

    def differs(self, value: Callable[[Queue], float]) -> Verdict:
        """Whether a value is within :data:`ALIKE` of Linux's mean.

        The 95 % interval of the difference decides: within the bounds, beyond one, or over one.
        """
        switch, router = self.sides(value)
        found, bound = difference_unpaired(switch, router), ALIKE * abs(fmean(router))
        if found is None:
            return Verdict.UNDECIDED
        if -bound <= found.low and found.high <= bound:
            return Verdict.ALIKE
        return Verdict.APART if found.low > bound or found.high < -bound else Verdict.UNDECIDED


def settings() -> list[Setting]:
    """All that are compared, but for those of :func:`coupled_settings`."""
    return [Setting(name, rtt_ms, connections) for name in PAIRS if name not in LOADS for rtt_ms in RTTS_MS for connections in CONNECTIONS]


def coupled_settings() -> list[Setting]:
    """Those with several congestion controls, half of the connections each; programs that differ have ten connections."""
    return [
        Setting(name, rtt_ms, connections, rate_mbps=COUPLED_RATE_MBPS)
        for name in LOADS
        for rtt_ms in COUPLED_RTTS_MS
        for connections in (COUPLED_CONNECTIONS if name == "dualpi2" else (10,))
    ]


def of_seeds(settings: Sequence[Setting], seeds: int) -> list[Setting]:
    """The settings with so many seeds each; those of one follow one another."""
    return [replace(setting, seed=setting.seed + more) for setting in settings for more in range(seeds)]


def comparisons(settings: Sequence[Setting], found: Sequence[tuple[Queue, Queue]]) -> list[Comparison]:
    """The comparisons of settings, out of the queues that :func:`of_seeds` asks for."""
    seeds = len(found) // len(settings)
    sides = [list(zip(*found[first : first + seeds], strict=True)) for first in range(0, len(found), seeds)]
    return [Comparison(setting, *both) for setting, both in zip(settings, sides, strict=True)]


def measured(setting: Setting, kept: Path) -> tuple[Queue, Queue]:
    """The two queues of one run each, in P4 and Linux's own; those that are kept are not measured again.

    Args:
        setting: with the seed.
        kept: folder of queues that are measured already.
    """
    pair = PAIRS[setting.name]
    return (_kept(setting, pair.in_p4, kept, through_switch), _kept(setting, pair.of_linux, kept, through_router))


def _kept(setting: Setting, discipline: str, kept: Path, measure: Callable[[Setting, Path], Queue]) -> Queue:
    """Kept by the discipline's words, not its name: other parameters are another measurement."""
    digest = hashlib.sha256(discipline.encode()).hexdigest()[:12]
    words = (measure.__name__, digest, setting.rate_mbps, setting.rtt_ms, setting.connections, setting.seed)
    file = kept / f"{'-'.join(map(str, words))}.json"
    if not file.exists():
        with TemporaryDirectory() as folder:
            queue = measure(setting, Path(folder))
        write_whole(file, json.dumps(asdict(queue)))
    return Queue(**json.loads(file.read_text()))


def through_switch(setting: Setting, folder: Path) -> Queue:
    """Measure the discipline in P4.

    Args:
        setting: the discipline, the RTT without queues and the number of connections.
        folder: for files and results.
    """
    record = _run(setting, folder, "a P4 switch", PAIRS[setting.name].in_p4, trunk_mbps=setting.rate_mbps)
    (logs,) = (file.parent for file in folder.rglob("ports.csv"))
    with (logs / "ports.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if (row["switch"], row["port"], row["direction"]) == BOTTLENECK]
    begin_s = next(int(row["time_ns"]) / NS_PER_S for row in rows if int(row["tx_packets"]) > 0)
    measured = [row for row in rows if MEASURED_FROM_S <= int(row["time_ns"]) / NS_PER_S - begin_s <= SECONDS]
    first, last = measured[0], measured[-1]
    in_queue = int(last["queue_drops"]) - int(first["queue_drops"])
    early, late = _dropped_by_program(logs / "state.jsonl", (begin_s + MEASURED_FROM_S, begin_s + SECONDS))
    waiting = Counter(int(row["queue_bytes"]) for row in measured)
    sent = int(last["tx_packets"]) - int(first["tx_packets"])
    return _with_schemes(summary(waiting, in_queue + late - early, sent, setting.rate_mbps), record)


def through_router(setting: Setting, folder: Path) -> Queue:
    """Measure Linux's own discipline, of an interface of a host that routes.

    Args:
        setting: the discipline, the RTT without queues and the number of connections.
        folder: for files and results.
    """
    job = {
        "interface": "r-eth1",
        "destination": "10.0.0.2",
        "neighbour": "02:00:00:01:02:02",
        "rate_bps": round(setting.rate_mbps * BITS_PER_MEGABIT),
        "frame_bytes": FRAME_BYTES,
        "discipline": PAIRS[setting.name].of_linux.split(),
        "from_s": MEASURED_FROM_S,
        "to_s": SECONDS,
        "interval_ms": SAMPLE_MS,
        "held_counts": setting.load.in_order,
    }
    first_switch = f'''switches = {{ s1 = {{ p4 = "{PROJECT / "p4src" / "ecn.p4"}", entries = ["s1.txt"] }} }}'''
    router = ROUTER.format(job=json.dumps(job))
    record = _run(
        setting,
        folder,
        "a host that routes",
        "drop_tail",
        trunk_mbps=1000,
        router=router,
        switches=first_switch,
        at_once_ms=packet_ms(setting.rate_mbps) if setting.load.in_order else 0,
    )
    told = json.loads(record.programs["router"].said.splitlines()[-1])
    waiting = {int(waiting): times for waiting, times in told["waiting"].items()}
    return _with_schemes(summary(waiting, told["dropped"], told["sent"], setting.rate_mbps), record)


def _with_schemes(queue: Queue, record: CellRecord) -> Queue:
    said = record.programs["client"].said.strip()
    told = json.loads(said.splitlines()[-1]) if said else {}
    return replace(
        queue,
        mbps={name: bps / BITS_PER_MEGABIT for name, (bps, _, _) in told.items()},
        marked_percent={name: 100 * marked / packets for name, (_, packets, marked) in told.items()},
    )


def summary(waiting: Mapping[int, int], dropped: int, sent: int, rate_mbps: float = RATE_MBPS) -> Queue:
    """A queue's figures.

    Args:
        waiting: how often a sample found so many bytes.
        dropped, sent: packets.
        rate_mbps: the link's.
    """
    ms_a_byte = BITS_PER_BYTE / (rate_mbps * BITS_PER_MEGABIT) * MS_PER_S
    waiting_ms = [size * ms_a_byte for size in sorted(Counter(waiting).elements())]
    return Queue(fmean(waiting_ms), quantiles(waiting_ms, n=100)[98], 100 * dropped / (dropped + sent))


def _dropped_by_program(file: Path, until_s: tuple[float, float]) -> tuple[int, int]:
    """Packets that the program had dropped at the bottleneck by each of two times."""
    switch, port, _ = BOTTLENECK
    seen = [(0.0, 0)]
    for told in map(json.loads, file.read_text().splitlines()):
        counters = {one["name"]: {index: packets for index, packets, _ in one["shown"]} for one in told.get("counters", ())}
        if told["switch"] == switch and "dropped" in counters:
            seen.append((told["time_ns"] / NS_PER_S, counters["dropped"].get(int(port), 0)))
    early, late = (next(dropped for at_s, dropped in reversed(seen) if at_s <= time_s) for time_s in until_s)
    return early, late


def _run(
    setting: Setting,
    folder: Path,
    where: str,
    discipline: str,
    trunk_mbps: float,
    router: str = "",
    switches: str = "",
    at_once_ms: float = 0,
) -> CellRecord:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "scenario.toml"
    (folder / "s1.txt").write_text(ENTRIES)
    file.write_text(
        NETWORK.format(
            packet_bytes=PACKET_BYTES,
            name=setting.name,
            where=where,
            connections=setting.connections,
            rtt_ms=setting.rtt_ms,
            delay_ms=setting.rtt_ms + at_once_ms,
            programs_of_switches=switches,
            trunk_mbps=trunk_mbps,
            limit=LIMIT_PACKETS,
            discipline=discipline,
            programs=PROGRAMS,
            router=router,
            seconds=SECONDS,
            duration=SECONDS + 20,
            sample_ms=SAMPLE_MS,
            seed=setting.seed,
            jitter_us=JITTER_US,
            scheme=setting.load.scheme,
            kernel=setting.load.kernel,
            words=f', "{MEASURED_FROM_S}", "{",".join(setting.load.schemes)}"' if setting.load.schemes else "",
        )
    )
    (record,) = engine.measure(file, folder / "results", Console(quiet=True))
    return record
