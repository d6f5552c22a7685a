"""A direction of a link as the switch process takes it: in its network file, and when a link is changed while it runs."""

from __future__ import annotations

from typing import Any

from protocol.units import BITS_PER_MEGABIT, US_PER_MS
from scenario.links import BurstLoss, LinkParameters, TraceStep
from topo.network_plan import NetworkPlan

PERCENT = 100.0


def link_fields(link: LinkParameters) -> dict[str, Any]:
    """All fields of the link model (docs/links.md) but the seed."""
    queue = {"packets": link.queue_packets, "bytes": link.queue_bytes}
    return {
        "rate_bps": link.rate_bps,
        "delay_us": link.delay_us,
        "queue": {unit: size for unit, size in queue.items() if size is not None},
        "loss": link.loss,
        "byte_error_rate": link.byte_error_rate,
        "burst_loss": None if link.burst_loss is None else _burst(link.burst_loss),
        "filtered_loss": [{"filter": one.filter, "loss": one.loss_percent / PERCENT} for one in link.filtered_loss],
        "trace": [_step(step) for step in link.trace],
        "trace_repeats_after_s": link.trace_repeats_after_s,
    }


def link_seed(plan: NetworkPlan, here: str, there: str, seed: int) -> int:
    """Where a direction's random losses begin: each has a seed of its own, so that one direction's traffic does not shift another's."""
    switch, port, side = plan.end_of(here, there)
    return seed * 1_000_003 + switch.number * 1009 + port.number * 2 + (side == "ingress")


def _burst(burst: BurstLoss) -> dict[str, float]:
    return {
        "enter": burst.enter_percent / PERCENT,
        "leave": burst.leave_percent / PERCENT,
        "good_loss": burst.good_loss_percent / PERCENT,
        "bad_loss": burst.bad_loss_percent / PERCENT,
    }


def _step(step: TraceStep) -> dict[str, float | int]:
    fields: dict[str, float | int] = {"at_s": step.at_s}
    if step.rate_mbps is not None:
        fields["rate_bps"] = round(step.rate_mbps * BITS_PER_MEGABIT)
    if step.delay_ms is not None:
        fields["delay_us"] = round(step.delay_ms * US_PER_MS)
    if step.loss_percent is not None:
        fields["loss"] = step.loss_percent / PERCENT
    return fields
