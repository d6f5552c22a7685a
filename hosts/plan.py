"""The plan of a sender: one transmission from the command line, or several from a plan file (JSON).

A plan file::

    {"transmissions": [{"name": "A", "to": "10.0.0.4", "cc": "nodectl", "start_at": 12.5, "stop_at": 32.5, "samples": "a.csv"},
                       {"name": "B", "to": "10.0.0.4", "cc": "cubic", "start_at": 13.0, "bytes": 100000}],
     "summaries": "summaries.jsonl"}
"""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from common.errors import UserError
from common.units import BITS_PER_KILOBIT
from hosts.cca.scheme_names import parse_scheme
from hosts.periodic import SAMPLE_INTERVAL_S
from protocol.constants import TCP_DATA_PORT
from protocol.variant import VariantName
from protocol.wire import MAX_RATE_KBPS

NODECTL = "nodectl"
"""The congestion control that negotiates a rate unless the plan says otherwise; all others just run."""

MAX_CONTENT_ID = 2**64 - 1

Rate = Annotated[int, Field(le=MAX_RATE_KBPS * BITS_PER_KILOBIT)]


class TransmissionPlan(BaseModel):
    """One transmission. Rates in bit/s at the Ethernet frame, times in CLOCK_MONOTONIC seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    to: IPv4Address
    name: str = Field(default="transmission", min_length=1)
    port: int = Field(default=TCP_DATA_PORT, ge=1, le=65535)
    cc: str = NODECTL
    """The scheme, as hosts/cca/scheme_names.py has it: ``cubic``, ``qtcolfair(alpha=1.5)``."""
    negotiates: bool = Field(default_factory=lambda fields: _negotiates(str(fields.get("cc"))))
    """Ask the network for a rate and keep to it; default: as the scheme declares."""
    content_id: int | None = Field(default=None, ge=1, le=MAX_CONTENT_ID)
    """Names the transmission in negotiation messages; None: a random number, which nobody can guess."""
    multipath: bool = False
    """Over all paths that MPTCP opens (`ip mptcp`); plain TCP, and a word about it, where that cannot be."""
    other_addresses: tuple[IPv4Address, ...] = Field(default=(), exclude_if=lambda addresses: not addresses)
    """Of this host, each begins another path (docs/decisions/another-path.md): refused on one, the transmission asks over the next.

    A plan without any is written as ever: it is among the samples, whose checksum is to stay.
    """
    min_rate_bps: Annotated[Rate, Field(ge=0)] = 0
    max_rate_bps: Annotated[Rate, Field(ge=BITS_PER_KILOBIT)] | None = None
    """The highest rate to ask for; None: the highest that a message can say, so that the network answers with all it has."""
    bytes: int | None = Field(default=None, ge=1)
    start_at: float = Field(default=0.0, ge=0)
    stop_at: float | None = Field(default=None, ge=0)
    refreshes: bool = True
    """Keep the records in the switches alive (docs/decisions/refreshes.md)."""
    variant: VariantName = VariantName.PAPER
    """Which Nodectl the network has (docs/protocol.md)."""
    samples: Path | None = None
    summary: Path | None = None

    @model_validator(mode="after")
    def _check(self) -> TransmissionPlan:
        try:
            parse_scheme(self.cc)
        except UserError as error:
            raise ValueError(error.what) from None
        if self.bytes is None and self.stop_at is None:
            raise ValueError("says neither how many bytes to send nor when to stop")
        if self.stop_at is not None and self.stop_at <= self.start_at:
            raise ValueError("stops before it starts")
        if self.multipath and self.asks_every_rtt:
            raise ValueError(f"{self.cc} asks for its rate every round trip, which is for one path alone: multipath cannot be")
        if self.multipath and self.other_addresses:
            raise ValueError("with multipath it goes over all paths: other_addresses cannot be")
        if self.max_rate_bps is not None and self.min_rate_bps > self.max_rate_bps:
            raise ValueError("min_rate_bps is above max_rate_bps")
        return self

    @property
    def asks_every_rtt(self) -> bool:
        """Ask for the rate anew every round trip, of a network that keeps no records."""
        return parse_scheme(self.cc).needs.asks_every_rtt

    @property
    def says_its_rate(self) -> bool:
        """Tell the network the present rate with each such question."""
        return parse_scheme(self.cc).needs.says_its_rate

    @property
    def reads_telemetry(self) -> bool:
        """Compute the rate from records of the links on the way, which such questions bring back."""
        return parse_scheme(self.cc).needs.reads_telemetry

    @property
    def min_rate_kbps(self) -> int:
        """Lowest rate to be accepted, kbit/s, rounded up."""
        return -(-self.min_rate_bps // BITS_PER_KILOBIT)

    @property
    def max_rate_kbps(self) -> int:
        """Highest rate to ask for, kbit/s, rounded down but not below the minimum."""
        if self.max_rate_bps is None:
            return MAX_RATE_KBPS
        return max(self.max_rate_bps // BITS_PER_KILOBIT, self.min_rate_kbps)


class Plan(BaseModel):
    """Transmissions of one sending host, to any hosts, at the same time or one after the other, each with its own congestion control."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    transmissions: tuple[TransmissionPlan, ...] = Field(min_length=1)
    sample_interval_s: float = Field(default=SAMPLE_INTERVAL_S, ge=0.001, le=1)
    summaries: Path | None = None
    """All transmissions' summaries in one file: a line of JSON each, in the plan's order."""

    @model_validator(mode="after")
    def _check(self) -> Plan:
        ids = Counter((one.content_id, one.to) for one in self.transmissions if one.content_id is not None)
        files = Counter(file for one in self.transmissions for file in (one.samples, one.summary) if file is not None)
        for (content_id, receiver), count in ids.items():
            if count > 1:
                raise ValueError(f"{count} transmissions to {receiver} have the content_id {content_id}")
        for file, count in files.items():
            if count > 1:
                raise ValueError(f"{file} is named {count} times: each transmission writes files of its own")
        return self


def _negotiates(cc: str) -> bool:
    try:
        return parse_scheme(cc).needs.negotiates
    except UserError:
        return False  # the check of the plan says what is wrong with it


def read_plan(path: Path) -> Plan:
    """Reads a plan file.

    Raises:
        UserError: it cannot be read or is wrong somewhere; the message says where.
    """
    try:
        return Plan.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise UserError(explain(error, str(path))) from error


def plan_of(**values: object) -> Plan:
    """A plan of one transmission, from command line options.

    Raises:
        UserError: the options do not go together.
    """
    try:
        return Plan(transmissions=(TransmissionPlan.model_validate(values),))
    except ValidationError as error:
        raise UserError(explain(error, "send")) from error


def explain(error: ValidationError, where: str) -> str:
    """One line a mistake: its place, and the mistake itself."""
    mistakes = error.errors()
    # A list whose only item is wrong counts as empty, too; that says nothing new.
    told = [mistake for mistake in mistakes if mistake["type"] != "too_short"] or mistakes
    lines = []
    for mistake in told:
        place = ".".join(str(part) for part in mistake["loc"])
        text = mistake["msg"].removeprefix("Value error, ")
        lines.append(f"{where}: {place}: {text}" if place else f"{where}: {text}")
    return "\n".join(lines)
