"""Packets that did not arrive, over those that were sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.metrics.counting import payload_bytes
from engine.metrics.registry import Scalar, metric

if TYPE_CHECKING:
    from engine.collect.run_data import RunData


@metric
def dropped_percent(run: RunData, _point: Mapping[str, Scalar]) -> float | None:
    """Packets that queues had no room for in the whole run; None if nothing was sent. Full packets are counted, those sent again too."""
    return _percent_of_sent(run, run.links.queue_drops)


@metric
def lost_percent(run: RunData, _point: Mapping[str, Scalar]) -> float | None:
    """Packets that links lost by chance in the whole run, likewise."""
    return _percent_of_sent(run, run.links.loss_drops)


def _percent_of_sent(run: RunData, packets: int) -> float | None:
    sent = sum(one.summary["bytes_sent"] for one in run.transmissions.values()) / payload_bytes(run.scenario)
    return 100 * packets / sent if sent else None
