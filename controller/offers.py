"""Increases that are on offer, so that they do not chase each other round.

A sender answers an increase with a renegotiation, and that lets the pipeline find new increases for others. Without a
memory every answer would offer the same again to all who have not answered yet. So a record has at most one open
offer; it is closed by the sender's request, by a reduce, or after a few round-trip times.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller import timing
from controller.outbox import Outbox
from controller.records import Record

OFFERS_REMEMBERED = 4
"""Of a record. A reduce makes an open offer void, and then there may be another one before the sender's answer to the first."""


def is_busy(record: Record, now_s: float) -> bool:
    """Whether the record's sender is in the middle of a negotiation or has an open offer to answer."""
    patience_s = timing.patience_s(record.rtt_s)
    if record.negotiating_since_s is not None and now_s - record.negotiating_since_s < patience_s:
        return True
    return record.offer_kbps > 0 and now_s - record.offered_at_s < patience_s


def has_given_up(record: Record, speed_kbps: int) -> bool:
    """Whether the sender left so many offers unanswered that the same or less need not be offered again."""
    return record.offer_tries >= timing.MAX_OFFER_TRIES and speed_kbps <= record.offers_kbps[-1]


def make_offers(speeds_kbps: Mapping[Record, int], outbox: Outbox, now_s: float) -> tuple[dict[Record, int], bool]:
    """Offer its rate to each of them who is free to take it: (what was offered, whether others have to wait)."""
    offered: dict[Record, int] = {}
    somebody_waits = False
    for record, speed_kbps in speeds_kbps.items():
        if has_given_up(record, speed_kbps):
            continue
        if is_busy(record, now_s):
            somebody_waits = True
            continue
        outbox.increase(record, speed_kbps)
        record.offer_kbps = speed_kbps
        record.offers_kbps = (*record.offers_kbps[-(OFFERS_REMEMBERED - 1) :], speed_kbps)
        record.offered_at_s = now_s
        record.offer_tries += 1
        offered[record] = speed_kbps
    return offered, somebody_waits


def close_offer(record: Record) -> None:
    """The offer is answered or void."""
    record.offer_kbps = 0
    record.offer_tries = 0
