"""The network description: the facts of a network that the controller needs, as one JSON file.

It has each switch's P4Runtime server, ports with their capacities and IPv4 routes, and names of hosts and transmissions for people.
The topology writes it, the controller reads it. Rates are bit/s of Ethernet frames without FCS.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from common.errors import UserError
from common.text_files import read_text
from common.units import BITS_PER_KILOBIT
from protocol.constants import CPU_PORT, MAX_RATE_KBPS

MAX_RATE_BPS = MAX_RATE_KBPS * BITS_PER_KILOBIT
"""Largest rate that a 32-bit field of kbit/s holds, in bit/s."""

PortNumber = Annotated[int, Field(ge=0, lt=CPU_PORT)]
MacText = Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$")]
SwitchName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PortDescription(_Strict):
    """One port that takes part in the rate control: data leaves by it towards ``peer``."""

    port: PortNumber
    capacity_bps: int = Field(ge=BITS_PER_KILOBIT, le=MAX_RATE_BPS)
    """Capacity B_z of the link behind the port, bit/s; counted in whole kbit/s, rounded down."""
    tolerance_bps: int = Field(default=0, ge=0, le=MAX_RATE_BPS)
    """Unfair tolerance beta of Algorithm 1, bit/s."""
    least_bps: int | None = Field(default=None, ge=BITS_PER_KILOBIT, le=MAX_RATE_BPS)
    """The measured load is taken off the capacity, down to this; None: all of the capacity is divided, whatever others send."""
    peer: str = ""
    """The node at the other end, for people."""

    @property
    def capacity_kbps(self) -> int:
        """Capacity B_z in kbit/s, rounded down."""
        return self.capacity_bps // BITS_PER_KILOBIT

    @property
    def least_kbps(self) -> int | None:
        """The least rate that is divided, in kbit/s, rounded down; None: always the capacity."""
        return None if self.least_bps is None else self.least_bps // BITS_PER_KILOBIT

    def with_capacity(self, capacity_bps: int) -> PortDescription:
        """The same port with another rate, bit/s, on its link; the least rate that is divided is the same part of it."""
        least_bps = self.least_bps and max(BITS_PER_KILOBIT, self.least_bps * capacity_bps // self.capacity_bps)
        return self.model_copy(update={"capacity_bps": capacity_bps, "least_bps": least_bps})

    @property
    def tolerance_kbps(self) -> int:
        """Tolerance beta in kbit/s, rounded down."""
        return self.tolerance_bps // BITS_PER_KILOBIT


class PipelineDescription(_Strict):
    """The pipeline that a switch loads instead of the one that the controller's command line names."""

    program: Path
    """BMv2 JSON."""
    p4info: Path
    updates: Path | None = None
    """Updates that are written into it when it is loaded (controller/entries/written.py)."""


class WayDescription(_Strict):
    """One way out of a switch: packets leave by ``port`` with these Ethernet addresses."""

    port: PortNumber
    source_mac: MacText
    destination_mac: MacText


class RouteDescription(WayDescription):
    """One IPv4 route: packets to ``prefix`` have one way."""

    prefix: IPv4Network


class SpreadDescription(_Strict):
    """Packets to ``prefix`` have several ways; which one, a hash of their addresses says (p4src/equal_cost_ways.p4)."""

    prefix: IPv4Network
    seed: int = Field(ge=0, lt=2**32)
    shift: int = Field(ge=0, lt=32)
    """Bits of the hash that are left out."""
    ways: list[WayDescription] = Field(min_length=2)


class SwitchDescription(_Strict):
    """One switch: its P4Runtime server, its ports with rate control, its routes."""

    name: SwitchName
    device_id: int = Field(ge=0, lt=2**64)
    grpc_addr: str
    ports: list[PortDescription] = []
    routes: list[RouteDescription] = []
    spread: list[SpreadDescription] = []
    """Routes that have several ways."""
    writes_routes: bool = True
    """Whether the routes are written into the switch; else its program has another way to know them."""
    pipeline: PipelineDescription | None = None
    """The switch's own; None: the one that all switches have."""
    host_ports: list[PortNumber] = []
    """Ports with hosts behind them; the deployable variant does not believe these hosts (decision "tokens")."""

    def with_capacity(self, port: int, capacity_bps: int) -> SwitchDescription:
        """The same switch with another rate, bit/s, on the link behind one port.

        Raises:
            UserError: there is no such port, or no link has such a rate.
        """
        if port not in {known.port for known in self.ports}:
            known_ports = ", ".join(str(known.port) for known in self.ports)
            raise UserError(f"{self.name} has no port {port} with rate control", f"it has {known_ports or 'none'}")
        if not BITS_PER_KILOBIT <= capacity_bps <= MAX_RATE_BPS:
            allowed = f"it may be {BITS_PER_KILOBIT} to {MAX_RATE_BPS} bit/s"
            raise UserError(f"{self.name} port {port} cannot have a capacity of {capacity_bps} bit/s", allowed)
        ports = [known.with_capacity(capacity_bps) if known.port == port else known for known in self.ports]
        return self.model_copy(update={"ports": ports})

    def is_first_for(self, address: IPv4Address) -> bool:
        """Whether the host with this address is behind one of this switch's ports."""
        routes = [route for route in self.routes if address in route.prefix]
        return bool(routes) and max(routes, key=lambda route: route.prefix.prefixlen).port in self.host_ports

    @field_validator("grpc_addr")
    @classmethod
    def _is_host_and_port(cls, address: str) -> str:
        found = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+):(\d{1,5})", address)
        if not found or not 0 < int(found[2]) < 65536:
            raise ValueError(f"{address!r} is not HOST:PORT")
        return address

    @model_validator(mode="after")
    def _nothing_twice(self) -> SwitchDescription:
        where = f"switch {self.name!r}"
        _refuse_repeated(f"{where}: port", (port.port for port in self.ports))
        _refuse_repeated(f"{where}: route", [*(route.prefix for route in self.routes), *(spread.prefix for spread in self.spread)])
        return self


class NetworkDescription(_Strict):
    """A whole network description file."""

    switches: list[SwitchDescription] = Field(min_length=1)
    hosts: dict[IPv4Address, str] = {}
    """Name of the host behind each address."""
    labels: dict[str, str] = {}
    """Name of the transmission from one address to another; the key is ``SENDER>RECEIVER``."""

    @field_validator("labels")
    @classmethod
    def _keys_are_pairs(cls, labels: dict[str, str]) -> dict[str, str]:
        return {">".join(str(end) for end in _pair(key)): label for key, label in labels.items()}

    @model_validator(mode="after")
    def _switches_differ(self) -> NetworkDescription:
        _refuse_repeated("switch", (switch.name for switch in self.switches))
        _refuse_repeated("P4Runtime server", ((switch.grpc_addr, switch.device_id) for switch in self.switches))
        return self

    def write(self, path: Path) -> None:
        """Write the description as an indented JSON file."""
        path.write_text(self.model_dump_json(indent=2, exclude_none=True) + "\n", encoding="utf-8")


def load_network(path: Path) -> NetworkDescription:
    """Read and check a network description.

    Raises:
        UserError: the file is missing, not JSON, or says something impossible; the message names file and key.
    """
    text = read_text(
        path, missing="give the path of a network description (JSON)", not_text="a network description is a JSON file in UTF-8"
    )
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    try:
        return NetworkDescription.model_validate(content)
    except ValidationError as error:
        raise UserError("; ".join(_readable(path, error))) from None


def _pair(key: str) -> tuple[IPv4Address, IPv4Address]:
    sender, separator, receiver = key.partition(">")
    if not separator:
        raise ValueError(f"{key!r} is not SENDER>RECEIVER")
    return IPv4Address(sender.strip()), IPv4Address(receiver.strip())


def _refuse_repeated(what: str, values: Iterable[Hashable]) -> None:
    counts = Counter(values)
    for value, count in counts.items():
        if count > 1:
            raise ValueError(f"{what} {value} is given {count} times")


def _readable(path: Path, error: ValidationError) -> list[str]:
    lines = []
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"])
        message = re.sub(r"^Value error, ", "", problem["msg"])
        if problem["type"] == "extra_forbidden":
            message = "unknown key"
        lines.append(f"{path}: {key}: {message}" if key else f"{path}: {message}")
    return lines
