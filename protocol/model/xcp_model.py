"""A port of an XCP router in plain integers: the behaviour to which the differential tests hold p4src/xcp.p4.

Source: D. Katabi, M. Handley, C. Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks", ACM SIGCOMM 2002, section 3.
docs/xcp.md has the equations and says where this differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.constants import MAX_RTT_US
from protocol.model.rate_units import IDLE_US, MAX_WAIT_US, CountingPort, arrived_kbps, least_kbps, passed_us, smoothed_q3, waiting_kbps

ALPHA_Q10 = 410
"""0.4 in 1/1024."""

BETA_Q10 = 231
"""0.226 in 1/1024."""

GAMMA_Q10 = 102
"""0.1 in 1/1024."""

MAX_UP = 2**38 - 1
WHOLE_Q16 = 2**16
MAX_SUM_US = 2**32 - 1
LONGEST_INTERVAL_US = 500_000
"""Below ``IDLE_US``, so an interval ends whatever a question says."""


@dataclass(frozen=True)
class Factors:
    """How questions share what an interval came to.

    Args:
        up_q16: for each µs of a question's RTT the rate rises by this, kbit/s in 1/2 ** 16.
        down_q32: and falls by this part of itself, in 1/2 ** 32.
    """

    up_q16: int = 0
    down_q32: int = 0

    def allowed_kbps(self, rate_kbps: int, rtt_us: int, capacity_kbps: int) -> int:
        """The rate that a question is allowed, of a sender at ``rate_kbps``."""
        part_q16 = min(rtt_us * self.down_q32 >> 16, WHOLE_Q16)
        changed_kbps = rate_kbps + (rtt_us * self.up_q16 >> 16) - (rate_kbps * part_q16 >> 16)
        return max(min(changed_kbps, capacity_kbps), least_kbps(capacity_kbps))


@dataclass
class XcpPort(CountingPort):
    """One port that takes part."""

    is_used: bool = False
    rtt_q3: int = 0
    """Mean RTT d in 1/8 µs; 0: nobody has said it yet."""
    rtt_sum_us: int = 0
    """Of the questions in this interval."""
    longest_us: int = 0
    """Of their RTTs."""
    longest_last_us: int = 0
    """Of those in the last interval."""
    least_wait_us: int = 0
    """Of a packet in this interval."""
    factors: Factors = Factors()

    @property
    def interval_us(self) -> int:
        """The least length of the present interval: each sender asks in it, so the sum of RTTs has a part of each."""
        return min(max(self.rtt_q3 >> 3, self.longest_us, self.longest_last_us), LONGEST_INTERVAL_US)

    def leave(
        self, arrived_us: int, arrived_bytes: int, waited_us: int, request: tuple[int, int, int] | None = None
    ) -> tuple[int, int] | None:
        """The packet leaves the queue.

        Args:
            arrived_us: when it came, by the switch's clock modulo 2 ** 32.
            arrived_bytes: the result of :meth:`arrive`.
            waited_us: how long it waited.
            request: ``max_kbps``, ``min_kbps`` and ``rtt_us`` if it is one.

        Returns:
            The request's ``max_kbps`` and ``min_kbps`` as they go on; None if it is no request.
        """
        elapsed_us = passed_us(arrived_us, self.begin_us)
        rtt_us = self.rtt_q3 >> 3
        if not self.is_used or elapsed_us > IDLE_US:
            self.is_used, self.rtt_q3, self.factors, self.longest_us = True, 0, Factors(), 0
            self._begin(arrived_us, arrived_bytes)
        elif rtt_us and elapsed_us and elapsed_us >= self.interval_us:
            came_bytes = arrived_bytes - self.begin_bytes
            self.factors = next_factors(self.capacity_kbps, rtt_us, elapsed_us, came_bytes, self.least_wait_us, self.rtt_sum_us)
            self._begin(arrived_us, arrived_bytes)
        self.least_wait_us = min(self.least_wait_us, waited_us)
        if request is None:
            return None
        max_kbps, rate_kbps, said_us = request
        if not 0 < said_us <= MAX_RTT_US:
            return max_kbps, rate_kbps
        self.rtt_q3 = smoothed_q3(self.rtt_q3, said_us)
        self.rtt_sum_us = min(self.rtt_sum_us + said_us, MAX_SUM_US)
        self.longest_us = max(self.longest_us, said_us)
        allowed_kbps = min(max_kbps, self.factors.allowed_kbps(rate_kbps, said_us, self.capacity_kbps))
        return allowed_kbps, min(rate_kbps, allowed_kbps)

    def _begin(self, arrived_us: int, arrived_bytes: int) -> None:
        self.begin_us, self.begin_bytes, self.rtt_sum_us, self.least_wait_us = arrived_us, arrived_bytes, 0, MAX_WAIT_US
        self.longest_last_us, self.longest_us = self.longest_us, 0


def next_factors(capacity_kbps: int, rtt_us: int, elapsed_us: int, came_bytes: int, waited_us: int, rtt_sum_us: int) -> Factors:
    """The factors after a control interval, each division rounded down (Katabi et al. 2002, sections 3.5.1 and 3.5.2).

    Args:
        capacity_kbps: C.
        rtt_us: d.
        elapsed_us: T.
        came_bytes: in the interval; y = came_bytes / elapsed_us.
        waited_us: by the packet that waited least; Q = waited_us x C.
        rtt_sum_us: of the interval's questions.
    """
    came_kbps = arrived_kbps(came_bytes, elapsed_us)
    loss_q10 = ALPHA_Q10 * came_kbps + BETA_Q10 * waiting_kbps(waited_us, capacity_kbps, rtt_us)
    gain_q10 = ALPHA_Q10 * capacity_kbps - loss_q10
    change_kbps = abs(gain_q10) >> 10
    dealt_kbps = max((GAMMA_Q10 * came_kbps >> 10) - change_kbps, 0)
    up_kbps = dealt_kbps + (change_kbps if gain_q10 > 0 else 0)
    down_kbps = dealt_kbps + (0 if gain_q10 > 0 else change_kbps)
    part_q16 = min((down_kbps << 16) // came_kbps, WHOLE_Q16) if came_kbps else 0
    return Factors(min((up_kbps << 16) // max(rtt_sum_us, elapsed_us), MAX_UP), (part_q16 << 16) // elapsed_us)
