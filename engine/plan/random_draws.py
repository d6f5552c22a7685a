"""Random draws of a cell from its seed: start times, losses, delays, arrivals, a scheme's own chance.

In virtual time a cell that draws nothing is the same run each time, so it is measured once, however many repetitions are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from common.errors import UserError
from common.units import US_PER_MS
from hosts.cca.scheme_names import parse_scheme
from scenario.links import LinkParameters
from scenario.scenario import Scenario
from scenario.transmissions import Transmission
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.routes import way_between

RTT = "rtt"
"""In ``run.start_jitter_ms``: the round trip of a transmission's own path."""

MACHINE = "the machine's timing"
"""It differs from run to run in real time, whatever the scenario draws."""

MS_PER_S = 1e3
DRAWING_KERNEL_SCHEMES = {"bbr": "the phase of bbr's probing"}
"""Of the kernel's own schemes, those that draw random numbers, and which."""


def drawn(scenario: Scenario, scheme: str) -> tuple[str, ...]:
    """Everything that a run of ``scheme`` draws from the seed, in words; empty: another seed changes nothing.

    Args:
        scenario: before or after its start times were drawn.
        scheme: of all transmissions that have none of their own.

    Raises:
        UserError: there is no such scheme.
    """
    return tuple(dict.fromkeys(_drawn(scenario, scheme)))


def _drawn(scenario: Scenario, scheme: str) -> Iterator[str]:
    if scenario.run.start_jitter_ms and scenario.transmissions:
        yield "start times"
    if scenario.workloads:
        yield "the arrivals and sizes of workloads"
    if scenario.programs:
        yield "what programs draw"
    if any(_loses_by_chance(link) for link in _directions(scenario)) or any(
        event.changes.get(key) for event in scenario.events for key in ("loss_percent", "byte_error_rate", "burst_loss", "filtered_loss")
    ):
        yield "losses of links"
    if any(link.queue_discipline.draws for link in _directions(scenario)):
        yield "decisions of queue disciplines"
    if any(link.jitter_us for link in _directions(scenario)) or any(event.changes.get("jitter_us") for event in scenario.events):
        yield "delays of packets"
    own = [*(one.scheme for one in scenario.transmissions), *(one.scheme for one in scenario.workloads)]
    for name in [scheme, *(one for one in own if one is not None)]:
        yield from _of_scheme(name)


def _of_scheme(text: str) -> Iterator[str]:
    scheme = parse_scheme(text)
    if scheme.from_kernel and scheme.name in DRAWING_KERNEL_SCHEMES:
        yield DRAWING_KERNEL_SCHEMES[scheme.name]


def _directions(scenario: Scenario) -> Iterator[LinkParameters]:
    layout = scenario.layout
    links = [*(one.link for one in [*layout.hosts, *layout.interfaces]), *(one.link for one in layout.trunks)]
    for link in links:
        yield from (link.there, link.back)


def _loses_by_chance(link: LinkParameters) -> bool:
    return bool(
        link.loss_percent or link.byte_error_rate or link.burst_loss or link.filtered_loss or any(step.loss_percent for step in link.trace)
    )


def with_drawn_starts(scenario: Scenario) -> Scenario:
    """The scenario with each transmission's start where its seed puts it: later by a time drawn evenly up to ``run.start_jitter_ms``.

    Each transmission draws from a sequence of its own name, so that all schemes have the same starts with the same seed, and one more
    transmission moves no other. Workloads draw their arrivals themselves.

    Raises:
        UserError: a transmission could start after its end, or the routes of the scenario contradict each other.
    """
    limit = scenario.run.start_jitter_ms
    if not limit or not scenario.transmissions:
        return scenario
    plan = plan_network(scenario)
    moved = []
    for one in scenario.transmissions:
        most_ms = round_trip_ms(plan, one) if limit == RTT else float(limit)
        lasts_s = (one.stop_s or scenario.run.duration_s) - one.start_s
        if most_ms >= lasts_s * MS_PER_S:
            raise UserError(
                f"run.start_jitter_ms: transmission {one.name!r}, which lasts {lasts_s:g} s, could start {most_ms:g} ms later",
                "let it last longer, or give a smaller start_jitter_ms",
            )
        offset_s = Random(f"start {one.name} {scenario.seed}").uniform(0.0, most_ms) / MS_PER_S
        moved.append(one.model_copy(update={"start_s": round(one.start_s + offset_s, 6)}))
    # Validated anew, since a copy would keep what has been worked out of the old times.
    content = scenario.model_dump(exclude={"topology", "transmissions"}) | {"topology": scenario.topology, "transmissions": moved}
    return Scenario.model_validate(content)


def round_trip_ms(plan: NetworkPlan, transmission: Transmission) -> float:
    """The delays of a transmission's path there and back, milliseconds, without queues and transmission times."""
    way = way_between(plan, transmission.sender, transmission.receiver)
    there = sum(plan.direction(*step).delay_us for step in pairwise(way))
    back = sum(plan.direction(*step).delay_us for step in pairwise(way[::-1]))
    return (there + back) / US_PER_MS
