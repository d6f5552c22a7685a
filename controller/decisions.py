"""Rates to change, from a port's records: the lists of protocol.model.allocation, less the changes that are not worth a message.

To Algorithm 1 the subflows of one transmission are one. The lists are made of groups of records, and each group's rate is then shared
out among its records. Pure functions. Rates are kbit/s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controller.records import Group, PortRecords, Record, group_kbps
from protocol.codes import AdmittedVerdict
from protocol.headers import Event
from protocol.model.allocation import PortSums, after_admission, after_departure, level_kbps, scaled_kbps

WORTHWHILE_GAIN: Final = 128
"""An increase by less than 1/128 of the rate (0.8 %) is not worth a negotiation. Without this limit, rounding and the
fading arrival estimate would make senders renegotiate for ever smaller differences."""


@dataclass(slots=True)
class Changes:
    """Records to be reduced to, and to be offered, a rate."""

    reduce: dict[Record, int] = field(default_factory=dict)
    increase: dict[Record, int] = field(default_factory=dict)


def is_worth_it(rate_kbps: int, speed_kbps: int, tolerance_kbps: int) -> bool:
    """Whether going up from one rate to the other is worth a negotiation: more than beta and more than 1/128."""
    return speed_kbps > rate_kbps + max(tolerance_kbps, rate_kbps // WORTHWHILE_GAIN)


def changes_after_admission(port: PortRecords, event: Event, *, reduces_in_third_case: bool = True) -> Changes:
    """The changes after the pipeline admitted a transmission: the lists of Algorithm 1, and its siblings' reduces (Algorithm 2).

    ``reduces_in_third_case``: decision "calling back".
    """
    changes = Changes()
    siblings = port.siblings(event.id)
    if siblings:
        _reduce_together(changes, siblings, event.transmission_share_kbps - event.rate_kbps)
    if event.verdict != AdmittedVerdict.SHARE:
        share_kbps = event.transmission_share_kbps
        own = [*siblings, port.records[event.id]]
        describe = _with_its_rate if event.verdict == AdmittedVerdict.REDUCE_OTHERS else _described
        others = [describe(group) for group in port.groups if group[0] not in own]
        lists = after_admission(others, AdmittedVerdict(event.verdict), share_kbps)
        if event.verdict == AdmittedVerdict.INCREASE_OTHERS and not reduces_in_third_case:
            lists.reduce.clear()
        own_kbps = min(share_kbps, event.rate_kbps + sum([record.rate_kbps for record in siblings]))
        reduced_kbps = share_kbps
        if lists.reduce and own_kbps < share_kbps:
            reduced_kbps = max(share_kbps, _level_to_fit(port, lists.reduce, others, own_kbps))
        for group in lists.reduce:
            _reduce_together(changes, group, reduced_kbps)
        for group in lists.increase:
            _increase_together(changes, group, share_kbps, port.tolerance_kbps)
    return changes


def changes_after_departure(port: PortRecords) -> Changes:
    """The increase list: freed capacity is handed out at once. A subflow's freed rate goes to its siblings first if they lack it."""
    changes = Changes()
    groups = [_described(group) for group in port.groups]
    held_back_kbps = [rate for _, rate, wants_more in groups if wants_more]
    if held_back_kbps:
        sums = PortSums(port.capacity_kbps, sum([rate for _, rate, _ in groups]), sum(held_back_kbps), len(held_back_kbps))
        lists = after_departure(groups, sums, port.tolerance_kbps)
        for group in lists.increase:
            _increase_together(changes, group, lists.rate_kbps, port.tolerance_kbps)
    return changes


def changes_to_fit(port: PortRecords) -> Changes:
    """The reduce list of a port that gave out more than it has, because reduces were lost while nobody was in charge.

    All transmissions above one level go down to it; the level is the highest at which the rates fit the capacity (water-filling).
    """
    changes = Changes()
    by_rate = sorted(port.groups, key=group_kbps)
    left_kbps = port.capacity_kbps
    for index, group in enumerate(by_rate):
        level = left_kbps // (len(by_rate) - index)
        if group_kbps(group) > level:
            for high in by_rate[index:]:
                _reduce_together(changes, high, level)
            break
        left_kbps -= group_kbps(group)
    return changes


def keep_minimum(changes: Changes) -> None:
    """Reduce no record below its Min (decision "Mins are kept"): others do not get the rate that it keeps above the level."""
    for record, speed_kbps in list(changes.reduce.items()):
        if speed_kbps < record.min_kbps:
            if record.rate_kbps <= record.min_kbps:
                del changes.reduce[record]
            else:
                changes.reduce[record] = record.min_kbps


def _level_to_fit(port: PortRecords, reduced: list[Group], others: list[tuple[Group, int, bool]], own_kbps: int) -> int:
    """How far the groups must go down to make room for a newcomer that takes less than its share (decision "no lower than it takes")."""
    rates = sorted(map(group_kbps, reduced))
    left_kbps = port.capacity_kbps - own_kbps - sum([rate for _, rate, _ in others]) + sum(rates)
    for index, rate in enumerate(rates):
        level = max(0, left_kbps) // (len(rates) - index)
        if rate > level:
            return level
        left_kbps -= rate
    return rates[-1]


def _described(group: Group) -> tuple[Group, int, bool]:
    if len(group) == 1:
        record = group[0]
        return group, record.rate_kbps, record.wants_more
    return group, group_kbps(group), any(record.wants_more for record in group)


def _with_its_rate(group: Group) -> tuple[Group, int, bool]:
    """The same for a list that does not ask who wants more, which thousands of records take their time to tell."""
    return group, group[0].rate_kbps if len(group) == 1 else group_kbps(group), False


def _reduce_together(changes: Changes, group: Group, total_kbps: int) -> None:
    """Reduce a group in proportion to its rates, as Algorithm 2 does with siblings."""
    if len(group) == 1:
        record = group[0]
        if record.rate_kbps > total_kbps:
            changes.reduce[record] = max(1, total_kbps)
        return
    rates = scaled_kbps([record.rate_kbps for record in group], max(1, total_kbps))
    changes.reduce.update({record: rate for record, rate in zip(group, rates, strict=True) if rate < record.rate_kbps})


def _increase_together(changes: Changes, group: Group, total_kbps: int, tolerance_kbps: int) -> None:
    """Offer a group's records so much that all together have the total: those that want more rise to one level."""
    wanting = [record for record in group if record.wants_more]
    if len(group) == 1:
        level = total_kbps
    else:
        others_kbps = sum([record.rate_kbps for record in group if not record.wants_more])
        level = level_kbps([record.rate_kbps for record in wanting], total_kbps - others_kbps)
    for record in wanting:
        if is_worth_it(record.rate_kbps, level, tolerance_kbps):
            changes.increase[record] = level
