"""The present RTT in messages follows a path that gets longer, where the negotiating program has no socket itself. Root only."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import registered
from common.units import US_PER_S
from hosts import mptcp
from protocol.constants import REFRESH_INTERVAL_S
from protocol.frames import ETHERNET_HEADER_BYTES, IPV4_HEADER_BYTES, UDP_HEADER_BYTES
from protocol.wire import UDP_PORT, Flags, MessageType, Negotiation
from protocol.wire_v2 import decode
from tests.hosts.agent_program import agent
from tests.hosts.emulated_path import repeated_if_unfaithful
from tests.hosts.test_service_over_namespaces import plain, run, service, started

ONE_WAY_S, LONGER_S = 0.01, 0.05
CHANGES_AFTER_S = 2.0
SENDING_S = CHANGES_AFTER_S + REFRESH_INTERVAL_S + 2.0
RATE_BPS = 4_000_000
"""The rate that the receiver grants each subflow."""

START_IN_S = 0.3
HEADERS_BYTES = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES
PORTS = slice(HEADERS_BYTES - UDP_HEADER_BYTES, HEADERS_BYTES - UDP_HEADER_BYTES // 2)
UDP_PORTS = UDP_PORT.to_bytes(2, "big") * 2


@dataclass
class Heard(Direction):
    """Notes the requests that pass, and takes longer from some addresses a while after the first of them."""

    longer_from_s: dict[str, float] = field(default_factory=dict)
    requests: list[Negotiation] = field(default_factory=list)
    changes_at_s: float | None = None

    def take(self, frame: bytes, now_s: float, chance: Random) -> None:
        if frame[PORTS] == UDP_PORTS:
            message = decode(frame[HEADERS_BYTES:])
            if isinstance(message, Negotiation) and message.type is MessageType.REQUEST:
                self.requests.append(message)
                self.changes_at_s = self.changes_at_s or now_s + CHANGES_AFTER_S
        if self.changes_at_s is not None and now_s >= self.changes_at_s:
            self.delay_from_s = self.longer_from_s
        super().take(frame, now_s, chance)

    def rtts_s(self, *, refreshes: bool, subflow: int = 0) -> list[float]:
        """The RTTs (s) of one subflow in requests, or in refreshes."""
        said = [one for one in self.requests if one.id.subflow == subflow and bool(one.flags & Flags.REFRESH) is refreshes]
        return [one.rtt_us / US_PER_S for one in said]


def about(rtt_s: float) -> Any:
    """Packets are some milliseconds apart, and two of them have one acknowledgement."""
    return pytest.approx(rtt_s, abs=0.008)


@repeated_if_unfaithful
def test_of_a_connection_that_the_host_service_serves(tmp_path: Path) -> None:
    forward = Heard(delay_s=ONE_WAY_S, longer_from_s={EmulatedPath.A: LONGER_S})
    with (
        registered("nodectl"),
        EmulatedPath(forward, Direction(delay_s=ONE_WAY_S)) as path,
        service(path, "a", tmp_path / "a.jsonl", "--variant", "deployable"),
        service(path, "b", tmp_path / "b.jsonl", "--variant", "deployable"),
        started(*plain(path, "b", "serve", 0.0, count=1), wait_for="listening"),
    ):
        run(plain(path, "a", "connect", SENDING_S, count=1))
    assert forward.rtts_s(refreshes=False) == [about(2 * ONE_WAY_S)]
    assert forward.rtts_s(refreshes=True) == [about(ONE_WAY_S + LONGER_S)]


@repeated_if_unfaithful
def test_of_each_mptcp_subflow(tmp_path: Path) -> None:
    reason = mptcp.explain_missing()
    if reason is not None:
        pytest.skip(f"{reason}: the RTT of subflows is NOT tested")
    forward = Heard(delay_s=ONE_WAY_S, longer_from_s={EmulatedPath.A_SECOND: LONGER_S})
    with (
        registered("nodectl"),
        EmulatedPath(forward, Direction(delay_s=ONE_WAY_S)) as path,
        agent(path.A, on=path.command("a")) as a,
        agent(path.B, "--multipath", "--max-rate-bps", str(RATE_BPS), on=path.command("b")),
    ):
        path.open_a_second_subflow()
        start_s = time.monotonic() + START_IN_S
        plan = {"to": path.B, "multipath": True, "variant": "deployable", "start_at": start_s, "stop_at": start_s + SENDING_S}
        a.send(tmp_path / "plan.json", plan)
        assert a.wait_for("sent")["status"] == 0
    for subflow in (0, 1):
        assert forward.rtts_s(refreshes=False, subflow=subflow) == [about(2 * ONE_WAY_S)]
    assert forward.rtts_s(refreshes=True, subflow=0) == [about(2 * ONE_WAY_S)]
    assert forward.rtts_s(refreshes=True, subflow=1) == [about(ONE_WAY_S + LONGER_S)]
