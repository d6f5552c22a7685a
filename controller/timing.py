"""The controller's waiting times: seconds, unless the name says otherwise. Times that hosts know too are in protocol/constants.py."""

from __future__ import annotations

from typing import Final

from common.units import US_PER_S
from protocol.model.enforcement_model import GRACE_US

EXPIRY_RETRY_S: Final = 1.0
"""How long to wait for the pipeline's answer to an expire entry before asking again."""

TICK_S: Final = 0.1
"""How often the housekeeping runs: expiry, reconciliation, offers that nobody answered."""

PORT_CHECK_S: Final = 5.0
"""How often the port totals are compared with the data plane."""
RECHECK_S: Final = 0.2
"""A difference is looked at again after this time before the records are read anew: entries may still be under way."""
LOAD_READ_S: Final = 1.0
"""How often the switch is asked for the measured load of a port, which it measures over about as long."""
READ_TIMEOUT_S: Final = 2.0
"""An answer to read-port-totals that has not come by then is taken for lost."""
WALK_SETTLE_S: Final = 0.1
"""Between the last read-slot batch and the closing read-port-totals."""
WALK_RETRY_MAX_S: Final = 30.0

MIN_PATIENCE_S: Final = 0.2
PATIENCE_RTTS: Final = 3.0
"""A sender has this many round-trip times (at least MIN_PATIENCE_S) to answer an offer or to finish a negotiation."""
MAX_OFFER_TRIES: Final = 3

IDLE_S: Final = 2.5
"""A port without new transmissions for this long expects none: both windows of its arrival estimate are empty."""
IDLE_MAX_S: Final = 60.0

REDUCE_ACK_S: Final = 1.0
"""A sender refreshes its record soon after a reduce; without that the reduce is sent again after this time."""
MAX_REDUCE_TRIES: Final = 3

OBEYED_AFTER_S: Final = GRACE_US / US_PER_S + MIN_PATIENCE_S
"""The first switch holds a sender to its reduce some time after that has passed (decision "enforcement"); then it is sure that it does."""


def patience_s(rtt_s: float) -> float:
    """How long an answer from a sender with this round-trip time may take, in seconds."""
    return max(MIN_PATIENCE_S, PATIENCE_RTTS * rtt_s)


def take_back_s(rtt_s: float) -> float:
    """The time after a reduce when "enforcement" takes back the rate that a sender with this round-trip time keeps, in seconds.

    By then the first switch holds the sender to the reduce, and its answer would have been here.
    """
    return max(OBEYED_AFTER_S, patience_s(rtt_s))
