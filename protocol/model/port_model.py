"""One port of the reference model: its records in sums, the estimate of arrivals, and Algorithm 1 in whole numbers.

Part of the state machine of protocol/model/reference_model.py; docs/protocol/switch.md, "What a switch keeps" and "Request".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.codes import AdmittedVerdict
from protocol.constants import (
    ARRIVAL_WINDOW_BITS,
    ARRIVAL_WINDOW_US,
    FRACTION_BITS,
    MAX_ARRIVALS,
    MAX_EXPECTED_Q8,
    MAX_RATE_KBPS,
    ONE_ARRIVAL_Q8,
)
from protocol.headers import TransmissionId

GroupKey = tuple[int, int]
"""content_id and destination_id, which the subflows of a transmission have in common."""


def group_key(transmission: TransmissionId) -> GroupKey:
    """The part of the id that the transmission's subflows have in common."""
    return transmission.content_id, transmission.destination_id


@dataclass(frozen=True, slots=True)
class Record:
    """One transmission on one port."""

    id: TransmissionId
    data_port: int
    sender_ip: int
    receiver_ip: int
    slot: int
    rate_kbps: int
    is_bottleneck: bool
    last_seen_us: int
    share_kbps: int = 0
    """B_c: the rate that the port offered it, or reduced it to."""


@dataclass(slots=True)
class ArrivalEstimator:
    """V_Q: a sliding window counter of 2^20 µs."""

    window: int = 0
    current: int = 0
    previous: int = 0
    least_q8: int = ONE_ARRIVAL_Q8
    """The least that Q_T comes to, with 8 fraction bits, above 0."""

    def expected_q8(self, now_us: int, rtt_us: int, is_new: bool) -> int:
        """Q_T for a request now, with 8 fraction bits; counts the request itself if it `is_new`."""
        window = now_us >> ARRIVAL_WINDOW_BITS & 0xFFFFFFFF
        if window != self.window:
            self.previous = self.current if window == self.window + 1 else 0
            self.current = 0
            self.window = window
        if is_new:
            self.current = min(self.current + 1, MAX_ARRIVALS)
        remaining_us = ARRIVAL_WINDOW_US - (now_us & (ARRIVAL_WINDOW_US - 1))
        rate_q8 = (self.previous * remaining_us >> ARRIVAL_WINDOW_BITS - FRACTION_BITS) + (self.current << FRACTION_BITS)
        return min(max(rate_q8 * rtt_us >> ARRIVAL_WINDOW_BITS, self.least_q8), MAX_EXPECTED_Q8)


@dataclass(slots=True)
class Group:
    """The subflows of one transmission on one port: sums over their records."""

    sum_kbps: int = 0
    count: int = 0
    bottleneck_count: int = 0


@dataclass(slots=True)
class Port:
    """A port that takes part: B_z, β, and the sums over its transmissions (a transmission counts once, with all its subflows)."""

    capacity_kbps: int
    tolerance_kbps: int = 0
    sum_kbps: int = 0
    count: int = 0
    bottleneck_sum_kbps: int = 0
    bottleneck_count: int = 0
    arrivals: ArrivalEstimator = field(default_factory=ArrivalEstimator)
    groups: dict[GroupKey, Group] = field(default_factory=dict)
    shares_by_source: bool = False
    """A group is all that one source sends, not one transmission's subflows (decision "sources")."""

    def key_of(self, record: Record) -> GroupKey:
        """Which group the record belongs to."""
        return (record.sender_ip, 0) if self.shares_by_source else group_key(record.id)

    def add(self, record: Record, sign: int = 1) -> None:
        """Puts the record into the sums, or with sign −1 takes it out."""
        group = self.groups.setdefault(self.key_of(record), Group())
        self.count_group(group, -1)
        group.sum_kbps += sign * record.rate_kbps
        group.count += sign
        group.bottleneck_count += sign * record.is_bottleneck
        self.count_group(group, 1)
        if group.count == 0:
            del self.groups[self.key_of(record)]

    def count_group(self, group: Group, sign: int) -> None:
        """Puts the group into the sums, or with sign −1 takes it out."""
        if group.count == 0:
            return
        self.sum_kbps += sign * group.sum_kbps
        self.count += sign
        if group.bottleneck_count:
            self.bottleneck_sum_kbps += sign * group.sum_kbps
            self.bottleneck_count += sign

    @property
    def free_kbps(self) -> int:
        """B_v, never below 0."""
        return max(0, self.capacity_kbps - self.sum_kbps)

    def share(self, expected_q8: int) -> tuple[int, AdmittedVerdict]:
        """Algorithm 1: B_c for one more transmission, rounded down, where `expected_q8` is Q_T with 8 fraction bits."""
        free_kbps = self.free_kbps
        present_q8 = expected_q8 + (self.count << FRACTION_BITS)
        # B_s − B_a, times Q_T · (Q_T + Q_z)
        difference = free_kbps * present_q8 - self.capacity_kbps * expected_q8
        if abs(difference) << FRACTION_BITS <= self.tolerance_kbps * expected_q8 * present_q8:
            verdict, dividend, divisor_q8 = AdmittedVerdict.SHARE, free_kbps, expected_q8
        elif difference < 0:
            verdict, dividend, divisor_q8 = AdmittedVerdict.REDUCE_OTHERS, self.capacity_kbps, present_q8
        else:
            verdict = AdmittedVerdict.INCREASE_OTHERS
            dividend = free_kbps + self.bottleneck_sum_kbps
            divisor_q8 = expected_q8 + (self.bottleneck_count << FRACTION_BITS)
        return min((dividend << FRACTION_BITS) // divisor_q8, MAX_RATE_KBPS), verdict
