"""Lab 9's law with a cap or a width of one's choice, to tell which of them a wrong rate comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.model.rate_units import BIT_PER_MS, LEAST_PART, MAX_RATE_KBPS, MAX_WAIT_US
from protocol.model.rcp_model import ALPHA_Q10, BETA_Q10

NONE: Final = 2**200
"""As a cap: none. As a width's modulus: no number of the law is as large."""

WORD: Final = 2**32


@dataclass(frozen=True)
class Law:
    """The law; it is right unless one of these is another.

    Args:
        most_wait_us: longer waits count as this.
        most_arrived_kbps: a larger y counts as this.
        most_waiting_kbps: a larger q / d counts as this.
        wait_product: modulus of w C.
        interval_product: modulus of the difference times T.
        rate_product: modulus of the change times R.
        rate_sum: modulus of R and its change together.
        arrived: modulus of y.
        waiting: modulus of q / d.
    """

    most_wait_us: int = MAX_WAIT_US
    most_arrived_kbps: int = MAX_RATE_KBPS
    most_waiting_kbps: int = MAX_RATE_KBPS
    wait_product: int = NONE
    interval_product: int = NONE
    rate_product: int = NONE
    rate_sum: int = NONE
    arrived: int = NONE
    waiting: int = NONE

    def next_rate_kbps(self, rate_kbps: int, capacity_kbps: int, rtt_us: int, elapsed_us: int, came_bytes: int, waited_us: int) -> int:
        """R after a control interval, kbit/s; the arguments are those of :func:`protocol.model.rcp_model.next_rate_kbps`."""
        arrived = min(came_bytes * BIT_PER_MS // elapsed_us % self.arrived, self.most_arrived_kbps)
        wait_product = min(waited_us, self.most_wait_us) * capacity_kbps % self.wait_product
        waiting = min(wait_product // rtt_us % self.waiting, self.most_waiting_kbps)
        gain_q10 = ALPHA_Q10 * capacity_kbps - ALPHA_Q10 * arrived - BETA_Q10 * waiting
        share = (abs(gain_q10) >> 10) * min(elapsed_us, rtt_us) % self.interval_product // rtt_us
        change = min(share, capacity_kbps) * rate_kbps % self.rate_product // capacity_kbps
        changed = (rate_kbps + change if gain_q10 > 0 else rate_kbps - change) % self.rate_sum
        return max(min(changed, capacity_kbps), (capacity_kbps >> LEAST_PART) + 1)


WRONG_CAPS: Final = {
    "that is R without the cap on the wait: more than MAX_WAIT_US counts as that": Law(most_wait_us=NONE),
    "that is R without the cap on y: more than MAX_RATE_KBPS counts as that": Law(most_arrived_kbps=NONE),
    "that is R without the cap on q / d: more than MAX_RATE_KBPS counts as that": Law(most_waiting_kbps=NONE),
    "that is R without the caps on the wait and on q / d": Law(most_wait_us=NONE, most_waiting_kbps=NONE),
    "that is R without the caps on y and on q / d": Law(most_arrived_kbps=NONE, most_waiting_kbps=NONE),
}
WRONG_WIDTHS: Final = {
    "that is R as if y had 32 bits only: a larger value counts as MAX_RATE_KBPS, it is not cut off": Law(arrived=WORD),
    "that is R as if q / d had 32 bits only: a larger value counts as MAX_RATE_KBPS, it is not cut off": Law(waiting=WORD),
    "that is R as if the product of wait and C had 32 bits only": Law(wait_product=WORD),
    "that is R as if the product of the difference and T had 32 bits only": Law(interval_product=WORD),
    "that is R as if the product of the change and R had 32 bits only": Law(rate_product=WORD),
    "that is R as if R and its change had 32 bits together: compare with C before you cut off": Law(rate_sum=WORD),
}
