"""Whose rate has to change, from a port's records: the lists of nodectl.allocation, less what is not worth a message.

Pure functions. Rates are kbit/s.
"""

from __future__ import annotations

from typing import Final

from controller.records import PortRecords, Record
from nodectl.allocation import Adjustments, PortSums, after_admission, after_departure
from nodectl.events import AdmittedVerdict
from nodectl.wire import TransmissionId

WORTHWHILE_GAIN: Final = 128
"""An increase by less than 1/128 of the rate (0.8 %) is not worth a negotiation: without this, rounding and the
fading arrival estimate would make senders renegotiate for ever smaller differences."""


def is_worth_it(rate_kbps: int, speed_kbps: int, tolerance_kbps: int) -> bool:
    """Whether going up from one rate to the other is worth a negotiation: more than beta and more than 1/128."""
    return speed_kbps > rate_kbps + max(tolerance_kbps, rate_kbps // WORTHWHILE_GAIN)


def lists_after_admission(port: PortRecords, newcomer: TransmissionId, verdict: int, share_kbps: int) -> Adjustments[Record]:
    """The lists due after the pipeline admitted ``newcomer`` at ``share_kbps`` (B_c) with this verdict."""
    if verdict == AdmittedVerdict.SHARE:
        return Adjustments(share_kbps)
    others = [(record, record.rate_kbps, record.wants_more) for record in port if record.id != newcomer]
    return _worthwhile(after_admission(others, AdmittedVerdict(verdict), share_kbps), port)


def lists_after_departure(port: PortRecords) -> Adjustments[Record]:
    """The increase list after capacity became free (D3)."""
    records = [(record, record.rate_kbps, record.wants_more) for record in port]
    held_back_kbps = [rate for _, rate, wants_more in records if wants_more]
    if not held_back_kbps:
        return Adjustments()
    sums = PortSums(port.capacity_kbps, sum([rate for _, rate, _ in records]), sum(held_back_kbps), len(held_back_kbps))
    return _worthwhile(after_departure(records, sums, port.tolerance_kbps), port)


def lists_to_fit(port: PortRecords) -> Adjustments[Record]:
    """The reduce list of a port that gave out more than it has, because reduces were lost while nobody was in charge.

    All records above one level go down to it; the level is the highest at which the rates fit the capacity (water-filling).
    """
    by_rate = sorted(port, key=lambda record: record.rate_kbps)
    left_kbps = port.capacity_kbps
    for index, record in enumerate(by_rate):
        level_kbps = left_kbps // (len(by_rate) - index)
        if record.rate_kbps > level_kbps:
            return Adjustments(max(1, level_kbps), reduce=by_rate[index:])
        left_kbps -= record.rate_kbps
    return Adjustments()


def _worthwhile(lists: Adjustments[Record], port: PortRecords) -> Adjustments[Record]:
    lists.increase = [record for record in lists.increase if is_worth_it(record.rate_kbps, lists.rate_kbps, port.tolerance_kbps)]
    return lists
