"""A direction of a link as the switch process takes it: in its network file, and when a link is changed while it runs."""

from __future__ import annotations

from typing import Any

from common.units import BITS_PER_MEGABIT, US_PER_MS
from scenario.links import LinkParameters, TraceStep
from topo.computing import times_of
from topo.network_plan import NetworkPlan

PERCENT = 100.0


def pipeline_us(plan: NetworkPlan, there: str) -> float:
    """Time from a packet's arrival at a neighbour until it is in a queue there, microseconds; 0 for a host, which has none."""
    return times_of(plan.computing).pipeline_us if there in plan.switches else 0.0


def direction_fields(plan: NetworkPlan, there: str, link: LinkParameters) -> dict[str, Any]:
    """The fields of a direction that ends at ``there``, of which ``link`` holds now.

    A constant time in a switch's pipeline is the same, to every packet and to their order, as so much more on the way to the switch.
    """
    return link_fields(link, pipeline_us(plan, there))


def link_fields(link: LinkParameters, more_delay_us: float = 0.0) -> dict[str, Any]:
    """All fields of the link model (docs/links.md) but the seed; ``more_delay_us`` is added to the delay whenever it is set."""
    queue = {"packets": link.queue_packets, "bytes": link.queue_bytes}
    repeats = [{"at_s": link.trace_repeats_after_s}] if link.trace_repeats_after_s is not None else []
    priorities = {"priorities": link.priorities} if link.priorities > 1 else {}
    return {
        "rate_bps": link.rate_bps,
        "delay_us": link.delay_us + more_delay_us,
        "jitter_us": link.jitter_us,
        "queue": {unit: size for unit, size in queue.items() if size is not None},
        "loss": _loss(link),
        "filtered_loss": [{"filter": one.filter, "loss": one.loss_percent / PERCENT} for one in link.filtered_loss],
        "trace": [*(_step(step, more_delay_us) for step in link.trace), *repeats] or None,
        "trace_repeats": bool(repeats),
        **priorities,
        **_queues(link),
    }


def link_seed(plan: NetworkPlan, here: str, there: str, seed: int) -> int:
    """The seed of a direction's random losses: each has one of its own, so that one direction's traffic does not shift another's."""
    switch, port, side = plan.end_of(here, there)
    return seed * 1_000_003 + switch.number * 1009 + port.number * 2 + (side == "ingress")


def _queues(link: LinkParameters) -> dict[str, Any]:
    discipline = link.queue_discipline
    if discipline.shared is None or link.queue_packets is None:
        return discipline.fields_of_link()
    return {"queue": None, "shared_queue": {"packets": link.queue_packets, "drops": discipline.shared}, **discipline.fields_of_link()}


def _loss(link: LinkParameters) -> float | dict[str, Any]:
    if link.byte_error_rate:
        return {"per_byte": link.byte_error_rate}
    if link.burst_loss is not None:
        burst = link.burst_loss
        return {
            "gilbert_elliott": {
                "p": burst.enter_percent / PERCENT,
                "r": burst.leave_percent / PERCENT,
                "loss_good": burst.good_loss_percent / PERCENT,
                "loss_bad": burst.bad_loss_percent / PERCENT,
            }
        }
    return link.loss


def _step(step: TraceStep, more_delay_us: float) -> dict[str, float | int]:
    fields: dict[str, float | int] = {"at_s": step.at_s}
    if step.rate_mbps is not None:
        fields["rate_bps"] = round(step.rate_mbps * BITS_PER_MEGABIT)
    if step.delay_ms is not None:
        fields["delay_us"] = step.delay_ms * US_PER_MS + more_delay_us
    if step.loss_percent is not None:
        fields["loss"] = step.loss_percent / PERCENT
    return fields
