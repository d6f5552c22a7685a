"""Client of the switch process's management socket: link statistics, and links changed while the network runs."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.units import NS_PER_S

TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Lateness:
    """How late a link sent its packets against its model."""

    packets: int
    late_1ms: int
    p50_us: float
    p99_us: float
    max_us: float


EGRESS = "egress"


@dataclass(frozen=True)
class Waits:
    """How long packets waited in a queue, µs, since these times were last started afresh."""

    packets: int = 0
    mean_us: float = 0.0
    p50_us: float = 0.0
    p99_us: float = 0.0
    max_us: float = 0.0


@dataclass(frozen=True)
class LinkStatistics:
    """Counters of one direction of one link, since the switch process started."""

    switch: str
    port: int
    name: str
    direction: str
    queue_packets: int
    tx_packets: int
    tx_bytes: int
    queue_drops: int
    loss_drops: int
    lateness: Lateness
    down_drops: int = 0
    """Packets lost because the link was down."""
    waits: Waits = Waits()
    """In all queues."""
    waits_of_queues: Mapping[int, Waits] = field(default_factory=dict)
    """In each queue to which packets have come, where there are several."""

    @property
    def is_egress(self) -> bool:
        """Whether it is the direction away from the switch."""
        return self.direction == EGRESS

    def is_between(self, switches: AbstractSet[str]) -> bool:
        """Whether it leads from one of these switches to another."""
        return self.is_egress and set(self.name.split("-")) <= switches


class ManagementClient:
    """Speaks JSON lines with the switch process. One request at a time."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(TIMEOUT_S)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise UserError(f"no switch process answers at {path}: {error.strerror}") from None
        self._reader = self._socket.makefile("rb")

    def request(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Send one request and return its answer.

        Raises:
            UserError: the switch process refused it, or has gone.
        """
        try:
            self._socket.sendall(json.dumps({"op": operation, **arguments}).encode() + b"\n")
            line = self._reader.readline()
        except OSError as error:
            raise UserError(f"the switch process does not answer ({operation}): {error}") from None
        if not line:
            raise UserError(f"the switch process has gone ({operation})")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise UserError(f"the switch process refused {operation}: {answer['error']}")
        return answer

    def link_statistics(self) -> list[LinkStatistics]:
        """Statistics of every direction of every link."""
        return [
            LinkStatistics(
                switch=link["switch"],
                port=link["port"],
                name=link["name"],
                direction=link["direction"],
                queue_packets=link["queue_packets"],
                tx_packets=link["tx_packets"],
                tx_bytes=link["tx_bytes"],
                queue_drops=link["queue_drops"],
                loss_drops=link["loss_drops"],
                lateness=Lateness(**link["lateness"]),
                down_drops=link["down_drops"],
                waits=Waits(**link["waits"]),
                waits_of_queues={one["queue"]: Waits(**one["waits"]) for one in link.get("queues", ())},
            )
            for link in self.request("stats")["links"]
        ]

    def counted(self, switch: str, counter: str) -> int:
        """Packets that a switch's program has counted in all cells of a counter.

        Raises:
            UserError: there is no such switch or counter.
        """
        shown = self.request("show", switch=switch, what="counter", name=counter)
        column = shown["columns"].index("packets")
        return sum(int(row[column]) for row in shown["rows"])

    def reset_lateness(self) -> None:
        """Start the lateness counters afresh."""
        self.request("reset_lateness")

    def reset_waits(self) -> None:
        """Start the times of waiting in queues afresh."""
        self.request("reset_waits")

    def set_link(self, switch: str, port: int, direction: str, **fields: Any) -> None:
        """Change one direction of a link while it runs.

        Args:
            switch, port: whose port.
            direction: ``egress`` (packets that leave by the port) or ``ingress`` (packets that a host sends into it).
            fields: of the link's description (docs/links.md), e.g. ``delay_us``, ``queue={"packets": 100}``, ``loss``, ``seed``,
                ``up``; the rest stays.

        Raises:
            UserError: there is no such link, or a value is impossible.
        """
        self.request("set_link", switch=switch, port=port, direction=direction, link=fields)

    def start_traces(self, start_s: float | None = None) -> None:
        """Start the traces of all links; those that are running start again.

        Args:
            start_s: the moment that the traces' times count from, CLOCK_MONOTONIC, still to come; None means now.

        Raises:
            UserError: the moment is over.
        """
        self.request("start_traces", at_ns=None if start_s is None else round(start_s * NS_PER_S))

    def stop_traces(self) -> None:
        """End all traces: the links' descriptions are in force again."""
        self.request("stop_traces")

    def close(self) -> None:
        """Close the connection."""
        self._reader.close()
        self._socket.close()
