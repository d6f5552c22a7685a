"""HPCC's window: the bits that a sender keeps under way, computed from records of the links on its way. Pure arithmetic.

Source: Y. Li et al., "HPCC: High Precision Congestion Control", ACM SIGCOMM 2019, Algorithm 1. The names of its lines are those there.
The records come once a round trip, so each of them updates the reference window Wc (docs/hpcc.md has all differences).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from common.units import BITS_PER_BYTE, US_PER_MS
from protocol.telemetry import Hop

ETA = 0.95
"""η: the utilization that a link is to have."""

MOST_STAGES = 5
"""maxStage: so many times the window grows by W_AI alone."""

EXPECTED_SENDERS = 10
"""N in W_AI = W_init (1 - η) / N."""

LEAST_PART = 2**-10
"""The window stays above this part of the slowest link's B T."""

CLOCK_RANGE = 2**32
COUNTER_RANGE = 2**64


@dataclass
class HpccWindow:
    """The state of one sender.

    Args:
        frame_bytes: of a full packet; queues are recorded in packets.
        base_rtt_us: T, the round trip without queues: the shortest one so far.
    """

    frame_bytes: int
    base_rtt_us: int
    window_bits: float | None = None
    """W; None before the first records."""
    former_bits: float = 0.0
    """Wc: the window with which the packets were sent that the next records tell of."""
    stage: int = 0
    """incStage."""
    utilization: float = 0.0
    """U, of the link that is used most."""
    _hops: tuple[Hop, ...] = field(default=())

    def rate_kbps(self, hops: tuple[Hop, ...], rtt_us: int) -> int | None:
        """The rate W / T, bits/s at the frame, with which the sender goes on.

        Args:
            hops: the records of a question.
            rtt_us: its round trip.

        Returns:
            None: no link on the way is managed, or the records are older than the last ones.
        """
        self.base_rtt_us = min(self.base_rtt_us, rtt_us)
        if not hops:
            return None
        if self.window_bits is None or not self._is_same_way(hops):
            self.window_bits = self.former_bits = self._line_bits(hops)
            self._hops = hops
        elif (measured := self._measure_in_flight(hops)) is not None:
            self.utilization = measured
            self._hops = hops
            self.window_bits, self.former_bits = self._compute_window(hops), self.window_bits
        else:
            return None
        return max(1, round(self.window_bits * US_PER_MS / self.base_rtt_us))

    def _is_same_way(self, hops: tuple[Hop, ...]) -> bool:
        return [hop.link_kbps for hop in hops] == [hop.link_kbps for hop in self._hops]

    def _line_bits(self, hops: tuple[Hop, ...]) -> float:
        """W_init = B T: a sender begins at the rate of its line, here that of the slowest link."""
        return min(hop.link_kbps for hop in hops) * self.base_rtt_us / US_PER_MS

    def _measure_in_flight(self, hops: tuple[Hop, ...]) -> float | None:
        """MeasureInflight; None: no time has passed since the last records, or these are older."""
        base_us, found = self.base_rtt_us, (-1.0, 0)
        for now, before in zip(hops, self._hops, strict=True):
            passed_us = (now.left_us - before.left_us) % CLOCK_RANGE
            if not 0 < passed_us < CLOCK_RANGE // 2:
                return None
            sent_kbps = (now.sent_bytes - before.sent_bytes) % COUNTER_RANGE * BITS_PER_BYTE * US_PER_MS / passed_us
            queue_bits = min(now.queue_packets, before.queue_packets) * self.frame_bytes * BITS_PER_BYTE
            used = (queue_bits * US_PER_MS / base_us + sent_kbps) / now.link_kbps
            found = max(found, (used, passed_us))
        used, passed_us = found
        part = min(passed_us, base_us) / base_us
        return (1 - part) * self.utilization + part * used

    def _compute_window(self, hops: tuple[Hop, ...]) -> float:
        """ComputeWind, with updateWc."""
        line_bits = self._line_bits(hops)
        growth_bits = line_bits * (1 - ETA) / EXPECTED_SENDERS
        if self.utilization >= ETA or self.stage >= MOST_STAGES:
            window_bits = self.former_bits / max(self.utilization / ETA, LEAST_PART) + growth_bits
            self.stage = 0
        else:
            window_bits = self.former_bits + growth_bits
            self.stage += 1
        return min(max(window_bits, line_bits * LEAST_PART), line_bits)
