"""Enumerations for header fields, with the meaning of each number."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final


class MessageType(IntEnum):
    """`type` of a message."""

    REQUEST = 0x0011
    SUCCESS = 0x0012
    FAILURE = 0x0013
    CHALLENGE = 0x0014
    """Version 2: a request that lacked its token, with the token (decision "tokens")."""
    REDUCE = 0x0021
    INCREASE = 0x0022
    TERMINATE = 0x0023


VERSION_2_TYPES: Final = frozenset({MessageType.CHALLENGE})
NEGOTIATION_TYPES: Final = frozenset({MessageType.REQUEST, MessageType.SUCCESS, MessageType.FAILURE})
ADJUSTMENT_TYPES: Final = frozenset({MessageType.REDUCE, MessageType.INCREASE, MessageType.TERMINATE})


class Flags(IntFlag):
    """`flags` of a message. Unknown bits make it malformed."""

    NONE = 0
    RENEGOTIATION = 1
    REFRESH = 2
    AGAIN = 4
    """Version 2: a renegotiation for the rest of a partial grant (decision "two-phase grants")."""


KNOWN_FLAGS: Final = int(Flags.RENEGOTIATION | Flags.REFRESH)
KNOWN_FLAGS_2: Final = KNOWN_FLAGS | int(Flags.AGAIN)
"""In version 2."""


class ErrorReason(IntEnum):
    """Why a switch ignores a message: index into its counter `nodectl_errors`. The first that applies is counted."""

    LENGTH = 0
    CHECKSUM = 1
    VERSION = 2
    TYPE = 3
    FLAGS = 4
    MAX_ZERO = 5
    MIN_ABOVE_MAX = 6
    RTT = 7
    RESERVED = 8
    SPEED_ZERO = 9
    UNKNOWN_ID = 10
    ID_COLLISION = 11
    STORE_FULL = 12
    FORGED_BATCH = 13
    """A frame that looks like a packet-out but did not come from the controller: dropped."""
    STALE = 14
    """Deployable variant: the message's sequence number no longer counts (decision "stale messages")."""
    NOT_BELIEVED = 15
    """Deployable variant: a host sent a message that hosts may not send, or sent one without its token (decision "tokens")."""


class EventType(IntEnum):
    """`event` of a packet-in."""

    ADMITTED = 1
    REFUSED = 2
    CONFIRMED = 3
    REDUCED = 4
    REMOVED = 5
    REFRESHED = 6
    RECORD = 7
    PORT_TOTALS = 8
    UNANSWERED = 9
    """A packet-out entry that could not be carried out; the verdict is an EntryProblem."""


class AdmittedVerdict(IntEnum):
    """`verdict` of ADMITTED: which case of Algorithm 1 gave the rate, and so which list is due."""

    SHARE = 1
    """|B_s − B_a| ≤ β: nobody else changes."""
    REDUCE_OTHERS = 2
    """B_a − B_s > β: every record above the rate goes down to it."""
    INCREASE_OTHERS = 3
    """B_s − B_a > β: bottleneck records below the rate go up, those above it down (decision "calling back")."""


class RefusedVerdict(IntEnum):
    """`verdict` of REFUSED."""

    BELOW_MIN = 1
    STORE_FULL = 2
    QUOTA = 3
    """Deployable variant: the source has as many records on the port as one may have (decision "sources")."""


class RemovedVerdict(IntEnum):
    """`verdict` of REMOVED: why the record went."""

    TERMINATE = 1
    FAILURE = 2
    EXPIRED = 3


class EntryProblem(IntEnum):
    """`verdict` of UNANSWERED."""

    UNKNOWN_ID = 1
    ADDRESS_MISMATCH = 2
    NO_ROUTE = 3
    """The forwarding table does not know the sender's address: nothing was changed or sent."""
    BAD_ENTRY = 4
    """Unknown entry type, a rate of 0, or a slot that does not exist."""


VERDICTS: Final[dict[EventType, type[IntEnum]]] = {
    EventType.ADMITTED: AdmittedVerdict,
    EventType.REFUSED: RefusedVerdict,
    EventType.REMOVED: RemovedVerdict,
    EventType.UNANSWERED: EntryProblem,
}
"""The enumeration of `verdict` by event; for all other events it is 0."""


class EntryType(IntEnum):
    """`type` of a packet-out entry, with the meaning of its `value`."""

    REDUCE = MessageType.REDUCE
    """value = kbit/s: lower the record to it and tell the sender; no event if that worked."""
    INCREASE = MessageType.INCREASE
    """value = kbit/s: tell the sender to renegotiate for it; the record stays; no event if that worked."""
    EXPIRE = MessageType.TERMINATE
    """value = µs: remove the record if it has not been seen for that long; event REMOVED, else REFRESHED."""
    READ_SLOT = 0x0031
    """value = slot: event RECORD if the slot is taken, nothing if it is free. Other fields ignored."""
    READ_PORT = 0x0032
    """Event PORT_TOTALS for data_port. Other fields ignored."""
    SET_KEY = 0x0033
    """Deployable variant: content_id is the secret key number `value` from now on; no event if there is such a key."""
    TAKE_BACK = 0x0034
    """Deployable variant: the reserve becomes the target if the time to obey a reduce is over; no event if there is such a record."""
