"""The receiver's part of the negotiation (Liu et al. 2023, Algorithm 5). No I/O."""

from __future__ import annotations

from dataclasses import replace

from protocol.any_message import AnyMessage
from protocol.telemetry import Telemetry
from protocol.wire import MAX_RATE_KBPS, Flags, Message, MessageType, Negotiation


def answer(message: Message, provide_kbps: int = MAX_RATE_KBPS) -> Negotiation | None:
    """The answer to ``message``, or None if it wants none (only requests do).

    Args:
        message: as received.
        provide_kbps: the rate that this receiver can take, in kbit/s (*provide_speed*); 0: nothing.

    Returns:
        Success with min(Max, provide), or failure if that is below Min. Flags, id, Min and RTT are the request's. On the
        way back the switches say anew how much of it is granted (docs/decisions/nobody-waits-for-what-is-free.md). A refresh asks for no
        more than was granted.
    """
    if not isinstance(message, Negotiation) or message.type is not MessageType.REQUEST:
        return None
    if provide_kbps < max(message.min_kbps, 1):
        return replace(message, type=MessageType.FAILURE)
    success = replace(message, type=MessageType.SUCCESS, max_kbps=min(message.max_kbps, provide_kbps))
    return success if Flags.REFRESH in success.flags else success.granting(success.max_kbps)


def reply_to(message: AnyMessage, provide_kbps: int = MAX_RATE_KBPS) -> AnyMessage | None:
    """The answer to a message, see :func:`answer`, or the echo of a telemetry question; None: it wants none."""
    return message.echo if isinstance(message, Telemetry) else answer(message, provide_kbps)
