"""A transfer over MPTCP with two subflows, over an emulated link."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from bench.studies.emulated_transfers.emulated_path import Direction, EmulatedPath
from bench.studies.emulated_transfers.transfer import program, registered, wait_ready
from hosts.cca.libbpf import Libbpf
from hosts.cca.scheme_names import parse_scheme, socket_name

Subflows = list[tuple[int, int, int]]
Samples = list[tuple[float, Subflows]]
PEER = "bench/studies/emulated_transfers/mptcp_peer.py"
ONE_WAY_S = 0.02


def transfer(
    name: str,
    duration_s: float,
    forward: Direction,
    beside: Callable[[EmulatedPath], None] | None = None,
    back_s: float = ONE_WAY_S,
    back_from_second_s: float | None = None,
) -> Samples:
    """Samples of an MPTCP transfer with two subflows; ``beside`` runs at the same time."""
    back = Direction(delay_s=back_s)
    if back_from_second_s is not None:
        back.delay_from_s[EmulatedPath.B_SECOND] = back_from_second_s
    with registered(name), EmulatedPath(forward, back) as path:
        path.allow_two_subflows()
        with program(path, "b", PEER, "receive", "0.0.0.0") as receiver:
            wait_ready(receiver)
            with program(path, "a", PEER, "send", path.B, socket_name(parse_scheme(name)), str(duration_s)) as sender:
                if beside:
                    beside(path)
                output, errors = sender.communicate(timeout=duration_s + 20)
        assert sender.returncode == 0, errors
        if name != "reno":
            assert_no_entry_is_left()
    return [(at, [tuple(flow) for flow in flows]) for at, flows in map(json.loads, output.splitlines())]


def assert_no_entry_is_left() -> None:
    """The connection is over: the entry that its subflows shared is gone from the map."""
    deadline = time.monotonic() + 5
    while Libbpf().entry_count("connections") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert Libbpf().entry_count("connections") == 0
