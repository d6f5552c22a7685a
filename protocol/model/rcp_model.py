"""A port of an RCP router in plain integers: the behaviour to which the differential tests hold p4src/rcp.p4.

Source: N. Dukkipati, "Rate Control Protocol (RCP): Congestion control to make flows complete quickly", PhD thesis, Stanford (2007).
docs/rcp.md has the equation and says where this differs.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.constants import MAX_RTT_US
from protocol.model.rate_units import IDLE_US, CountingPort, arrived_kbps, least_kbps, passed_us, smoothed_q3, waiting_kbps

ALPHA_Q10 = 410
"""0.4 in 1/1024."""

BETA_Q10 = 410
"""0.4 in 1/1024."""

INTERVAL_US = 10_000
"""Control interval T; the mean RTT if that is shorter."""


@dataclass
class RcpPort(CountingPort):
    """One port that takes part."""

    rate_kbps: int = 0
    """R; 0 until the first packet."""
    rtt_q3: int = 0
    """Mean RTT d in 1/8 µs; 0: nobody has said it yet."""

    def leave(self, arrived_us: int, arrived_bytes: int, waited_us: int, request: tuple[int, int] | None = None) -> int | None:
        """The packet leaves the queue.

        Args:
            arrived_us: when it came, by the switch's clock modulo 2 ** 32.
            arrived_bytes: the result of :meth:`arrive`.
            waited_us: how long it waited.
            request: ``max_kbps`` and ``rtt_us`` if it is one.

        Returns:
            The request's ``max_kbps`` as it goes on; None if it is no request.
        """
        elapsed_us = passed_us(arrived_us, self.begin_us)
        rtt_us = self.rtt_q3 >> 3
        if self.rate_kbps == 0 or elapsed_us > IDLE_US:
            self.rate_kbps, self.rtt_q3 = self.capacity_kbps, 0
            self.begin_us, self.begin_bytes = arrived_us, arrived_bytes
        elif rtt_us and elapsed_us >= min(INTERVAL_US, rtt_us):
            came_bytes = arrived_bytes - self.begin_bytes
            self.rate_kbps = next_rate_kbps(self.rate_kbps, self.capacity_kbps, rtt_us, elapsed_us, came_bytes, waited_us)
            self.begin_us, self.begin_bytes = arrived_us, arrived_bytes
        if request is None:
            return None
        max_kbps, said_us = request
        if not 0 < said_us <= MAX_RTT_US:
            return max_kbps
        self.rtt_q3 = smoothed_q3(self.rtt_q3, said_us)
        return min(max_kbps, self.rate_kbps)


def next_rate_kbps(rate_kbps: int, capacity_kbps: int, rtt_us: int, elapsed_us: int, came_bytes: int, waited_us: int) -> int:
    """R after a control interval, kbit/s: R (1 + (T / d) (alpha (C - y) - beta q / d) / C), each division rounded down.

    Args:
        rate_kbps: R before.
        capacity_kbps: C.
        rtt_us: d.
        elapsed_us: T.
        came_bytes: in the interval; y = came_bytes / elapsed_us.
        waited_us: by the last packet; q = waited_us x C.
    """
    loss_q10 = ALPHA_Q10 * arrived_kbps(came_bytes, elapsed_us) + BETA_Q10 * waiting_kbps(waited_us, capacity_kbps, rtt_us)
    gain_q10 = ALPHA_Q10 * capacity_kbps - loss_q10
    share_kbps = min((abs(gain_q10) >> 10) * min(elapsed_us, rtt_us) // rtt_us, capacity_kbps)
    change_kbps = share_kbps * rate_kbps // capacity_kbps
    changed_kbps = rate_kbps + change_kbps if gain_q10 > 0 else rate_kbps - change_kbps
    return max(min(changed_kbps, capacity_kbps), least_kbps(capacity_kbps))
