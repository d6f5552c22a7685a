"""Who has to change their rate: the lists of Algorithm 1 (seed 003, section 4) and the share after a departure.

Pure functions over a port's records. Rates are kbit/s.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controller.records import PortRecords, Record
from nodectl.events import AdmittedVerdict
from nodectl.wire import TransmissionId

WORTHWHILE_GAIN: Final = 128
"""An increase by less than 1/128 of the rate (0.8 %) is not worth a negotiation: without this, rounding and the
fading arrival estimate would make senders renegotiate for ever smaller differences."""


@dataclass(slots=True)
class AdjustmentLists:
    """The reduce list L_r and the increase list L_i; all of them go to the same rate."""

    speed_kbps: int
    reduce: list[Record] = field(default_factory=list)
    increase: list[Record] = field(default_factory=list)


def is_worth_it(rate_kbps: int, speed_kbps: int, tolerance_kbps: int) -> bool:
    """Whether going up from one rate to the other is worth a negotiation: more than beta and more than 1/128."""
    return speed_kbps > rate_kbps + max(tolerance_kbps, rate_kbps // WORTHWHILE_GAIN)


def lists_after_admission(port: PortRecords, newcomer: TransmissionId, verdict: int, share_kbps: int) -> AdjustmentLists:
    """The lists due after the pipeline admitted ``newcomer`` at ``share_kbps`` (B_c) with this verdict.

    Verdict 2: every other record above B_c goes down to it. Verdict 3: bottleneck records below B_c may go up to it,
    those above it go down (D4). Verdict 1: nobody changes.
    """
    lists = AdjustmentLists(share_kbps)
    if verdict == AdmittedVerdict.REDUCE_OTHERS:
        lists.reduce = [record for record in port if record.rate_kbps > share_kbps and record.id != newcomer]
    elif verdict == AdmittedVerdict.INCREASE_OTHERS:
        bottlenecks = [record for record in port if record.wants_more and record.id != newcomer]
        lists.reduce = [record for record in bottlenecks if record.rate_kbps > share_kbps]
        lists.increase = [record for record in bottlenecks if is_worth_it(record.rate_kbps, share_kbps, port.tolerance_kbps)]
    return lists


def lists_after_departure(port: PortRecords) -> AdjustmentLists:
    """The increase list after capacity became free (D3): bottleneck records below B_c = (B_v + B_ctl) / Q_ctl."""
    bottlenecks = [record for record in port if record.wants_more]
    if not bottlenecks:
        return AdjustmentLists(0)
    share_kbps = (port.free_kbps() + sum([record.rate_kbps for record in bottlenecks])) // len(bottlenecks)
    lists = AdjustmentLists(share_kbps)
    lists.increase = [record for record in bottlenecks if is_worth_it(record.rate_kbps, share_kbps, port.tolerance_kbps)]
    return lists
