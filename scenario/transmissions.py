"""The traffic of a scenario: transmissions, which the hosts' agents carry out, and ordinary programs."""

from __future__ import annotations

from string import Template
from typing import Annotated

from pydantic import Field, model_validator

from common.units import BITS_PER_MEGABIT
from scenario.base import Name, PositiveRate, SchemeName, Strict

MAX_COUNT = 1000
FOLDER = "folder"
"""``$folder`` in a command: the folder of the scenario's ``files``."""

FileName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$",
        description="a path below the folder of the files, as a text",
        examples=["www/file"],
    ),
]
FileContent = str | Annotated[int, Field(ge=0, le=10**9)]
"""A text, or so many bytes of zeros."""


class Transmission(Strict):
    """One transmission; times in seconds after the run's start."""

    name: Name
    """In tables, pictures and logs."""
    sender: Name
    """The host that sends."""
    receiver: Annotated[Name, Field(examples=["h3"])]
    """The host that receives."""
    scheme: SchemeName | None = None
    """Its own congestion control, whatever the run's scheme is."""
    start_s: float = Field(default=0.0, ge=0)
    """When it starts to negotiate or to send."""
    stop_s: float | None = Field(default=None, gt=0)
    """When it stops; left out, it stops at the end of the run."""
    size_bytes: int | None = Field(default=None, gt=0)
    """Payload; without, it sends until it is stopped."""
    min_rate_mbps: float = Field(default=0.0, ge=0)
    """The least rate that it accepts; a switch refuses it rather than give less."""
    max_rate_mbps: PositiveRate | None = None
    """The most that it can send; left out, the rate of the fastest access link that it may use. A scheme that negotiates asks for this."""
    multipath: bool = False
    """It uses MPTCP, with a subflow from each interface of the sender."""
    other_paths: bool = Field(default=False, exclude_if=lambda wanted: not wanted)
    """Refused on its first interface, the sender negotiates from the others before it waits."""
    sampled: bool = True
    """Look at its connection every `run.sample_ms`."""

    @model_validator(mode="after")
    def _is_possible(self) -> Transmission:
        where = f"transmission {self.name!r}"
        if self.sender == self.receiver:
            raise ValueError(f"{where}: sender and receiver are the same host")
        if self.stop_s is not None and self.start_s >= self.stop_s:
            raise ValueError(f"{where}: it starts at {self.start_s:g} s but ends before that")
        if self.multipath and self.other_paths:
            raise ValueError(f"{where}: with multipath it goes over all paths; other_paths are for one that goes over one of them")
        if self.max_rate_mbps is not None and self.min_rate_mbps > self.max_rate_mbps:
            raise ValueError(f"{where}: min_rate_mbps is above max_rate_mbps")
        return self

    @property
    def min_rate_bps(self) -> int:
        """The least that it takes, bit/s of the frame."""
        return round(self.min_rate_mbps * BITS_PER_MEGABIT)


class Program(Strict):
    """One command, or several of the same at once; times in seconds after the run's start.

    ``$h1`` in a word is the address of host h1, ``$folder`` the folder with the scenario's files, ``$number`` counts several from 1.
    """

    name: Name
    """In tables and logs."""
    host: Name
    """The host that runs it."""
    command: list[str] = Field(min_length=1, examples=[["curl", "--silent", "http://$h1/file"]])
    """The program and its arguments, one text each."""
    start_s: float = Field(default=0.0, ge=0)
    """When it starts."""
    count: int = Field(default=1, ge=1, le=MAX_COUNT)
    """So many run at once."""
    listens_on: int | None = Field(default=None, ge=1, le=65535)
    """It is a server: it runs from before the start, when this TCP port is open, until the end."""
    may_fail: bool = Field(default=False, exclude_if=lambda wanted: not wanted)
    """The run counts whatever its exit status is."""
    starts: list[str] = Field(default=[], examples=[["ssh"]], exclude_if=lambda names: not names)
    """Other programs that it starts, so that they are there in virtual time: ``["ssh"]`` of rsync."""

    @model_validator(mode="after")
    def _is_possible(self) -> Program:
        if self.listens_on is not None and (self.count > 1 or self.start_s > 0):
            raise ValueError(f"program {self.name!r}: a server runs once, and from the start")
        return self

    @property
    def names(self) -> list[str]:
        """The name of each of them."""
        return [self.name] if self.count == 1 else [f"{self.name}{number}" for number in range(1, self.count + 1)]

    def words(self, number: int, values: dict[str, str]) -> list[str]:
        """The command of one of them.

        Args:
            number: from 1.
            values: of each ``$NAME``.

        Raises:
            ValueError: a word has a name that stands for nothing.
        """
        try:
            return [Template(word).substitute(values, number=str(number)) for word in self.command]
        except KeyError as error:
            raise ValueError(
                f"program {self.name!r}: ${error.args[0]} stands for nothing; a shell's own variables are written $${error.args[0]}"
            ) from None
