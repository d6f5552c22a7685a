"""The fates of packets at a queue."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """The fate of a packet that enters or leaves a queue."""

    SENT = "sent"
    MARKED = "marked"
    DROPPED = "dropped"
