"""The rate that each transmission would get in an ideal network, to be shown beside the real one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from common.units import BITS_PER_BYTE, BITS_PER_MEGABIT
from protocol.frames import payload_share
from scenario.events import Event
from scenario.fair_share import Flow, IdealRun, ideal_run
from scenario.links import LinkParameters, merged
from scenario.scenario import Scenario
from topo.layout import plan_network
from topo.network_plan import NetworkPlan
from topo.routes import way_between

Direction = tuple[str, str]


SHARED_AMONG = 2000
"""Transmissions; among more, nobody computes fair shares: it takes longer than to run them."""


def has_ideal(scenario: Scenario) -> bool:
    """Whether the shares of an ideal network are computed for a scenario: not if it has too many transmissions."""
    return len(scenario.all_transmissions) <= SHARED_AMONG


def ideal(scenario: Scenario) -> IdealRun:
    """A fluid run with max-min fair shares, in bit/s of payload.

    Subflows that pass the same links between switches count as one; rates of a transmission on different paths add up. Links change as
    the scenario's traces and events say.
    """
    plan = plan_network(scenario)
    share = payload_share(scenario.packet_bytes)
    flows = []
    for t in scenario.all_transmissions:
        ways: dict[Any, tuple[Hashable, ...]] = {}
        for interface in plan.interfaces(t.sender) if t.multipath else plan.interfaces(t.sender)[:1]:
            way = list(pairwise(way_between(plan, interface.name, t.receiver)))
            ways.setdefault(tuple(way[1:]), tuple(way))
        flows.append(
            Flow(
                t.name,
                tuple(ways.values()),
                t.start_s,
                t.stop_s or scenario.run.duration_s,
                None if t.size_bytes is None else t.size_bytes * BITS_PER_BYTE,
                scenario.max_rate_bps(t) * share,
            )
        )
    changes = capacity_changes(scenario, plan)
    carries: dict[Hashable, float] = {(here, there): plan.direction(here, there).rate_bps * share for here, there in plan.directions()}
    steps: list[tuple[float, Mapping[Hashable, float]]] = [(0.0, dict(carries))]
    for at_s, direction, rate_bps in changes:
        carries[direction] = rate_bps * share
        steps.append((at_s, dict(carries)))
    return ideal_run(flows, steps, scenario.run.duration_s)


def capacity_changes(scenario: Scenario, plan: NetworkPlan, *, traces: bool = True) -> list[tuple[float, Direction, float]]:
    """When which direction of a link carries another rate: (seconds after the start, direction, bit/s of the frame), in order.

    A rate from ``set_link`` holds until a trace's next step; a link that is cut carries nothing. Without ``traces``, events alone count.
    """
    return sorted(
        ((at_s, direction, rate) for direction in plan.directions() for at_s, rate in _rates(scenario, plan, direction, traces=traces)),
        key=lambda change: change[0],
    )


def _rates(scenario: Scenario, plan: NetworkPlan, direction: Direction, *, traces: bool) -> Iterator[tuple[float, float]]:
    link = plan.direction(*direction)
    steps: list[tuple[float, float | Event]] = [*_trace_rates(link, scenario.run.duration_s)] if traces else []
    steps += [(event.at_s, event) for event in scenario.events if direction in directions_of(event)]
    rate_bps, is_up = float(link.rate_bps), True
    for at_s, step in sorted(steps, key=lambda step: step[0]):
        if not isinstance(step, Event):
            rate_bps = step
        elif step.action == "set_link":
            rate_bps = float(changed(link, step).rate_bps) if "rate_mbps" in step.changes else rate_bps
        else:
            is_up = step.action == "link_up"
        yield at_s, rate_bps if is_up else 0.0


def directions_of(event: Event) -> list[Direction]:
    """The directions that an event is about."""
    if event.ends is None:
        return []
    return [event.ends, event.ends[::-1]] if event.both_ways else [event.ends]


def changed(link: LinkParameters, event: Event) -> LinkParameters:
    """A direction as ``set_link`` makes it."""
    return LinkParameters.model_validate(merged(link.model_dump(), event.changes))


def _trace_rates(link: LinkParameters, duration_s: float) -> list[tuple[float, float]]:
    steps = [(step.at_s, step.rate_mbps * BITS_PER_MEGABIT) for step in link.trace if step.rate_mbps is not None]
    if link.trace_repeats_after_s is None:
        return steps
    rounds = int(duration_s / link.trace_repeats_after_s) + 1
    return [(at_s + turn * link.trace_repeats_after_s, rate) for turn in range(rounds) for at_s, rate in steps]
