"""The status socket: one JSON object a line in, one JSON answer a line out, for `controller.status`, the testbed and scripts.

Questions: {"op": "ports"}, {"op": "records"}, {"op": "switches"}, and {"op": "ping"}, which only asks whether anybody is there.
A command: {"op": "set_capacity", "switch": NAME, "port": NUMBER, "capacity_bps": RATE}. Errors are answered as {"error": "..."}.
"""

from __future__ import annotations

import asyncio
import json
import socket
import stat
from collections.abc import Callable, Sequence
from dataclasses import asdict
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.units import BITS_PER_KILOBIT
from controller.capacity_change import SET_CAPACITY, answer_set_capacity
from controller.clock import Clock
from controller.names import NameBook
from controller.narrate import name_of
from controller.session import SwitchSession

OWNER_ONLY = 0o600


class StatusServer:
    """Answers questions about the sessions' state."""

    def __init__(self, sessions: Sequence[SwitchSession], names: NameBook, clock: Clock) -> None:
        self._sessions = sessions
        self._names = names
        self._clock = clock
        self._server: asyncio.Server | None = None
        self._path: Path | None = None
        self._answers: dict[str, Callable[[], dict[str, Any]]] = {
            "ports": self._ports,
            "records": self._records,
            "switches": self._switches,
            "ping": lambda: {"ok": True},
        }

    async def start(self, path: Path) -> None:
        """Listen on this Unix socket; a socket that nobody answers any more is replaced.

        Raises:
            UserError: the path cannot be used.
        """
        try:
            _remove_dead_socket(path)
            self._server = await asyncio.start_unix_server(self._serve, path)
            path.chmod(OWNER_ONLY)
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}; choose another --status-socket") from None
        self._path = path

    async def stop(self) -> None:
        """Stop listening and remove the socket."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self.answer(line), ensure_ascii=False).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError):  # the asker is gone, or its line is longer than any question
            pass
        finally:
            writer.close()

    async def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to one question or command."""
        try:
            question = json.loads(line)
        except ValueError as error:
            return {"error": f"not JSON: {error}"}
        operation = question.get("op") if isinstance(question, dict) else None
        if operation == SET_CAPACITY:
            return await answer_set_capacity(self._sessions, question)
        known = self._answers.get(operation) if isinstance(operation, str) else None
        if known is None:
            return {"error": f"unknown op {operation!r}; known: {', '.join([*self._answers, SET_CAPACITY])}"}
        return known()

    def _ports(self) -> dict[str, Any]:
        rows = []
        for session in self._sessions:
            for port in session.state.ports.values():
                totals = port.totals()
                rows.append(
                    {
                        "switch": session.switch.name,
                        "port": port.port,
                        "peer": port.peer,
                        "capacity_bps": port.capacity_kbps * BITS_PER_KILOBIT,
                        "tolerance_bps": port.tolerance_kbps * BITS_PER_KILOBIT,
                        "allocated_bps": totals.sum_kbps * BITS_PER_KILOBIT,
                        "free_bps": port.free_kbps() * BITS_PER_KILOBIT,
                        "records": len(port.records),
                        "bottleneck_records": sum(record.is_bottleneck for record in port),
                        "bottleneck_bps": totals.bottleneck_sum_kbps * BITS_PER_KILOBIT,
                        "shares": [
                            {"name": name_of(record, self._names), "rate_bps": record.rate_kbps * BITS_PER_KILOBIT} for record in port
                        ],
                    }
                )
        return {"ports": rows}

    def _records(self) -> dict[str, Any]:
        now_s = self._clock.now_s()
        return {
            "records": [
                {
                    "switch": session.switch.name,
                    "port": port.port,
                    "name": name_of(record, self._names),
                    "content_id": f"{record.id.content_id:016x}",
                    "destination_id": record.id.destination_id,
                    "subflow": record.id.subflow,
                    "sender": str(IPv4Address(record.sender_ip)),
                    "receiver": str(IPv4Address(record.receiver_ip)),
                    "rate_bps": record.rate_kbps * BITS_PER_KILOBIT,
                    "is_bottleneck": record.is_bottleneck,
                    "is_negotiating": record.negotiating_since_s is not None,
                    "offer_bps": record.offer_kbps * BITS_PER_KILOBIT,
                    "heard_s_ago": round(now_s - record.last_heard_s, 3),
                    "slot": record.slot,
                }
                for session in self._sessions
                for port in session.state.ports.values()
                for record in port
            ]
        }

    def _switches(self) -> dict[str, Any]:
        return {
            "switches": [
                {
                    "switch": session.switch.name,
                    "grpc_addr": session.switch.grpc_addr,
                    "is_connected": session.is_connected,
                    "is_synchronised": session.is_connected and session.state.reconciler.is_synchronised,
                    "events": session.events,
                    "entries": session.entries,
                    "adjustment_latency": asdict(session.latency.summary()),
                }
                for session in self._sessions
            ]
        }


def _remove_dead_socket(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(0, "exists and is not a socket")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            path.unlink(missing_ok=True)
            return
    raise FileExistsError(0, "another controller listens there")
