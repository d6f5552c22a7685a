"""The lists of Algorithm 1: the other records that must change when a transmission is admitted or capacity becomes free.

The data plane works out the rate B_c of the transmission that asks. From the port's list of records, this module works out which of
the others must go down or may go up (Liu, Ni, Han 2023, section 4.2). Algorithm 2, the share of subflows, is here as well.
All rates are kbit/s, all functions are pure and take O(records).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from protocol.codes import AdmittedVerdict

K = TypeVar("K")


class RecordRate(NamedTuple, Generic[K]):
    """The part of one record that the lists need. `key` is the caller's."""

    key: K
    rate_kbps: int
    is_bottleneck: bool


class PortSums(NamedTuple):
    """B_z, the sum of the rates, B_ctl and Q_ctl of one port."""

    capacity_kbps: int
    sum_kbps: int
    bottleneck_sum_kbps: int
    bottleneck_count: int

    @property
    def free_kbps(self) -> int:
        """B_v, never below 0."""
        return max(0, self.capacity_kbps - self.sum_kbps)


@dataclass(slots=True)
class Adjustments(Generic[K]):
    """Keys of the records to reduce to, and to increase to, `rate_kbps`."""

    rate_kbps: int = 0
    reduce: list[K] = field(default_factory=list)
    increase: list[K] = field(default_factory=list)


def after_admission(others: Iterable[RecordRate[K] | tuple[K, int, bool]], verdict: AdmittedVerdict, share_kbps: int) -> Adjustments[K]:
    """The lists due when a transmission has been admitted at `share_kbps` (B_c).

    `others`: (key, rate, is_bottleneck) of the port's records without the admitted one.
    Second case of Algorithm 1: all above B_c are reduced. Third case: bottleneck records below B_c are increased, those
    above it reduced ("calling back"; without that, the sum could exceed the capacity). A reduce is an order, an increase an offer: the
    sender asks again, and the switch decides.
    """
    adjustments: Adjustments[K] = Adjustments(share_kbps)
    if verdict == AdmittedVerdict.REDUCE_OTHERS:
        adjustments.reduce = [key for key, rate, _ in others if rate > share_kbps]
    elif verdict == AdmittedVerdict.INCREASE_OTHERS:
        for key, rate, is_bottleneck in others:
            if is_bottleneck and rate != share_kbps:
                (adjustments.increase if rate < share_kbps else adjustments.reduce).append(key)
    return adjustments


def share_of_freed_kbps(sums: PortSums) -> int:
    """(B_v + B_ctl) / Q_ctl, rounded down: the rate that each bottleneck record could have; 0 if there is no such record."""
    if sums.bottleneck_count == 0:
        return 0
    return (sums.free_kbps + sums.bottleneck_sum_kbps) // sums.bottleneck_count


def after_departure(records: Iterable[RecordRate[K] | tuple[K, int, bool]], sums: PortSums, tolerance_kbps: int = 0) -> Adjustments[K]:
    """The increases due when capacity has become free (decision "freed capacity is handed out at once").

    Bottleneck records more than `tolerance_kbps` (β) below their share are told of it. Nobody is reduced: when a told sender
    asks for its share, Algorithm 1 reduces the records that must make room.
    """
    share_kbps = share_of_freed_kbps(sums)
    adjustments: Adjustments[K] = Adjustments(share_kbps)
    if sums.free_kbps > 0:
        limit_kbps = share_kbps - tolerance_kbps
        adjustments.increase = [key for key, rate, is_bottleneck in records if is_bottleneck and rate < limit_kbps]
    return adjustments


def subflow_share_kbps(transmission_share_kbps: int, siblings_kbps: int, siblings: int) -> int:
    """Algorithm 2 as the switch does it: a subflow's part of its transmission's share, by the decisions "a newcomer's weight among
    subflows" and "what a transmission's subflows share".

    It is an equal part, or the rest of the share beside its siblings if that is more. The part is the paper's B_subs · w / (B_subs + w)
    where the newcomer's weight w is the siblings' mean rate instead of Max_i.
    """
    return max(transmission_share_kbps - siblings_kbps, transmission_share_kbps // (siblings + 1))


def scaled_kbps(rates_kbps: Sequence[int], total_kbps: int) -> list[int]:
    """The rates reduced in proportion, so that they add up to `total_kbps` (each rounded down, but to 1 at least).

    Rates that fit already stay as they are. With total = B_subs less the newcomer's rate: Algorithm 2's new rates of the siblings.
    """
    sum_kbps = sum(rates_kbps)
    if sum_kbps <= total_kbps:
        return list(rates_kbps)
    return [max(1, rate * total_kbps // sum_kbps) for rate in rates_kbps]


def level_kbps(rates_kbps: Iterable[int], total_kbps: int) -> int:
    """The level to which rates may rise so that they add up to `total_kbps` at most; those above it stay as they are."""
    left_kbps = total_kbps
    rest = sorted(rates_kbps, reverse=True)
    for index, rate in enumerate(rest):
        level = max(0, left_kbps) // (len(rest) - index)
        if rate <= level:
            return level
        left_kbps -= rate
    return 0
