"""The sentences of the log: the events on a port, in words that a student can follow."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

from controller.names import NameBook, rate_text
from controller.records import Record
from protocol.codes import EntryProblem, RefusedVerdict, RemovedVerdict

NAMED_AT_MOST: Final = 4
"""Longer lists are cut: "and 996 more"."""

_REMOVED_WORDS: Final[dict[int, str]] = {
    RemovedVerdict.TERMINATE: "finished",
    RemovedVerdict.FAILURE: "failed to negotiate",
    RemovedVerdict.EXPIRED: "timed out",
}
_REFUSED_WORDS: Final[dict[int, str]] = {
    RefusedVerdict.BELOW_MIN: "below its minimum",
    RefusedVerdict.STORE_FULL: "the record store is full",
}
_PROBLEM_WORDS: Final[dict[int, str]] = {
    EntryProblem.UNKNOWN_ID: "the switch has no such record",
    EntryProblem.ADDRESS_MISMATCH: "the switch's record has other addresses",
    EntryProblem.NO_ROUTE: "the switch has no route to the sender",
    EntryProblem.BAD_ENTRY: "the switch does not understand the entry",
}


def removed_words(verdict: int) -> str:
    """How a record went."""
    return _REMOVED_WORDS.get(verdict, "left")


def refused_words(verdict: int) -> str:
    """Why a request was refused."""
    return _REFUSED_WORDS.get(verdict, f"reason {verdict}")


def problem_words(verdict: int) -> str:
    """Why a packet-out entry could not be carried out."""
    return _PROBLEM_WORDS.get(verdict, f"reason {verdict}")


def name_of(record: Record, names: NameBook) -> str:
    """The name of the record's transmission."""
    return names.transmission(record.sender_ip, record.receiver_ip, record.id.subflow)


def changes(speeds_kbps: Mapping[Record, int], verb: str, names: NameBook) -> str:
    """ "A reduced 36.0 → 18.0, C reduced 20.0 → 18.0 and 7 more", or nothing for no records.

    To be called before the records' rates are changed.
    """
    named = sorted(
        f"{name_of(record, names)} {verb} {rate_text(record.rate_kbps)} → {rate_text(speed)}"
        for record, speed in islice(speeds_kbps.items(), NAMED_AT_MOST)
    )
    more = len(speeds_kbps) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
