"""Reduces where "Mins are kept" (also the "Mins of a link that gets slower"; docs/decisions/), and records that go if Mins do not fit.

Pure functions. Rates are kbit/s.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.decisions import Changes, changes_to_fit
from controller.records import PortRecords, Record


def without_room(port: PortRecords) -> list[Record]:
    """Records that have to go so that the Mins of the others fit the link: the last that came first, of those that have one.

    The load of others (decision "the measured load") ends no record: it does not come before transmissions that negotiate.
    """
    gone: list[Record] = []
    link_kbps = port.capacity_kbps if port.load is None else port.load.link_kbps
    excess_kbps = sum(record.min_kbps for record in port) - link_kbps
    for record in reversed([*port]):
        if excess_kbps <= 0:
            break
        if record.min_kbps:
            gone.append(record)
            excess_kbps -= record.min_kbps
    return gone


def changes_to_fit_above_minimum(port: PortRecords) -> Changes:
    """The reduce list of a port that gave out more than it has: all above one level go down to it, but none below its Min.

    Records that keep more than the level by their Min leave less to the others.
    """
    if not any(record.min_kbps for record in port):
        return changes_to_fit(port)
    changes = Changes()
    groups = [*port.groups]
    bounds = [
        (sum(min(record.min_kbps, record.rate_kbps) for record in group), sum(record.rate_kbps for record in group)) for group in groups
    ]
    for group, total_kbps in zip(groups, _filled(bounds, port.capacity_kbps), strict=True):
        rates = _filled([(min(record.min_kbps, record.rate_kbps), record.rate_kbps) for record in group], total_kbps)
        changes.reduce |= {record: max(1, rate) for record, rate in zip(group, rates, strict=True) if rate < record.rate_kbps}
    return changes


def _filled(bounds: Sequence[tuple[int, int]], total_kbps: int) -> list[int]:
    """The highest rates that add up to the total at most, equal as far as their bounds allow; if need be the lower bounds."""
    low, high = 0, max(most for _, most in bounds)
    while low < high:
        level = (low + high + 1) // 2
        if sum(max(least, min(most, level)) for least, most in bounds) <= total_kbps:
            low = level
        else:
            high = level - 1
    return [max(least, min(most, low)) for least, most in bounds]
