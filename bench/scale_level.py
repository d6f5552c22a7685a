"""The fair-level variant in the place of bench/scale.py's lists: one newcomer beside thousands who follow the level (docs/scale.md).

A newcomer asks, and right behind it somebody who has had a record for long: when the answer to that has come, the new level is
published. Then everybody asks once, as each does in its control period anyway, and once more to say that it sends no more than that. The
newcomer is the last one, and has its level then.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.scale_bed import LARGE_STORE_WAY_BITS, RECORD_KBPS, RTT_US, SMALL_STORE, Bed, bed, difference, identity
from common.errors import UserError
from common.units import BITS_PER_KILOBIT, MS_PER_S
from controller.latency import LatencyLog
from protocol.constants import WAY_BITS
from protocol.deployable_headers import MessageExtension
from protocol.variant import Variant, VariantName
from protocol.wire import MAX_RATE_KBPS, Flags, MessageType
from protocol.wire_v2 import ExtendedNegotiation

CHUNK = 500
FIRST = 1
"""The sender who asks right behind each newcomer."""


@dataclass(frozen=True)
class LevelScale:
    """Of one number of records: medians over newcomers unless the name says otherwise. Times in ms, processor time too."""

    records: int
    rounds: int
    published_ms: float
    published_p99_ms: float
    has_its_level_ms: float
    messages: int
    events: int
    controller_cpu_ms: float
    switch_cpu_ms: float
    following_controller_cpu_ms: float
    following_switch_cpu_ms: float


@dataclass
class Followers:
    """Senders who ask for all that they want, and keep to their answers."""

    bed: Bed
    wanted_kbps: dict[int, int] = field(default_factory=dict)
    """By number."""
    level_kbps: dict[int, int] = field(default_factory=dict)
    """The levels in their answers."""
    rates_kbps: dict[int, int] = field(default_factory=dict)
    """The parts of these that are theirs already."""
    _sequence: int = 0

    def ask(self, numbers: Iterable[int]) -> float:
        """They ask, and have their answers; when the last one came (CLOCK_MONOTONIC, s).

        Raises:
            UserError: somebody has none, or was refused.
        """
        self._sequence += 1
        asking = list(numbers)
        hosts = self.bed.hosts
        hosts.forget()
        hosts.send_all((number, self._request(number)) for number in asking)
        self.bed.wait("the answers", lambda: hosts.count(MessageType.SUCCESS) >= len(asking))
        latest_s = hosts.latest_s
        for answer in hosts.messages(MessageType.SUCCESS):
            assert isinstance(answer, ExtendedNegotiation)
            number = answer.id.destination_id
            self.level_kbps[number] = answer.max_kbps
            self.rates_kbps[number] = min(answer.max_kbps, answer.extension.granted_kbps)
        return latest_s

    def _request(self, number: int) -> ExtendedNegotiation:
        current_kbps = self.rates_kbps.get(number, 0)
        extension = MessageExtension(sequence=self._sequence, current_kbps=current_kbps, granted_kbps=MAX_RATE_KBPS)
        flags = Flags.RENEGOTIATION if number in self.rates_kbps else Flags.NONE
        wanted_kbps = self.wanted_kbps.get(number, MAX_RATE_KBPS)
        return ExtendedNegotiation(MessageType.REQUEST, identity(number), wanted_kbps, 0, RTT_US, flags=flags, extension=extension)


def measure_level(records: int, rounds: int, grpc_port: int) -> LevelScale:
    """So many records, and newcomers one after the other.

    Raises:
        UserError: something does not start, does not come to its end, or a level is not what it should be.
    """
    variant = Variant(basis=VariantName.FAIR_LEVEL, way_bits=WAY_BITS if records <= SMALL_STORE else LARGE_STORE_WAY_BITS)
    capacity_kbps = records * RECORD_KBPS
    published, complete = LatencyLog(), LatencyLog()
    computed: list[tuple[float, float]] = []
    following: list[tuple[float, float]] = []
    events: list[int] = []
    with bed(grpc_port, capacity_kbps * BITS_PER_KILOBIT, variant) as made:
        followers = Followers(made, dict.fromkeys(range(1, records + 1), RECORD_KBPS))
        for first in range(1, records + 1, CHUNK):
            followers.ask(range(first, min(first + CHUNK, records + 1)))
        made.settle()
        for newcomer in range(records + 1, records + rounds + 1):
            events_before, before = made.told()["events"], made.cpu_s()
            asked_s = time.monotonic()
            published.add(followers.ask([newcomer, FIRST]) - asked_s)
            between = made.cpu_s()
            level_kbps = capacity_kbps // newcomer
            if (followers.level_kbps[newcomer], followers.level_kbps[FIRST]) != (level_kbps, level_kbps):
                raise UserError(f"the level of {newcomer} records should be {level_kbps} kbit/s: {followers.level_kbps[FIRST]}")
            everybody = range(1, newcomer + 1)
            followers.ask(everybody)
            complete.add(followers.ask(everybody) - asked_s)
            computed.append(difference(before, between))
            following.append(difference(between, made.cpu_s()))
            if followers.rates_kbps[newcomer] != level_kbps:
                raise UserError(f"the newcomer should have {level_kbps} kbit/s: {followers.rates_kbps[newcomer]}")
            events.append(made.told()["events"] - events_before)
    (controller, switch), (later_controller, later_switch) = (
        [MS_PER_S * statistics.median(column) for column in zip(*rows, strict=True)] for rows in (computed, following)
    )
    seen = published.summary()
    return LevelScale(
        records, rounds, seen.p50_ms, seen.p99_ms, complete.summary().p50_ms, 4 * (records + rounds // 2), round(statistics.median(events)),
        controller, switch, later_controller, later_switch,
    )  # fmt: skip
