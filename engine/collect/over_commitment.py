"""Whether senders had been granted more than links carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from common.units import BITS_PER_KILOBIT
from engine.collect.completions import PERCENT, links_passed
from engine.metrics.allocation import seconds_above, total_rate, without_rate_s
from topo.layout import plan_network

if TYPE_CHECKING:
    from engine.collect.run_data import RunData, TransmissionData


@dataclass(frozen=True)
class OverCommitment:
    """Over-commitment of links between switches: how long the granted rates exceeded a link's rate, and by how much at most."""

    seconds: float
    most_percent: float
    """Percent of the link's rate; 100: all of it was granted, and never more."""
    most_records: int
    """Transmissions that had a rate at once on one link."""


def over_commitment(run: RunData) -> OverCommitment | None:
    """The highest values over all links; None if nobody negotiated. Links that change or break count as their file describes them."""
    plan = plan_network(run.scenario)
    passed = links_passed(run.scenario)
    negotiated = [one for one in run.transmissions.values() if one.summary["negotiation"] == "allocated"]
    found = []
    for link in (one for one in plan.directions() if one[0] in plan.switches and one[1] in plan.switches):
        there = [one for one in negotiated if link in passed[one.transmission.name]]
        if there:
            rates = total_rate(there)
            carries_bps = plan.direction(*link).rate_bps
            highest = PERCENT * max(rate for _, rate in rates) / carries_bps
            # Rates are whole kbit/s: a smaller excess is a rounding error of the floating-point sum.
            found.append(OverCommitment(seconds_above(rates, carries_bps + BITS_PER_KILOBIT), highest, _most_at_once(run, there)))
    if not found:
        return None
    return OverCommitment(max(one.seconds for one in found), max(one.most_percent for one in found), max(one.most_records for one in found))


def _most_at_once(run: RunData, transmissions: list[TransmissionData]) -> int:
    changes = []
    for data in transmissions:
        begin_s, end_s = data.summary["allocated_s"], without_rate_s(data)
        if begin_s is not None:
            changes += [(begin_s, 1), (run.end_s if end_s is None else end_s, -1)]
    return int(np.cumsum([change for _, change in sorted(changes)]).max(initial=0))
